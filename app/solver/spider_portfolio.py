"""Which beam to try next: with other weights, ever wider, and often from where earlier ones have come.

How good the pool after the last row looks, to one fixed taste, tells a good deal about the chances. Of the
beams tried on a position, a third of the best fifth by their pools go on to win, and one in twenty-five of
the worst. (Within a single pool it tells next to nothing.) So the pools of all beams are kept, and most beams
begin with one of the best, in any stage; each try with a pool makes it count for less.
"""

import random
from collections.abc import Iterator
from itertools import count

from app.solver.spider_beam import MORE_TURNED, Attempt, Pool
from app.solver.spider_weights import FIRST_LINE, weights

#: the quick first beam solves most deals; the others take turns
FIRST_WIDTH, WIDTHS = 40, (300, 150)
#: all are twice as wide after so many beams, but no wider than
DOUBLED_AFTER, WIDEST = 64, 9_000
#: so many begin at the start, and later so large a share
FIRST_ANEW, ANEW = 4, 0.3
#: how many of those that begin with a pool take one from after the last row, with cards turned up there
FAR_ON = 0.5
#: what a pool counts less for each beam that began with it, and how many are kept of each stage
TRIED, KEPT = 150, 30


class Portfolio:
    """The beams for a position, one after another, without end. The same seed gives the same beams."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._judge = weights(FIRST_LINE)
        self._pools: dict[int, list[_Kept]] = {}  # that began a stage, by the rows left
        self._far_on: dict[int, list[_Kept]] = {}  # with cards turned up after the last row, by how many

    def keep(self, pool: Pool) -> None:
        """Take in what a beam had on its way."""
        if pool.turned:
            pools = self._far_on.setdefault(pool.turned // MORE_TURNED, [])
        else:
            pools = self._pools.setdefault(pool.rows_left, [])
        pools.append(_Kept(pool, pool.worth(self._judge)))
        pools.sort(key=lambda kept: -kept.worth)
        del pools[KEPT:]

    def beams(self) -> Iterator[tuple[Attempt, Pool | None]]:
        """How to run each, and the pool to begin with."""
        draw = self._draw
        yield Attempt(FIRST_WIDTH, self._judge, draw.getrandbits(32)), None
        for turn in count(1):
            width = min(WIDTHS[turn % 2] << turn // DOUBLED_AFTER, WIDEST)
            begin = self._choose() if turn >= FIRST_ANEW and draw.random() > ANEW else None
            yield Attempt(width, weights(FIRST_LINE.jittered(draw), draw), draw.getrandbits(32)), begin

    def _choose(self) -> Pool | None:
        is_far_on = bool(self._far_on) and (not self._pools or self._draw.random() < FAR_ON)
        stages = self._far_on if is_far_on else self._pools
        if not stages:
            return None
        pools = self._draw.choice(list(stages.values()))
        best = max(pools, key=lambda kept: kept.worth)
        best.worth -= TRIED
        return best.pool


class _Kept:
    """A pool, and what it counts for now."""

    def __init__(self, pool: Pool, worth: int) -> None:
        self.pool, self.worth = pool, worth
