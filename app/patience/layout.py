"""Layout documents: a position's cards as lists of names, read with care."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from app.cards.card import CARDS, SUITS, Card, card, names
from app.cards.deck import SUITS_OF
from app.patience.errors import BadLayout
from app.patience.position import Pile

Columns = tuple[Pile, ...]
Memory = Mapping[str, tuple[int, ...]]
MEMORY = "memory"
_MOST = 1 << 64
_HOW_MANY = {7: "seven_columns", 10: "ten_columns"}


def write(columns: Sequence[Pile], **others: Pile) -> dict[str, Any]:
    """The document of some columns and of other piles by name."""
    return {
        "columns": [names(pile.cards) for pile in columns],
        "face_down": [pile.face_down for pile in columns],
        **{name: names(pile.cards) for name, pile in others.items()},
    }


def read(
    document: object, columns: int, most: int, others: tuple[str, ...], ends_up: bool = True
) -> tuple[Columns, Mapping[str, tuple[Card, ...]]]:
    """The columns and the other piles of a document, their form checked; no list has over ``most`` cards.

    ``ends_up``: the end of a column always lies face up. Raises ``BadLayout``.
    """
    if not isinstance(document, dict) or set(document) != {"columns", "face_down", *others}:
        raise BadLayout("layout_keys")
    texts, face_down = document["columns"], document["face_down"]
    if not isinstance(texts, list) or not isinstance(face_down, list):
        raise BadLayout("layout_types")
    if len(texts) != columns or len(face_down) != columns:
        raise BadLayout(_HOW_MANY.get(columns, "columns_count"))
    there = [read_cards(column, most) for column in texts]
    for number, (column, down) in enumerate(zip(there, face_down, strict=True), 1):
        if type(down) is not int or not 0 <= down <= max(0, len(column) - ends_up):
            raise BadLayout("face_down_count", column=number)
    piles = tuple(Pile(column, down) for column, down in zip(there, face_down, strict=True))
    return piles, {name: read_cards(document[name], most) for name in others}


def read_memory(document: object, names: Mapping[str, int]) -> tuple[object, Memory]:
    """A document without its ``memory``, and what that says: so many whole numbers, below 2**64, by each
    name. A document that has none says nothing. Raises ``BadLayout``.

    In a document a name with one number has the number, another a list of them.
    """
    if not names or not isinstance(document, dict) or MEMORY not in document:
        return document, {}
    told = document[MEMORY]
    if not isinstance(told, dict) or set(told) != set(names):
        raise BadLayout("layout_memory")
    numbers = {name: tuple(some) if isinstance(some, list) else (some,) for name, some in told.items()}
    for name, count in names.items():
        whole = all(type(number) is int and 0 <= number < _MOST for number in numbers[name])
        if len(numbers[name]) != count or not whole or isinstance(told[name], list) != (count > 1):
            raise BadLayout("layout_memory")
    return {part: some for part, some in document.items() if part != MEMORY}, numbers


def write_memory(memory: Memory) -> dict[str, Any]:
    """The part of a document that ``read_memory`` reads."""
    return {MEMORY: {name: some[0] if len(some) == 1 else list(some) for name, some in memory.items()}}


def read_cards(texts: object, most: int) -> tuple[Card, ...]:
    """The cards of a list of names. Raises ``BadLayout``."""
    if not isinstance(texts, list) or len(texts) > most:
        raise BadLayout("layout_types")
    try:
        return tuple(card(text) for text in texts)
    except ValueError:
        raise BadLayout("not_a_card") from None


def collected(there: Counter[Card], suits: int, runs: int) -> tuple[Card, ...]:
    """The runs missing from a table where ``runs`` in ``suits`` suits are in play, each king to ace.

    Raises ``BadLayout`` if not whole runs are missing.
    """
    present = {c.suit for c in there}
    if len(present) > suits:
        raise BadLayout("too_many_suits")
    usual = [suit for suit in dict.fromkeys(SUITS_OF[suits] + SUITS) if suit not in present]
    gone: list[Card] = []
    for suit in [*sorted(present, key=SUITS.index), *usual][:suits]:
        run = [CARDS[rank + suit] for rank in "KQJT98765432A"]
        missing = {runs // suits - there[c] for c in run}
        if len(missing) > 1 or min(missing) < 0:
            raise BadLayout("not_the_pack")
        gone += run * missing.pop()
    return tuple(gone)


def missing(deck: Sequence[Card], there: Counter[Card]) -> tuple[Card, ...]:
    """The cards of a deck that are not there, in the deck's order. Raises ``BadLayout`` for one too many."""
    gone = Counter(deck)
    gone.subtract(there)
    if min(gone.values()) < 0:
        raise BadLayout("not_the_pack")
    return tuple(gone.elements())
