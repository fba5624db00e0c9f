"""Spider's solver: beams without end, and beside them the search that can say no.

Beams find nearly every win; only the exhaustive search proves that there is none. So it gets a share of the
time (`SHARES`), after one quick beam and a first look for a position that is blocked.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from app.patience.building import RUN
from app.patience.patience import Patience
from app.patience.position import Position
from app.patience.spider import Spider
from app.solver.encode import Move, Start, encode, move_text, text_moves
from app.solver.meter import Budget, Meter
from app.solver.spider_beam import Room, attempt
from app.solver.spider_bound import lower_bound as least_moves
from app.solver.spider_portfolio import Portfolio
from app.solver.spider_proof import Exhaustion
from app.solver.spider_short import shorter_lines

#: work of the exhaustive search after the first beam, and for each position of the beams after that; by the
#: rows left, for with a long way to go the positions are too many for it
FIRST_WORK = (20_000, 10_000, 5_000, 1_000)
SHARES = (0.8, 0.05, 0.02, 0.005)
#: the same once the beams have looked at so many positions in vain, and where it is promising
IN_VAIN, SHARES_IN_VAIN = 5_000_000, (2.0, 1.0, 0.3, 0.05)
SHARE_PROMISING = 2.0

Line = tuple[str, ...]


def search(patience: Patience, position: Position, budget: Budget, meter: Meter) -> Line | str | None:
    """A winning line, why there is none, or None when the meter ran out."""
    rules, position, collected = _begin(patience, position)
    start = _encoded(rules, position)
    rows = min(len(start.rows), len(SHARES) - 1)
    proof: Exhaustion | None = Exhaustion(start) if rules.collects_at_once else None
    if proof and proof.is_over:
        return proof.reason
    portfolio = Portfolio(budget.seed)
    for turn, (how, begin) in enumerate(portfolio.beams()):
        before = meter.nodes
        moves = attempt(start, how, meter, _rooms(), begin, portfolio.keep)
        if moves is None and proof and not proof.is_over:
            work = FIRST_WORK[rows] if turn == 0 else int(_share(proof, rows, meter) * (meter.nodes - before))
            moves = proof.go_on(work, meter)
            if proof.is_unsolvable:
                return proof.reason
        if moves is not None:
            return collected + _texts(rules, position, moves)
        if meter.out_of:
            return None
        meter.spend(1)  # an attempt that had nothing to do counts too, or a budget of nodes might never end
    return None


def _share(proof: Exhaustion, rows: int, meter: Meter) -> float:
    if proof.is_promising:
        return SHARE_PROMISING
    return (SHARES_IN_VAIN if meter.nodes > IN_VAIN else SHARES)[rows]


def shorten(
    patience: Patience, position: Position, budget: Budget, meter: Meter, known: Line | None
) -> Iterator[Line]:
    """A first line (unless one is known), and then ever shorter ones."""
    ours = known is None
    if known is None:
        found = search(patience, position, budget, meter)
        if not isinstance(found, tuple):
            return
        yield found
        known = found
    least = lower_bound(patience, position)
    rules, position, collected = _begin(patience, position)
    # Where runs are collected by hand, each costs an entry of its own, in every line alike.
    by_hand = 0 if rules.collects_at_once else _runs_left(rules, position) + len(collected)
    longest = len(known) - 1 - by_hand
    start = _encoded(rules, position)
    # A player may leave a run where it is and use it; a kernel cannot.
    playable = text_moves(known) if ours or rules.collects_at_once else None
    for moves in shorter_lines(start, meter, _rooms(), budget.seed, longest, playable):
        yield collected + _texts(rules, position, moves)
        if len(moves) + by_hand <= least:
            return


def lower_bound(patience: Patience, position: Position) -> int:
    """Entries of a log that every win from here has at least (`spider_bound`)."""
    rules, _, _ = _begin(patience, position)
    by_hand = 0 if rules.collects_at_once else _runs_left(rules, position)
    return least_moves(position) + by_hand


def warm() -> None:
    """Compile or load every kernel."""
    from app.patience.deals import seed_deal

    patience = Spider(4)
    opening = seed_deal(patience, 1).start
    search(patience, opening, Budget(None, nodes=100), Meter(Budget(None, nodes=100)))
    proof = Exhaustion(encode(opening))
    proof.go_on(3_000, Meter(Budget(None)))


@cache
def _rooms() -> dict[int, Room]:
    """The arrays of the last widths used, kept from one call to the next."""
    return {}


def _runs_left(rules: Spider, position: Position) -> int:
    return rules.cards // RUN - rules.progress(position)


def _begin(patience: Patience, position: Position) -> tuple[Spider, Position, Line]:
    """The rules; and, where runs are collected by hand, the position once all complete ones are."""
    assert isinstance(patience, Spider)
    collected: list[str] = []
    if not patience.collects_at_once:
        position = _collect(patience, position, collected)
    return patience, position, tuple(collected)


def _encoded(rules: Spider, position: Position) -> Start:
    return encode(position, onto_spaces=rules.rows_onto_spaces)


def _texts(rules: Spider, position: Position, moves: Sequence[Move]) -> Line:
    """Moves in the words of a log; where runs are collected by hand, with `collect-N` at once."""
    if rules.collects_at_once:
        return tuple(move_text(move) for move in moves)
    line: list[str] = []
    for move in moves:
        line.append(move_text(move))
        position = _collect(rules, rules.play(position, line[-1]).position, line)
    return tuple(line)


def _collect(rules: Spider, position: Position, line: list[str]) -> Position:
    """Collect every complete run by hand, noting the moves."""
    while collecting := [move for move in rules.legal_moves(position) if move.startswith("collect")]:
        line.append(collecting[0])
        position = rules.play(position, collecting[0]).position
    return position
