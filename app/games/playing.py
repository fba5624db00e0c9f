"""What an entry makes of a game: pure, but for the log, which is read where an entry needs it."""

from collections.abc import Callable
from dataclasses import replace

from app.games import errors
from app.games.game import PAUSE_CAP, Game, Ply
from app.patience.errors import IllegalMove
from app.patience.patience import Event, Patience
from app.patience.position import Position
from app.patience.replay import META, REDO, RESTART, UNDO, Line, position_after
from app.patience.scoring import score


def played(game: Game, text: str, now: int, line: Callable[[], Line]) -> tuple[Game, tuple[Event, ...]]:
    """The game after an entry at ``now`` (ms), and what happened; ``line`` reads the line of its log.

    Raises ``IllegalMove`` or ``NothingTo...``.
    """
    patience, steps, undone = game.patience, game.steps + 1, 0
    events: tuple[Event, ...] = ()
    if text == UNDO:
        if not game.can_undo:
            raise errors.NothingToUndo(game)
        position = position_after(patience, game.start, line().steps[:-1])
        steps, undone = game.steps - 1, game.undone + 1
    elif text == REDO:
        if not game.can_redo:
            raise errors.NothingToRedo(game)
        position, events = _step(patience, game, line().undone[-1])
        undone = game.undone - 1
    elif text == RESTART and not game.can_restart:
        raise errors.NothingToRestart(game)
    else:
        position, events = _step(patience, game, text)
    ply = Ply(game.ply + 1)
    outcome = patience.outcome(position)
    at = max(now, game.last_at)
    counted = 0 if game.first_at is None else ranked_pause(game.last_at, at)
    after = replace(
        game,
        position=position,
        ply=ply,
        status=outcome.status,
        reason=outcome.reason,
        score=score(game.scoring, patience, game.start, position, ply),
        steps=steps,
        undone=undone,
        undos=game.undos + (text in META),
        first_at=at if game.first_at is None else game.first_at,
        last_at=at,
        ended_at=at if outcome.status == "won" else None,
        ranked_ms=game.ranked_ms + counted,
    )
    return after, events


def ranked_pause(last_at: int, at: int) -> int:
    """How much of the time between two entries counts, in milliseconds."""
    return min(max(at - last_at, 0), PAUSE_CAP)


def _step(patience: Patience, game: Game, step: str) -> tuple[Position, tuple[Event, ...]]:
    """One more step of the line."""
    if step == RESTART:
        return game.start, ()
    try:
        done = patience.play(game.position, step)
    except IllegalMove as error:
        raise errors.IllegalMove(game, error.reason, error.facts) from None
    return done.position, done.events
