"""Counting lines: one tree by the rules and by the kernel, so that a difference shows."""

from typing import TypeGuard

from app.patience.deals import Deal
from app.patience.patience import Patience
from app.patience.position import Position
from app.patience.spider import Spider


def by_rules(patience: Patience, position: Position, depth: int) -> int:
    """How many sequences of `depth` legal moves `patience` allows from a position."""
    if depth == 0:
        return 1
    moves = patience.legal_moves(position)
    if depth == 1:
        return len(moves)
    return sum(by_rules(patience, patience.play(position, move).position, depth - 1) for move in moves)


def has_kernel(patience: Patience) -> TypeGuard[Spider]:
    """Whether its rules are compiled too: those of Spider that collects at once are."""
    return isinstance(patience, Spider) and patience.collects_at_once


def by_kernel(deal: Deal, depth: int) -> int:
    """The same by the compiled rules, of a patience that has them."""
    from app.solver.encode import encode
    from app.solver.spider_proof_kernel import perft

    rules = deal.patience
    assert has_kernel(rules)
    start = encode(deal.start, onto_spaces=rules.rows_onto_spaces)
    return int(perft(start.cards, start.ends, start.down, 0, start.rows, start.onto_spaces, depth))
