"""Company: who may come to a game, and who is there.

A call takes the connection of a write transaction first; what only looks takes a ``db.read()``. A game's
owner makes a link to play along and one to look on, or lets anybody look on. What a link gave goes with it
when it is withdrawn. Games of races and of days have no company: there everyone plays for themselves.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Collection

from sqlalchemy import Connection

from app.company import errors, store
from app.company.people import (
    INVITED,
    MOST,
    MOST_PLAYERS,
    OWNER,
    Company,
    Here,
    Invitation,
    Invited,
    Person,
    Watched,
)
from app.db import Database
from app.games import store as games_store
from app.games.errors import NotOwner
from app.games.game import Game, Role
from app.games.service import Games, now_ms
from app.players import codes

RECENT = 15 * 60_000
"""For how long after its last entry a game is listed as one to watch."""

HEARD = 60_000
"""For how long it holds what a process said of who is here."""

NONCE_BYTES = 16


class Companies:
    """The company of the games of a database. ``key`` makes the links; ``clock`` is in milliseconds."""

    def __init__(self, db: Database, games: Games, *, key: str, clock: Callable[[], int] = now_ms) -> None:
        self._db = db
        self._games = games
        self._key = hashlib.sha256(f"spindel.invitations {key}".encode()).digest()
        self._clock = clock
        self.on_company: Callable[[str], object] = lambda _game_id: None
        """Told after the commit of a game to which somebody has come or from which somebody has gone."""
        self.on_here: Callable[[str, Here], object] = lambda _game_id, _here: None
        """Told after the commit who has a page of a game open."""

    # Looking

    def role(self, conn: Connection, game_id: str, player_id: str) -> Role | None:
        """What a player has become at the game of another by a link: for ``Games.invited``."""
        found = store.role(conn, game_id, player_id)
        return next((role for role in INVITED if role == found), None)

    def of(self, conn: Connection, game: Game) -> Company:
        """All who are or were at a game, and who of them is here."""
        owner = store.names(conn, [game.player_id])[game.player_id]
        people = [Person(OWNER, game.player_id, owner, "owner")]
        for row in store.people(conn, game.id):
            role = next((role for role in INVITED if role == row.role), None)
            people.append(Person(row.number, row.player_id, row.name, role))
        return Company(tuple(people), self.here(conn, [game.id]).get(game.id, Here()))

    def here(self, conn: Connection, game_ids: Collection[str]) -> dict[str, Here]:
        """Who has a page of these games open."""
        found: dict[str, Here] = {}
        for row in store.here(conn, game_ids, self._clock() - HEARD):
            before = found.get(row.game_id, Here())
            players = before.players | frozenset(json.loads(row.players))
            found[row.game_id] = Here(players, before.watching + row.watching)
        return found

    def joined(self, conn: Connection, player_id: str, limit: int = 20) -> list[Game]:
        """Games under way that a player plays along, the one played last first."""
        ids = store.joined(conn, player_id, limit)
        games = games_store.find_all(conn, ids)
        return [games[game_id] for game_id in ids]

    def watchable(self, conn: Connection, limit: int) -> list[Watched]:
        """Games that anybody may watch and that are being played, the one played last first."""
        games = games_store.watchable(conn, self._clock() - RECENT, limit)
        names = store.names(conn, {game.player_id for game in games})
        here = self.here(conn, [game.id for game in games])
        return [Watched(game, names[game.player_id], here.get(game.id, Here()).watching) for game in games]

    # Links

    def link(self, conn: Connection, game_id: str, player_id: str, role: Invited) -> str:
        """The token of a link to a player's own game; asked again, the same until it is withdrawn.

        Raises ``NotFound``, ``NotOwner``, ``NotShareable``, ``HasEnded``.
        """
        store.lock(conn, game_id)
        game = self._open(conn, game_id, player_id)
        token = self._token_there(conn, game.id, role)
        if token is None:
            nonce = secrets.token_hex(NONCE_BYTES)
            token = self._token(game.id, role, nonce)
            store.remove_invitation(conn, game.id, role)
            store.add_invitation(
                conn,
                {
                    "game_id": game.id,
                    "role": role,
                    "nonce": nonce,
                    "token": codes.hashed(token),
                    "made_at": self._clock(),
                },
            )
            games_store.open_to(conn, game.id, invited=True)
            self._announce(conn, game.id)
        return token

    def links(self, conn: Connection, game_id: str, player_id: str) -> dict[Invited, str]:
        """The tokens of the links that there are. Raises ``NotFound``, ``NotOwner``."""
        self._own(conn, game_id, player_id)
        found = {role: self._token_there(conn, game_id, role) for role in INVITED}
        return {role: token for role, token in found.items() if token is not None}

    def withdraw(self, conn: Connection, game_id: str, player_id: str, role: Invited) -> None:
        """Takes a link back, and with it what it gave. Twice is once. Raises ``NotFound``, ``NotOwner``."""
        store.lock(conn, game_id)
        self._own(conn, game_id, player_id)
        self._withdraw(conn, game_id, role)

    def _withdraw(self, conn: Connection, game_id: str, role: Invited) -> None:
        if store.remove_invitation(conn, game_id, role):
            store.dismiss(conn, game_id, role=role)
            games_store.open_to(conn, game_id, invited=store.is_invited_to(conn, game_id))
            self._announce(conn, game_id)

    def _token_there(self, conn: Connection, game_id: str, role: Invited) -> str | None:
        """The token of a link; None if there is none, or if it was made by another key."""
        row = store.invitation(conn, game_id, role)
        if row is None:
            return None
        token = self._token(game_id, role, row.nonce)
        return token if codes.hashed(token) == row.token else None

    def _token(self, game_id: str, role: Invited, nonce: str) -> str:
        """256 bits, 43 characters fit for a URL."""
        made = hmac.digest(self._key, f"{game_id} {role} {nonce}".encode(), "sha256")
        return base64.urlsafe_b64encode(made).rstrip(b"=").decode("ascii")

    # Coming and going

    def invitation(self, conn: Connection, token: str) -> Invitation:
        """Where a link leads. Raises ``NoInvitation``."""
        row = store.invitation_of(conn, codes.hashed(token)) if len(token) <= 100 else None
        game = games_store.find_any(conn, row.game_id) if row else None
        if row is None or game is None:
            raise errors.NoInvitation
        role: Invited = "play" if row.role == "play" else "watch"
        return Invitation(game, role, store.names(conn, [game.player_id])[game.player_id])

    def join(self, conn: Connection, token: str, player_id: str) -> Game:
        """Comes by a link. Its owner stays its owner, and who may play goes on playing.

        Raises ``NoInvitation``, ``TableFull``.
        """
        store.lock(conn, self.invitation(conn, token).game.id)
        found = self.invitation(conn, token)
        game = found.game
        before = None if game.player_id == player_id else self.role(conn, game.id, player_id)
        if game.player_id == player_id or before in ("play", found.role):
            return game
        playing = found.role == "play" and store.count(conn, game.id, "play") + 1 >= MOST_PLAYERS
        if playing or (before is None and store.count(conn, game.id) >= MOST):
            raise errors.TableFull
        store.put(conn, game.id, player_id, found.role, self._clock())
        self._announce(conn, game.id)
        return game

    def leave(self, conn: Connection, game_id: str, player_id: str) -> None:
        """Goes; the link leads back. Who is not there has gone already. Raises ``NotFound``."""
        self._games.see(conn, game_id, player_id)
        if store.dismiss(conn, game_id, player_id=player_id):
            self._announce(conn, game_id)

    def let_watch(self, conn: Connection, game_id: str, player_id: str, *, anybody: bool) -> None:
        """Lets anybody look on, or nobody but those who have come by a link.

        Raises ``NotFound``, ``NotOwner``, ``NotShareable``, ``HasEnded`` (only to let them).
        """
        store.lock(conn, game_id)
        game = self._open(conn, game_id, player_id) if anybody else self._own(conn, game_id, player_id)
        if game.watchable != anybody:
            games_store.open_to(conn, game_id, watchable=anybody)
            self._announce(conn, game_id)

    def forget(self, conn: Connection, player_id: str) -> None:
        """A player is deleted: nobody comes to their games any more. A listener for players."""
        for game_id in store.live_of(conn, player_id):
            for role in INVITED:
                self._withdraw(conn, game_id, role)
            games_store.open_to(conn, game_id, watchable=False)
            self._announce(conn, game_id)

    def _own(self, conn: Connection, game_id: str, player_id: str) -> Game:
        seen = self._games.see(conn, game_id, player_id)
        if seen.role != "owner":
            raise NotOwner
        return seen.game

    def _open(self, conn: Connection, game_id: str, player_id: str) -> Game:
        """A player's own game, if others may come to it."""
        game = self._own(conn, game_id, player_id)
        if game.held or game.closes_at is not None:
            raise errors.NotShareable
        if game.ended:
            raise errors.HasEnded
        return game

    # Who is here

    def present(
        self, conn: Connection, game_id: str, process: str, players: Collection[str], watching: int
    ) -> None:
        """Notes who has a page of a game open in one process of the server, and tells who is here in all."""
        if players or watching:
            store.write_presence(
                conn,
                {
                    "game_id": game_id,
                    "process": process,
                    "players": json.dumps(sorted(players)),
                    "watching": watching,
                    "at": self._clock(),
                },
            )
        else:
            store.remove_presence(conn, process, game_id)
        here = self.here(conn, [game_id]).get(game_id, Here())
        self._db.after_commit(conn, self.on_here, game_id, here)

    def still_there(self, conn: Connection, process: str) -> None:
        """What a process said still holds: to be said again before ``HEARD`` is over."""
        now = self._clock()
        store.refresh_presence(conn, process, now, now - 2 * HEARD)

    def stopped(self, conn: Connection, process: str) -> None:
        """A process of the server ends: no page is open in it any more."""
        store.remove_presence(conn, process)

    def _announce(self, conn: Connection, game_id: str) -> None:
        self._db.after_commit(conn, self.on_company, game_id)


def company_of(conn: Connection, player_id: str) -> list[dict[str, object]]:
    """Where a player came by a link, for the export of all that is kept about them."""
    return [
        {"game": row.game_id, "role": row.role, "came_at": row.came_at}
        for row in store.of_player(conn, player_id)
    ]
