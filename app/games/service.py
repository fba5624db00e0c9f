"""Playing: the only way by which a game changes.

A call takes the connection it works on first, so that what belongs together is one transaction::

    with db.write() as connection:
        acted = games.act(connection, game_id, player_id, ply, "4-7x2")

    acted = await db.submit(games.act, game_id, player_id, ply, "4-7x2")     # from the event loop

What only looks (``get``, ``log``, ``unfinished``, ``replay``) takes a ``db.read()``; ``hint`` takes its own.
"""

import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from app.db import Database
from app.games import errors, store
from app.games.dealing import Sealed, commitment, known_deal, seal, sealed
from app.games.events import Changed, ChangeListener, EndListener, HeldListener
from app.games.game import MAX_PLY, TIME_UP, Entry, Game, GameId, Ply, Role, Terms, deal_of
from app.games.hint import Hint, suggest
from app.games.playing import played
from app.patience import registry
from app.patience.deals import Deal
from app.patience.patience import Event, Params, Patience
from app.patience.position import Position
from app.patience.replay import META, RESTART, line_of
from app.patience.scoring import VERSIONS, score

ADVICE, VERDICT = "advice", "verdict"
"""Kinds of marks, beside ``hint``: what the engine told at a ply."""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Acted:
    """An entry's result: the game after it, what happened, and the position before it.

    ``repeated``: the same request had been played before; nothing was played now, and ``before`` is None.
    """

    game: Game
    events: tuple[Event, ...] = ()
    before: Position | None = None
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Replay:
    """A game with its whole log, for one who may see it."""

    game: Game
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """A game with what the one who looks at it is there."""

    game: Game
    role: Role


