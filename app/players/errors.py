"""Why a player's wish was refused: a code for programs and templates, never a sentence for people."""


class PlayerError(Exception):
    """Refused. `code` is stable; `reason` narrows it down (or is None)."""

    code = "player_error"

    def __init__(self, reason: str | None = None) -> None:
        super().__init__(reason or self.code)
        self.reason = reason


class BadName(PlayerError):
    """reason: too_short, too_long, bad_character, mixed_scripts, reserved."""

    code = "bad_name"


class NameTaken(PlayerError):
    code = "name_taken"


class BadPassword(PlayerError):
    """A password that cannot be chosen. reason: too_short, too_long, same_as_name, too_simple."""

    code = "bad_password"


class WrongCredentials(PlayerError):
    """Unknown name, wrong password, wrong or used recovery code: all alike."""

    code = "wrong_credentials"


class BadCode(PlayerError):
    """A transfer code that is unknown, used or expired: all alike."""

    code = "bad_code"


class AlreadyAccount(PlayerError):
    code = "already_account"


class NotAccount(PlayerError):
    code = "not_account"


class TooManySessions(PlayerError):
    code = "too_many_sessions"


class Busy(PlayerError):
    """Too many passwords are being checked at this moment."""

    code = "busy"
