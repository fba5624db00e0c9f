"""What a solver process answers."""

from app.analysis.canonical import canonical
from app.analysis.verdict import Verdict
from app.analysis.work import as_json, from_json, perform
from app.patience.position import Position, encode
from tests.analysis.stand_in import StandIn
from tests.analysis.tables import SPIDER1, TWO_MOVES

WANDERING = ("4-3x1", "3-4x1", "4-3x1", "3-2x2", "2-1x6")


def solved(position: Position, line: tuple[str, ...]) -> tuple[str, Verdict]:
    one = canonical(SPIDER1, position)
    return one.key, Verdict("solved", line=one.to_canonical(line))


def test_of_the_last_ply_that_could_be_won_the_best_line_put_together_is_kept() -> None:
    later = SPIDER1.play(TWO_MOVES, "3-4x1").position
    known = dict([solved(TWO_MOVES, ("3-2x2", "2-1x6")), solved(later, WANDERING)])
    task = {
        "do": "game",
        "prefix": "spider1",
        "position": encode(TWO_MOVES),
        "entries": ["3-4x1"],
        "budget_ms": 1_000,
        "known": {key: as_json(one) for key, one in known.items()},
        "spent_ms": 0,
        "tried": 0,
    }
    *_, last = perform(StandIn(), task, lambda: False)
    assert last["done"]
    (found,) = last["found"]
    assert found["key"] == canonical(SPIDER1, later).key
    assert len(from_json(found["verdict"]).line or ()) == 3
