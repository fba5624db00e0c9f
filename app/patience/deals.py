"""From a deal code to an opening, and back."""

from dataclasses import dataclass, replace
from typing import Any

from app.cards import dealcode
from app.cards.card import CARDS
from app.cards.dealcode import BadDealCode, LayoutCode, NumberedCode, SeedCode
from app.cards.numbered import numbered_deck, pysol_dealt
from app.cards.shuffle import shuffle
from app.patience import layout, registry
from app.patience.errors import BadLayout, UnknownPatience
from app.patience.patience import Patience
from app.patience.position import Pile, Position

_FACES = tuple(CARDS.values())
_INDEX = {face: index for index, face in enumerate(_FACES)}
_COUNT_BITS, _CARD_BITS, _DIGIT_BITS = 7, 6, 5
_MORE = 16
"""Of the digits of a number all but the last have this bit; the other four are the number's."""


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards of one starting position: its canonical code, its patience, and the opening."""

    code: str
    patience: Patience
    start: Position


def deal_of(text: str) -> Deal:
    """The deal that a code names. Raises ``BadDealCode``."""
    code = dealcode.parse(text)
    try:
        patience = registry.by_prefix(code.prefix)
    except UnknownPatience:
        raise BadDealCode("patience") from None
    match code:
        case SeedCode(seed=seed, version=version):
            return Deal(str(code), patience, patience.start(shuffle(patience.deck(), seed, version), seed))
        case LayoutCode(digits=digits):
            return Deal(str(code), patience, _from_digits(patience, digits))
        case NumberedCode(program=program, number=number):
            return Deal(str(code), patience, _numbered(patience, program, number))


def same_number(deal: Deal) -> list[tuple[Patience, str]]:
    """Of a numbered deal of Spider, the deals that have its number with other suits: rules and code."""
    code = dealcode.parse(deal.code)
    if not isinstance(code, NumberedCode) or deal.patience.key != "spider":
        return []
    suits = deal.patience.choices["suits"]
    others = [registry.get("spider", {**deal.patience.params, "suits": number}) for number in suits]
    return [
        (other, str(replace(code, prefix=other.prefix)))
        for other in others
        if other.prefix != deal.patience.prefix
    ]


def _numbered(patience: Patience, program: str, number: int) -> Position:
    suits = patience.params.get("suits", 4)
    assert isinstance(suits, int)
    try:
        if program == "pysol" and patience.pysol_order:
            dealt = pysol_dealt(number, suits, patience.cards // 52)
            return patience.start([dealt[theirs] for theirs in patience.pysol_order])
        if patience.key == "spider":
            return patience.start(numbered_deck(program, number, suits))
    except ValueError:
        raise BadDealCode("number") from None
    raise BadDealCode("patience")


def seed_deal(patience: Patience, seed: int) -> Deal:
    """The deal of a seed, 0 to 2**64 - 1."""
    start = patience.start(shuffle(patience.deck(), seed), seed)
    return Deal(str(SeedCode(patience.prefix, seed)), patience, start)


def layout_deal(patience: Patience, start: Position) -> Deal:
    """The deal of an explicit opening. Raises ``BadLayout`` if the patience cannot have such a position."""
    start = patience.from_layout(patience.to_layout(start))
    return Deal(str(LayoutCode(patience.prefix, _to_digits(patience, start))), patience, start)


def document_deal(document: object) -> Deal:
    """The deal of a document: a bare layout, or one in the answer of ``spindel deal``.

    A bare layout is Spider's, with as many suits as it shows. Raises ``BadLayout``, ``UnknownPatience``
    or ``BadParams``.
    """
    if not isinstance(document, dict):
        raise BadLayout("layout_keys")
    if "layout" not in document:
        patience = registry.get("spider", {"suits": _suits_shown(document)})
        return layout_deal(patience, patience.from_layout(document))
    key, params = document.get("patience", "spider"), document.get("params")
    if not isinstance(key, str) or not (params is None or isinstance(params, dict)):
        raise BadLayout("layout_types")
    inner = document["layout"]
    if params is None and key == "spider" and isinstance(inner, dict):
        params = {"suits": _suits_shown(inner)}
    patience = registry.get(key, params)
    return layout_deal(patience, patience.from_layout(inner))


def _suits_shown(document: dict[str, object]) -> int:
    columns = document.get("columns")
    texts = [document.get("stock"), *(columns if isinstance(columns, list) else [])]
    suits = {text[-1:] for some in texts if isinstance(some, list) for text in some if isinstance(text, str)}
    return {0: 1, 1: 1, 2: 2}.get(len(suits), 4)


def _to_digits(patience: Patience, position: Position) -> str:
    """The piles as a stream of bits: each pile's length and face-down count (7 bits each), then all
    cards (6 bits each: suit by suit in the order SHDC, ace to king); zero bits fill the last digit.
    Then come the numbers that the layout tells besides, if it does, four bits a digit."""
    bits = "".join(f"{len(pile):07b}{pile.face_down:07b}" for pile in position.piles)
    bits += "".join(f"{_INDEX[c]:06b}" for pile in position.piles for c in pile.cards)
    bits += "0" * (-len(bits) % _DIGIT_BITS)
    digits = [int(bits[at : at + 5], 2) for at in range(0, len(bits), 5)]
    memory = patience.to_layout(position).get(layout.MEMORY, {})
    for name in patience.remembers if memory else ():
        numbers = memory[name] if isinstance(memory[name], list) else [memory[name]]
        for number in numbers:
            fours = f"{number:x}"
            digits += [_MORE + int(four, 16) for four in fours[:-1]] + [int(fours[-1], 16)]
    return "".join(dealcode.DIGITS[digit] for digit in digits)


def _memory(patience: Patience, digits: list[int]) -> dict[str, Any]:
    """The numbers in the digits behind the piles, as the part of a document that tells them.

    Raises ``BadDealCode``.
    """
    numbers, number = [], 0
    for digit in digits:
        number = number << 4 | digit % _MORE
        if digit < _MORE:
            numbers.append(number)
            number = 0
    if len(numbers) != sum(patience.remembers.values()):
        raise BadDealCode("layout")
    rest = iter(numbers)
    return layout.write_memory(
        {name: tuple(next(rest) for _ in range(count)) for name, count in patience.remembers.items()}
    )


def _from_digits(patience: Patience, digits: str) -> Position:
    bits = "".join(f"{dealcode.from_base32(digit):05b}" for digit in digits)
    numbers = iter(int(bits[at : at + _COUNT_BITS], 2) for at in range(0, len(bits), _COUNT_BITS))
    shapes = [(next(numbers, 0), next(numbers, 0)) for _ in patience.piles]
    at = 2 * _COUNT_BITS * len(shapes)
    total = sum(length for length, _ in shapes)
    indices = [
        int(bits[i : i + _CARD_BITS] or "0", 2) for i in range(at, at + _CARD_BITS * total, _CARD_BITS)
    ]
    if total > patience.cards or any(index >= len(_FACES) for index in indices):
        raise BadDealCode("layout")
    faces = iter(_FACES[index] for index in indices)
    piles = tuple(Pile(tuple(next(faces) for _ in range(length)), down) for length, down in shapes)
    document = patience.to_layout(Position(piles))
    behind = digits[-(-(at + _CARD_BITS * total) // _DIGIT_BITS) :]
    if behind:
        document |= _memory(patience, [dealcode.from_base32(digit) for digit in behind])
    try:
        position = patience.from_layout(document)
    except BadLayout:
        raise BadDealCode("layout") from None
    if position.piles != piles or _to_digits(patience, position) != digits:
        raise BadDealCode("layout")
    return position
