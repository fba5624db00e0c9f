"""Spider's solver: beams that start anew and grow, and beside them the search that can say no.

Beams find nearly every win; only the exhaustive search proves that there is none. So the two take turns,
each with about as many nodes, after one quick beam and one look for a position that is blocked.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import count

from app.patience.building import RUN
from app.patience.patience import Patience
from app.patience.position import Position
from app.patience.spider import Spider
from app.solver.encode import Move, Start, encode, move_text, text_moves
from app.solver.meter import Budget, Meter
from app.solver.spider_beam import Attempt, Room, attempt
from app.solver.spider_bound import lower_bound as least_moves
from app.solver.spider_proof import Exhaustion
from app.solver.spider_short import shorter_lines
from app.solver.spider_weights import Taste, weights

FIRST_WIDTH = 40
GROWTH = 1.4
#: once they have grown to the first, beams take any width of these: more beams find more than wider ones
WIDE = (1_500, 9_000)
#: every other beam cares so much less for cards face down, and for spaces: what resists the usual weights
#: gives way to these
LESS_DOWN = (0.25, 0.8)
LESS_SPACE = (0.0, 1.0)
#: positions that the exhaustive search looks at before the second beam, and what it may do for each node of
#: the beams after that, as long as it has room; by the rows left: with a long way to go the positions are
#: too many for it. One of its positions takes as long as some twenty of a beam.
FIRST_LOOKS = (600, 600, 300, 50)
SHARES = (0.03, 0.02, 0.01, 0.002)

Line = tuple[str, ...]


def search(patience: Patience, position: Position, budget: Budget, meter: Meter) -> Line | str | None:
    """A winning line, why there is none, or None when the meter ran out."""
    rules, position, collected = _begin(patience, position)
    start = _encoded(rules, position)
    rows = min(len(start.rows), len(SHARES) - 1)
    proof: Exhaustion | None = Exhaustion(start) if rules.collects_at_once else None
    if proof and proof.is_over:
        return proof.reason
    for turn, how in enumerate(_attempts(budget.seed)):
        before = meter.nodes
        moves = attempt(start, how, meter, _rooms())
        if moves is None and proof and not proof.is_over:
            share = FIRST_LOOKS[rows] if turn == 0 else int(SHARES[rows] * (meter.nodes - before))
            moves = proof.go_on(share, meter)
            if proof.is_unsolvable:
                return proof.reason
        if moves is not None:
            return collected + _texts(rules, position, moves)
        if meter.out_of:
            return None
        meter.spend(1)  # an attempt that had nothing to do counts too, or a budget of nodes might never end
    return None


def _attempts(seed: int) -> Iterator[Attempt]:
    """Beams without end, ever wider at first, each with weights of its own."""
    draw, width, taste = random.Random(seed), float(FIRST_WIDTH), Taste()
    for turn in count():
        wide = int(width) if width < WIDE[0] else draw.randrange(*WIDE)
        yield Attempt(wide, weights(taste), seed=draw.getrandbits(32))
        width *= GROWTH
        taste = Taste().jittered(draw)
        if turn % 2 == 0:
            taste = replace(
                taste,
                down=taste.down * draw.uniform(*LESS_DOWN),
                first_space=taste.first_space * draw.uniform(*LESS_SPACE),
                more_spaces=taste.more_spaces * draw.uniform(*LESS_SPACE),
            )


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
    """The arrays of the last width used, kept from one call to the next."""
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
