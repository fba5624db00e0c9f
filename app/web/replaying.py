"""A finished game, step by step."""

from dataclasses import dataclass
from functools import lru_cache

from app.games.game import Game, deal_of
from app.patience.position import Position
from app.patience.replay import frames
from app.patience.scoring import score
from app.web.words import Figure, figures

KEPT = 64  # games whose positions are remembered


@dataclass(frozen=True, slots=True)
class Step:
    """Where a replay stands. ``entry`` led here; ``score`` and ``figures`` as they were then.

    ``by``: who played it, in a game that several have played.
    """

    game: str
    ply: int
    last: int
    entry: str
    score: int
    figures: tuple[Figure, ...]
    by: str = ""


@lru_cache(maxsize=KEPT)
def positions(code: str, texts: tuple[str, ...]) -> tuple[Position, ...]:
    """The position after each entry of a log, the opening first."""
    deal = deal_of(code)
    return tuple(frame.position for frame in frames(deal.patience, deal.start, texts))


def position_at(code: str, texts: tuple[str, ...], ply: int) -> Position:
    return positions(code, texts)[ply]


def replay_of(game: Game, texts: tuple[str, ...], ply: int, by: str = "") -> Step:
    """What is shown beside the cards at a ply."""
    position = position_at(game.code, texts, ply)
    return Step(
        game=game.id,
        ply=ply,
        last=len(texts),
        entry=texts[ply - 1] if ply else "",
        score=score(game.scoring, game.patience, game.start, position, ply),
        figures=figures(game.patience, position),
        by=by,
    )