class Games:
    """The games of a database. ``app.main`` adds listeners; ``clock`` is in milliseconds since the epoch."""

    def __init__(self, db: Database, *, clock: Callable[[], int] = now_ms) -> None:
        self._db = db
        self._clock = clock
        self.on_end: list[EndListener] = []
        self.on_change: list[ChangeListener] = []
        self.on_held: list[HeldListener] = []
        self.advise: Callable[[Game], Hint | None] = lambda _game: None
        """Asked for a hint before the rules' own suggestion is made; ``app.main`` puts the engine here."""
        self.winnable: Callable[[Connection, Patience], str | None] = lambda _conn, _patience: None
        """Gives out the code of a deal that can be won, and that nobody knows."""
        self.invited: Callable[[Connection, str, str], Role | None] = lambda _conn, _game_id, _player_id: None
        """Asked what a player is at the game of another; ``app.main`` puts the company here."""

    # Looking

    def get(self, conn: Connection, game_id: str, player_id: str, *, to_change: bool = False) -> Game:
        """A game that a player may play: their own, or one that they play along.

        ``to_change``: as it stays until this write changes it. Raises ``NotFound``, ``WatchingOnly``.
        """
        game = store.find(conn, game_id, player_id, to_change=to_change)
        if game is None:
            seen = self.see(conn, game_id, player_id, to_change=to_change)
            if seen.role == "watch":
                raise errors.WatchingOnly
            game = seen.game
        return game

    def see(self, conn: Connection, game_id: str, player_id: str | None, *, to_change: bool = False) -> Seen:
        """A game that a player may see, or with None anybody. Raises ``NotFound``."""
        game = store.find_any(conn, game_id, to_change=to_change)
        if game is None:
            raise errors.NotFound
        if game.player_id == player_id:
            return Seen(game, "owner")
        role = self.invited(conn, game_id, player_id) if game.invited and player_id else None
        if role is None and game.watchable:
            role = "watch"
        if role is None:
            raise errors.NotFound
        return Seen(game, role)

    def unfinished(self, conn: Connection, player_id: str, limit: int = 50) -> list[Game]:
        """A player's games that have not ended, the one played last first."""
        return store.unfinished(conn, player_id, limit)

    def log(self, conn: Connection, game_id: str, player_id: str) -> tuple[Entry, ...]:
        """The whole log of a game that a player may see. Raises ``NotFound``."""
        self.see(conn, game_id, player_id)
        return store.entries(conn, game_id)

    def replay(self, conn: Connection, game_id: str, player_id: str | None) -> Replay:
        """A game with its log, for who may see it; once it may be told, for anyone. Raises ``NotFound``."""
        game = store.find_any(conn, game_id)
        if game is None or not game.told:
            game = self.see(conn, game_id, player_id).game
        return Replay(game, store.entries(conn, game_id))

    # Beginning

    def create(
        self,
        conn: Connection,
        player_id: str,
        *,
        patience: str | None = None,
        params: Params | None = None,
        scoring: str | None = None,
        deal: str | None = None,
        winnable: bool = False,
        watchable: bool = False,
    ) -> Game:
        """A new game: on a fresh sealed deal (if asked for, one that can be won), or an open one by its code.

        Parameters left out take their defaults, or those of the code. Raises ``UnknownPatience``,
        ``BadParams``, ``BadDealCode``, ``BadScoring``, ``DealMismatch``, ``DealIsWon``, ``NoWinnableDeal``.
        """
        if deal is None:
            rules = registry.get(patience or "", params)
            fresh = self._winnable(conn, rules) if winnable else seal(rules)
            dealt, salt = fresh.deal, fresh.salt
        elif winnable:
            raise errors.NoWinnableDeal
        else:
            dealt, salt = known_deal(deal, patience, params), None
        return self._begin(conn, player_id, dealt, scoring, salt, Terms(), watchable=watchable)

    def _winnable(self, conn: Connection, rules: Patience) -> Sealed:
        code = self.winnable(conn, rules)
        if code is None:
            raise errors.NoWinnableDeal
        return sealed(deal_of(code))

    def create_sealed(
        self, conn: Connection, player_id: str, sealed: Sealed, scoring: str, terms: Terms
    ) -> Game:
        """A new game on a sealed deal that others play too. Raises ``BadScoring``."""
        return self._begin(conn, player_id, sealed.deal, scoring, sealed.salt, terms)

    def has_game_on(self, conn: Connection, player_id: str, code: str) -> bool:
        """Whether a player has, or has had, a game on the deal of a canonical code."""
        return store.has_game_on(conn, player_id, code)

    def _begin(
        self,
        conn: Connection,
        player_id: str,
        dealt: Deal,
        scoring: str | None,
        salt: str | None,
        terms: Terms,
        *,
        watchable: bool = False,
    ) -> Game:
        rules, start = dealt.patience, dealt.start
        scoring = scoring or rules.scorings[0]
        if scoring not in rules.scorings:
            raise errors.BadScoring
        outcome = rules.outcome(start)
        if outcome.status == "won":
            raise errors.DealIsWon
        now = self._clock()
        game = Game(
            id=GameId(secrets.token_urlsafe(16)),
            player_id=player_id,
            patience=rules,
            code=dealt.code,
            sealed=salt is not None,
            commitment=commitment(dealt.code, salt) if salt else None,
            sealing=salt,
            rules_version=rules.rules_version,
            scoring=scoring,
            scoring_version=VERSIONS[scoring],
            created_at=now,
            status=outcome.status,
            reason=outcome.reason,
            ply=Ply(0),
            position=start,
            score=score(scoring, rules, start, start, 0),
            steps=0,
            undone=0,
            undos=0,
            hints=0,
            first_at=None,
            last_at=now,
            ended_at=None,
            ranked_ms=0,
            held=terms.held,
            undo_off=terms.undo_off,
            help_off=terms.help_off,
            closes_at=terms.closes_at,
            watchable=watchable,
        )
        store.add(conn, game)
        return game

    # Playing

    def act(self, conn: Connection, game_id: str, player_id: str, ply: int, text: str) -> Acted:
        """Plays an entry (a move, ``undo``, ``redo``, ``restart``) on a game that is at ``ply``.

        The same entry again, at the same ply by the same player, is answered and not played again. Raises,
        in this order: ``NotFound``, ``WatchingOnly``, ``MalformedMove``, ``NotOwner`` (a restart),
        ``StalePly``, ``GameOver``, ``GameTooLong``, ``UndoIsOff``, ``IllegalMove`` or ``NothingTo...``.
        """
        game = self.get(conn, game_id, player_id, to_change=True)
        if text not in META:
            text = game.patience.parse(text)
        elif text == RESTART:
            self._check_owner(game, player_id)
        if ply != game.ply:
            if ply < game.ply and store.entry_at(conn, game_id, ply + 1) == (text, player_id):
                return Acted(game, repeated=True)
            raise errors.StalePly(game)
        if game.ended or (game.closes_at is not None and self._clock() >= game.closes_at):
            raise errors.GameOver(game)
        if ply >= MAX_PLY:
            raise errors.GameTooLong(game)
        if game.undo_off and text in META:
            raise errors.UndoIsOff(game)
        after, events = played(game, text, self._clock(), lambda: line_of(store.texts(conn, game.id)))
        try:
            store.add_entry(conn, after.id, Entry(after.ply, text, after.last_at, player_id))
        except IntegrityError:  # another entry has this ply
            raise errors.StalePly(game) from None
        if not store.advance(conn, after):
            raise errors.StalePly(game)
        after = self._shared(conn, after, player_id)
        self._announce(conn, after, player_id)
        return Acted(after, events, game.position)

    def give_up(self, conn: Connection, game_id: str, player_id: str, ply: int) -> Game:
        """Ends a game unwon; its deal is known from then on. Giving up twice is giving up once.

        Raises ``NotFound``, ``WatchingOnly``, ``NotOwner``, ``StalePly``, ``GameOver`` (won).
        """
        game = self.get(conn, game_id, player_id, to_change=True)
        self._check_owner(game, player_id)
        if ply != game.ply:
            raise errors.StalePly(game)
        if game.status == "given_up":
            return game
        if game.ended:
            raise errors.GameOver(game)
        ended = replace(game, status="given_up", reason=None, ended_at=max(self._clock(), game.last_at))
        if not store.end(conn, ended):
            raise errors.StalePly(game)
        self._announce(conn, ended, player_id)
        return ended

    def close(self, conn: Connection, game_id: str, at: int) -> Game:
        """Ends a game unwon because its time was up at ``at``; one that has ended stays as it is.

        For those who keep the time: they, and not the player, call it. Raises ``NotFound``.
        """
        game = self._any(conn, game_id)
        if game.ended:
            return game
        ended = replace(game, status="given_up", reason=TIME_UP, ended_at=max(at, game.last_at))
        if not store.end(conn, ended):
            raise errors.StalePly(game)
        self._announce(conn, ended)
        return ended

    def release(self, conn: Connection, game_id: str) -> Game:
        """Lets an ended game be told that was held back: its deal, its result, its replay.

        Raises ``NotFound``.
        """
        game = self._any(conn, game_id)
        if game.held and game.ended:
            store.release(conn, game_id)
            game = replace(game, held=False)
            self._announce_end(conn, game)
        return game

    def _any(self, conn: Connection, game_id: str) -> Game:
        game = store.find_any(conn, game_id, to_change=True)
        if game is None:
            raise errors.NotFound
        return game

    def hint(self, game_id: str, player_id: str) -> tuple[Game, Hint]:
        """A move to consider, or why there is none to name; a hint given is counted, once for each ply.

        It thinks for some milliseconds, so it does that on a reading connection of its own, and not while
        others wait for the writer. Call it in a thread. Raises ``NotFound``, ``GameOver``, ``HelpIsOff``.
        """
        with self._db.read() as conn:
            game = self.get(conn, game_id, player_id)
            self._check_help(game)
            steps = line_of(store.texts(conn, game_id)).steps
        hint = self.advise(game) or suggest(game.patience, game.start, steps)
        if hint.move is not None or hint.used_hidden:
            with self._db.write() as conn:
                store.hold_all(conn, [game_id])
                game = self._shared(conn, game, player_id)
                if hint.move is not None:
                    store.mark_hint(conn, game_id, game.ply, self._clock())
                if hint.rests_on != "rules":
                    told = hint.used_hidden
                    store.mark_told(conn, game_id, game.ply, ADVICE, self._clock(), used_hidden=told)
        return game, hint

    def tell(self, conn: Connection, game_id: str, player_id: str, kind: str, *, used_hidden: bool) -> Game:
        """Notes at the present ply that the engine tells the player something.

        If hidden cards went into it, the game ranks as assisted from then on. Raises ``NotFound``,
        ``GameOver``, ``HelpIsOff``. Needs a ``db.write()``.
        """
        game = self.get(conn, game_id, player_id, to_change=True)
        self._check_help(game)
        store.mark_told(conn, game_id, game.ply, kind, self._clock(), used_hidden=used_hidden)
        return self._shared(conn, game, player_id)

    def finish(self, conn: Connection, game_id: str, player_id: str, ply: int, moves: Iterable[str]) -> Game:
        """Plays moves that somebody else found, to the game's end: an entry each, and a hint in all.

        Raises as ``act`` does. Needs a ``db.write()``.
        """
        game = self.get(conn, game_id, player_id, to_change=True)
        if ply != game.ply:
            raise errors.StalePly(game)
        self._check_help(game)
        store.mark_hint(conn, game_id, ply, self._clock())
        for at, move in enumerate(moves):
            game = self.act(conn, game_id, player_id, ply + at, move).game
        return game

    @staticmethod
    def _shared(conn: Connection, game: Game, player_id: str) -> Game:
        """The game after a player has had a hand in it; a player who is not its owner makes it shared."""
        if game.shared or game.player_id == player_id:
            return game
        store.mark_shared(conn, game.id)
        return replace(game, shared=True)

    @staticmethod
    def _check_owner(game: Game, player_id: str) -> None:
        if game.player_id != player_id:
            raise errors.NotOwner

    @staticmethod
    def _check_help(game: Game) -> None:
        if game.ended:
            raise errors.GameOver(game)
        if game.help_off:
            raise errors.HelpIsOff(game)

    def was_told(self, conn: Connection, game: Game, kind: str) -> bool:
        """Whether that was noted at the game's present ply."""
        return store.is_marked(conn, game.id, game.ply, kind)

    def _announce(self, conn: Connection, game: Game, by: str | None = None) -> None:
        """Tells the listeners: of an end now, of the change once it is on the disk."""
        if game.held:
            for on_held in self.on_held:
                on_held(conn, game)
        elif game.ended:
            self._announce_end(conn, game)
        changed = Changed(game.id, game.ply, game.status, game.live, game.number, by)
        for on_change in self.on_change:
            self._db.after_commit(conn, on_change, changed)

    def _announce_end(self, conn: Connection, game: Game) -> None:
        for on_end in self.on_end:
            on_end(conn, game)
