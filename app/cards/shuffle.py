"""The shuffle: from a 64-bit seed to an order of cards, for ever the same (docs/deals.md).

The generator is SHA-256 in counter mode. A seed cannot be worked out from the cards that a player sees,
short of trying all 2**64, and every language can write it again in a few lines.
"""

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

VERSION = 1
SEED_BITS = 64
_WORD = 1 << 64


def fresh_seed() -> int:
    """A new seed from the system's random source, 0 to 2**64 - 1."""
    return secrets.randbits(SEED_BITS)


def words(seed: int, domain: str = "spindel-shuffle-1") -> Iterator[int]:
    """The endless stream of 64-bit words of a seed: four big-endian words a block."""
    prefix = domain.encode("ascii") + seed.to_bytes(8, "big")
    counter = 0
    while True:
        block = hashlib.sha256(prefix + counter.to_bytes(8, "big")).digest()
        for start in range(0, 32, 8):
            yield int.from_bytes(block[start : start + 8], "big")
        counter += 1


def below(bound: int, stream: Iterator[int]) -> int:
    """The next number of the stream that is uniform over 0 … bound - 1.

    Words of the last, incomplete block of ``bound`` numbers are passed over, so no number is favoured.
    """
    limit = _WORD - _WORD % bound
    word = next(stream)
    while word >= limit:
        word = next(stream)
    return word % bound


def shuffle(
    items: Sequence[T], seed: int, version: int = VERSION, domain: str | None = None
) -> tuple[T, ...]:
    """The items in the order of a seed (Fisher and Yates, from the last place down to the second).

    ``domain`` names another stream of the same seed, for a second shuffle within one deal.
    Raises ``ValueError`` for a seed out of range or a version that this program does not know.
    """
    if not 0 <= seed < _WORD:
        raise ValueError("a seed is a number from 0 to 2**64 - 1")
    if version != VERSION:
        raise ValueError(f"shuffle version {version} is not known")
    stream = words(seed, domain) if domain else words(seed)
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = below(last + 1, stream)
        order[last], order[other] = order[other], order[last]
    return tuple(order)
