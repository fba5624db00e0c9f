"""Blocked positions of Spider, compiled: those in which no column can ever become empty."""

from typing import Any

from app.solver.compiled import bare
from app.solver.spider_kernel import COLUMNS, ONE, RUN, ZERO, U

#: a bit for each card of a suit from ace to queen, the suit's first at bit 1
ALL_BELOW_KING = U((1 << RUN) - 2)


@bare
def bit(n: Any) -> Any:
    return ONE << U(n)


@bare
def no_space_ever(cards: Any, ends: Any, rows: Any, dealt: int, tip: Any) -> bool:  # noqa: C901
    """Whether no column can ever become empty, so that the game is lost (a win empties them all). `tip` is to
    write on, (10,) int64.

    The argument is by time. Say that a rank is *open* once some card of it has been at the end of a column.
    Cards leave the place where they lie now only (a) as the head of a run moved onto a card one rank
    higher, which is at the end of a column at that moment, so its rank is open by then, (b) as the head, a
    king, of a run collected, or (c) into a space, before which some column must have become empty. For (a)
    and (b) all that lies on the head and is not of its run has left before. A card becomes the end of a
    column either because the card that lies on it now has left, or it was an end before something was put
    on it, or it came with a row. So, from the ends of now and the cards of the rows to come, let whole runs
    at columns' ends leave while their head's next rank is open, opening in turn the rank of the card
    beneath, until nothing changes: whatever really happens before the first space happens here too. A run
    of a suit can be collected only if for each rank below the king some card of it lies in suit already, or
    may leave while one that it belongs on has been an end.

    What is let go here is a matter of ranks only, and each target serves any number of times: much that
    passes this test is lost, but nothing that fails it can be won.
    """
    ranks, opened, free, paired = ZERO, ZERO, ZERO, ZERO  # a bit for each rank, or each card
    for k in range(dealt, rows.shape[0]):
        for j in range(COLUMNS):
            ranks |= bit(rows[k, j] & 15)
            opened |= bit(rows[k, j])
    free = opened
    start = 0
    for j in range(COLUMNS):
        end = int(ends[j])
        if end == start:
            return False
        tip[j] = end
        ranks |= bit(cards[end - 1] & 15)
        opened |= bit(cards[end - 1])
        for p in range(start, end - 1):
            if cards[p] == cards[p + 1] + 1:
                paired |= bit(cards[p + 1])
        start = end
    changed = True
    while changed:
        changed = False
        start = 0
        for j in range(COLUMNS):
            low = start
            start = int(ends[j])
            while True:
                # the run at the tip, whatever of it is face down: in suit it need not be taken apart
                head = tip[j] - 1
                while head > low and cards[head - 1] == cards[head] + 1:
                    head -= 1
                c = cards[head]
                rank = int(c & 15)
                if rank < RUN:
                    if not ranks & bit(rank + 1):
                        break
                # A king leaves with a run: each card below is in place already, or can be put there.
                elif ~(paired | (free & (opened >> ONE))) & (ALL_BELOW_KING << U(c - RUN)):
                    break
                free |= bit(c)
                changed = True
                if head == low:
                    return False
                tip[j] = head
                ranks |= bit(cards[head - 1] & 15)
                opened |= bit(cards[head - 1])
    return True
