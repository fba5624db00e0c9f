"""Counting lines: one tree by the rules and by the kernel, so that a difference shows."""

from app.patience.deals import Deal
from app.patience.patience import Patience
from app.patience.position import Position


def by_rules(patience: Patience, position: Position, depth: int) -> int:
    """How many sequences of `depth` legal moves `patience` allows from a position."""
    if depth == 0:
        return 1
    moves = patience.legal_moves(position)
    if depth == 1:
        return len(moves)
    return sum(by_rules(patience, patience.play(position, move).position, depth - 1) for move in moves)


def by_kernel(deal: Deal, depth: int) -> int:
    """The same from the deal of a Spider that collects at once, by the compiled rules."""
    from app.patience.spider import Spider
    from app.solver.encode import encode
    from app.solver.spider_proof_kernel import perft

    rules = deal.patience
    if not isinstance(rules, Spider) or not rules.collects_at_once:
        raise ValueError("the kernel knows Spider that collects at once")
    start = encode(deal.start, onto_spaces=rules.rows_onto_spaces)
    return int(perft(start.cards, start.ends, start.down, 0, start.rows, start.onto_spaces, depth))
