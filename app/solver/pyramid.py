"""Pyramid's solver: every position that matters is looked at, so its verdicts are exact.

The search is in `pyramid_kernel`; here a position is put into its terms, and a line back into moves.
"""

from collections.abc import Iterator

import numpy as np

from app.cards.card import KING
from app.patience.patience import Patience
from app.patience.position import Position
from app.patience.pyramid import DRAW, PLACES, REDEAL, STOCK, WASTE, Pyramid, is_free, pass_of
from app.solver.meter import Budget, Meter

EXHAUSTED = "exhausted"
FIRST_ROOM = 1 << 18
MOST_ROOM = 1 << 25
CHUNK = 20_000
#: more passes than this never help: a pass in which nothing goes is not needed, and 28 cards can go
ENOUGH_PASSES = PLACES + 1
Line = tuple[str, ...]


def search(patience: Patience, position: Position, _budget: Budget, meter: Meter) -> Line | str | None:
    """A winning line, why there is none, or None when the meter ran out."""
    from app.solver import pyramid_kernel as kernel

    assert isinstance(patience, Pyramid)
    ranks = np.array([pile.cards[0].rank if pile.cards else 0 for pile in position.piles[:PLACES]], np.int64)
    waste, stock = position.piles[WASTE].cards, position.piles[STOCK].cards
    drawn = [c.rank for c in waste if c.rank != KING]
    stock_ranks = np.array([*drawn, *(c.rank for c in stock if c.rank != KING)], np.int64)
    covered = patience.covered_pairs and not patience.upper_face_down
    apart = kernel.APART_COVERED if covered else kernel.APART
    passes = ENOUGH_PASSES if patience.passes is None else patience.passes - pass_of(position) + 1

    there = sum(1 << place for place in range(PLACES) if position.piles[place].cards)
    pyramid, everything = int(kernel.without_kings(there, ranks)), (1 << len(stock_ranks)) - 1
    if not all(
        kernel.has_partners(rank, pyramid, everything, ranks, stock_ranks, apart) for rank in range(1, 7)
    ):
        return EXHAUSTED
    keys, times = kernel.room(FIRST_ROOM)
    stack = np.zeros((1 << 16, 5), np.int64)
    path, state = np.zeros(PLACES + 1, np.int64), np.zeros(4, np.int64)
    kernel.push(
        pyramid, everything, len(drawn), 0, 0, 1, ranks, stock_ranks, apart, keys, times, stack, state
    )
    while True:
        before = int(state[3])
        answer = kernel.search(
            CHUNK, passes, covered, ranks, stock_ranks, apart, keys, times, stack, state, path
        )
        meter.spend(int(state[3]) - before)
        if answer == kernel.WON:
            return _moves(patience, position, [int(move) for move in path[: state[2]]])
        if answer == kernel.EXHAUSTED:
            return EXHAUSTED
        if answer == kernel.FULL:
            if len(keys) >= MOST_ROOM:
                return None
            keys, times = kernel.grown(keys, times)
            stack = np.concatenate([stack, np.zeros_like(stack)])
        if meter.out_of:
            return None


def shorten(
    patience: Patience, position: Position, budget: Budget, meter: Meter, known: Line | None
) -> Iterator[Line]:
    """The line of `search`, if it is shorter than the known one: no other is looked for."""
    line = search(patience, position, budget, meter)
    if isinstance(line, tuple) and (known is None or len(line) < len(known)):
        yield line


def lower_bound(_patience: Patience, position: Position) -> int:
    """Every king of the pyramid takes a move, every two of its other cards at least one."""
    ranks = [pile.cards[0].rank for pile in position.piles[:PLACES] if pile.cards]
    kings = ranks.count(KING)
    return kings + (len(ranks) - kings + 1) // 2


def warm() -> None:
    """Compile the kernel, or load it."""
    from app.patience.deals import seed_deal

    rules = Pyramid()
    search(rules, seed_deal(rules, 1).start, Budget(None), Meter(Budget(None)))


def _moves(rules: Pyramid, position: Position, found: list[int]) -> Line:
    """The kernel's moves as texts, with the draws, redeals and kings between them."""
    game = _Game(rules, position)
    for move in found:
        place, other, index = move % 32, move // 32 % 32 - 1, move // 1024 - 1
        if index < 0:
            game.play(rules.parse(f"{place + 1}+{other + 1}"))
            continue
        while game.waste[-1:] != [index]:
            game.play(DRAW if game.stock else REDEAL)
        game.play(f"{place + 1}+w")
    return tuple(game.line)


class _Game:
    """A game played on, with the kernel's number of each card of stock and waste (None for a king).

    Kings go as soon as they can, as the kernel thinks.
    """

    def __init__(self, rules: Pyramid, position: Position) -> None:
        self.rules, self.position = rules, position
        self.line: list[str] = []
        numbers = iter(range(52))
        drawn, stock = position.piles[WASTE].cards, position.piles[STOCK].cards
        self.waste = [None if c.rank == KING else next(numbers) for c in drawn]
        self.stock = [None if c.rank == KING else next(numbers) for c in stock]
        self._let_kings_go()

    def play(self, move: str) -> None:
        self._play(move)
        self._let_kings_go()

    def _play(self, move: str) -> None:
        self.position = self.rules.play(self.position, move).position
        self.line.append(move)
        if move == DRAW:
            self.waste.append(self.stock.pop(0))
        elif move == REDEAL:
            self.waste, self.stock = [], self.waste
        elif move.endswith("w"):
            self.waste.pop()

    def _let_kings_go(self) -> None:
        for place in reversed(range(PLACES)):
            if is_free(self.position, place) and self.position.piles[place].cards[0].rank == KING:
                self._play(str(place + 1))
        while self.waste and self.waste[-1] is None and self.rules.outcome(self.position).status == "playing":
            self._play("w")
