"""Players and their sessions as values. Times are milliseconds since the epoch, UTC."""

from dataclasses import dataclass

from app.players.preferences import DEFAULTS, Preferences


@dataclass(frozen=True, slots=True)
class Player:
    """name: None for a guest. Only accounts have names."""

    id: str
    name: str | None
    preferences: Preferences = DEFAULTS

    @property
    def is_account(self) -> bool:
        return self.name is not None


@dataclass(frozen=True, slots=True)
class Authenticated:
    """A player with the session that brought them in. Times in ms."""

    player: Player
    session_id: str
    kind: str
    last_used_at: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class Session:
    """One way in, as its player sees it in the list."""

    id: str
    kind: str
    label: str
    created_at: int
    last_used_at: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class Profile:
    """What anybody may see of an account. since: ms."""

    id: str
    name: str
    since: int


@dataclass(frozen=True, slots=True)
class SignedIn:
    """token: of the new session. recovery_codes: shown once, only after sign-up and recovery."""

    player: Player
    token: str
    recovery_codes: tuple[str, ...] = ()
