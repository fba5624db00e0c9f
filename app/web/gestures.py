"""What a move's text means to the hand that plays it: which pile is picked, and where it is put.

The texts are those of docs/moves.md: ``4-7x2`` and ``12-11`` go from place to place, ``21+28`` takes two
cards together, ``7`` takes one by itself, and a word (``deal``) is a tap on the stock.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_MOVE = re.compile(r"([a-z0-9]+?)(?:([-+])([a-z0-9]+?)(?:x([0-9]+))?)?")
_PICK = re.compile(r"([a-z0-9]+?)x([0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class Gesture:
    """A move taken apart: ``join`` is ``-`` (onto), ``+`` (together with) or empty (by itself)."""

    source: str
    join: str = ""
    target: str = ""
    count: int = 1


def read(move: str) -> Gesture:
    """A move as a gesture. A word reads as a place that no pile has."""
    found = _MOVE.fullmatch(move.lower())
    if not found:
        return Gesture(move)
    source, join, target, count = found.groups()
    return Gesture(source, join or "", target or "", int(count or 1))


def targets(name: str, count: int, legal: Iterable[str]) -> Mapping[str, str]:
    """The places where the last ``count`` cards of a place may go, each with its move; a card that goes
    by itself has its own place for a target."""
    moves = {}
    for move in legal:
        one = read(move)
        if one.join == "+" and count == 1 and one.target == name:
            moves[one.source] = move
        elif one.source == name and one.count == count:
            moves[one.target or name] = move
    return moves


def pick(text: str) -> tuple[str, int] | None:
    """What ``4x2`` picks up: a place and how many cards of its end."""
    found = _PICK.fullmatch(text.lower())
    return (found[1], int(found[2])) if found else None
