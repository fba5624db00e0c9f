"""Positions drawn as small text tableaux, and games to play with."""

import json
import random
from pathlib import Path
from typing import Any

from app.cards.card import cards, names
from app.patience.building import RUN
from app.patience.patience import Patience
from app.patience.position import Pile, Position
from app.patience.spider import Spider

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str) -> Any:
    """A golden file's content."""
    return json.loads((GOLDEN / name).read_text())


def spider(drawing: str) -> Position:
    """A Spider position from a drawing: a line a pile, bottom to end, face-down cards in brackets.

        1: [KS 4H] 7S 6S
        3: QD
        stock: 2S 3S
        collected: S H

    Columns that are not drawn are spaces. The pack need not be whole.
    """
    piles = [Pile() for _ in range(12)]
    for line in filter(None, map(str.strip, drawing.splitlines())):
        name, _, rest = line.partition(":")
        if name == "collected":
            piles[11] = Pile(
                cards(" ".join(f"{rank}{suit}" for suit in rest.split() for rank in "KQJT98765432A"))
            )
            continue
        down, bracket, up = rest.replace("[", "").rpartition("]")
        hidden = cards(down) if bracket else ()
        if name == "stock":
            stock = cards(rest)
            piles[10] = Pile(stock, len(stock))
        else:
            piles[int(name) - 1] = Pile(hidden + cards(up), len(hidden))
    return Position(tuple(piles))


def drawn(position: Position) -> str:
    """The drawing of a Spider position, the other way round from ``spider``."""
    lines = []
    for number, pile in enumerate(position.piles[:10], 1):
        if pile.cards:
            down = f"[{' '.join(names(pile.cards[: pile.face_down]))}] " if pile.face_down else ""
            lines.append(f"{number}: {down}{' '.join(names(pile.face_up))}")
    if position.piles[10].cards:
        lines.append(f"stock: {' '.join(names(position.piles[10].cards))}")
    if position.piles[11].cards:
        lines.append(f"collected: {' '.join(c.suit for c in position.piles[11].cards[::RUN])}")
    return "\n".join(lines)


def same(position: Position, drawing: str) -> bool:
    """Whether a position is the one drawn; shows both when it is not."""
    wanted = drawn(spider(drawing))
    assert drawn(position) == wanted
    return True


def random_line(patience: Patience, start: Position, rng: random.Random, plies: int) -> list[str]:
    """Up to so many random legal moves from an opening."""
    position, line = start, []
    for _ in range(plies):
        moves = patience.legal_moves(position)
        if not moves or patience.outcome(position).status == "won":
            break
        line.append(rng.choice(moves))
        position = patience.play(position, line[-1]).position
    return line


SPIDER4 = Spider(4)
