"""Deal codes: a deal as a short text with a check symbol (docs/deals.md).

===================================== =========================================================
``spider4-<seed><check>``             the deal of a seed
``spider4-x-<digits><check>``         an explicit layout, whatever it is
``spider4-n-pysol-<number><check>``   a numbered deal of another program (``pysol``, ``kpat``)
===================================== =========================================================

The last is also read as people type it, ``PySol 14934`` or ``spider2 KPat 5``, but never written so.

This module knows the texts alone; what patience a prefix names, and what a layout's digits mean, is
for ``app.patience.deals``.
"""

import re
from dataclasses import dataclass

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUE = {digit: value for value, digit in enumerate(DIGITS)}
_LOOKALIKES = str.maketrans("ILO", "110")

PROGRAMS = ("pysol", "kpat")
LAYOUT_MARK, NUMBER_MARK = "x", "n"
MAX_LENGTH = 400
_SEED_LIMIT = 1 << 64
_PREFIX = re.compile(r"([a-z][a-z0-9-]*[a-z0-9])(?:\.([1-9][0-9]?))?")
_VERSIONS = (1,)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,19}")
_TYPED = re.compile(r"(?:([a-z][a-z0-9-]*)\s+)?(pysol|pysolfc|kpat)[\s#]+([0-9]{1,20})", re.IGNORECASE)
TYPED_PREFIX = "spider4"
"""What a typed number without a prefix is a deal of: the Spider of PySolFC has no other number of suits."""


class BadDealCode(ValueError):
    """A text that is no deal code. ``reason`` is one of: empty, too_long, malformed, symbol, check,
    leading_zero, range, version, patience, layout, number."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class SeedCode:
    """The deal of a 64-bit seed; ``prefix`` names the patience with its parameters.

    ``version`` is the shuffle's. The first is not written; a later one stands behind a dot (``spider4.2-…``).
    """

    prefix: str
    seed: int
    version: int = 1

    def __str__(self) -> str:
        version = "" if self.version == 1 else f".{self.version}"
        return _with_check(f"{self.prefix}{version}-{to_base32(self.seed)}")


@dataclass(frozen=True, slots=True)
class LayoutCode:
    """An explicit layout, written in base-32 digits."""

    prefix: str
    digits: str

    def __str__(self) -> str:
        return _with_check(f"{self.prefix}-{LAYOUT_MARK}-{self.digits}")


@dataclass(frozen=True, slots=True)
class NumberedCode:
    """The deal that another program calls by a number.

    Without its mark a wrong symbol in the place of its last hyphen could make a seed of program and number.
    """

    prefix: str
    program: str
    number: int

    def __str__(self) -> str:
        return _with_check(f"{self.prefix}-{NUMBER_MARK}-{self.program}-{self.number}")


DealCode = SeedCode | LayoutCode | NumberedCode


def to_base32(number: int) -> str:
    """A number in Crockford's base 32, without leading zeros."""
    digits = ""
    while True:
        number, last = divmod(number, 32)
        digits = DIGITS[last] + digits
        if not number:
            return digits


def from_base32(digits: str) -> int:
    """The number of base-32 digits; raises ``BadDealCode`` for other symbols."""
    number = 0
    for digit in digits:
        if digit not in _VALUE:
            raise BadDealCode("symbol")
        number = number * 32 + _VALUE[digit]
    return number


def check_symbol(body: str) -> str:
    """The check symbol of a code's body: the hybrid system of ISO/IEC 7064 with M = 32.

    A symbol counts by the last five bits of its ASCII code in the prefix (where only known names are
    read) and by its base-32 value in what follows. One wrong symbol always changes the result.
    """
    prefix, _, tail = body.rpartition("-")
    values = [ord(symbol) & 31 for symbol in prefix + "-"] + [_VALUE[symbol] for symbol in tail]
    product = 32
    for value in values:
        product = ((product + value) % 32 or 32) * 2 % 33
    return DIGITS[(33 - product) % 32]


def parse(text: str) -> DealCode:
    """Reads a deal code in any case, with I, L and O for 1, 1 and 0, or a program and a number.

    Raises ``BadDealCode``.
    """
    text = text.strip()
    if not text:
        raise BadDealCode("empty")
    if len(text) > MAX_LENGTH:
        raise BadDealCode("too_long")
    if not text.isascii():
        raise BadDealCode("symbol")
    if typed := _TYPED.fullmatch(text):
        prefix, program = (typed[1] or TYPED_PREFIX).lower(), typed[2].lower().removesuffix("fc")
        return NumberedCode(prefix, program, int(typed[3]))
    head, hyphen, tail = text.rpartition("-")
    if not hyphen or len(tail) < 2:
        raise BadDealCode("malformed")
    head, tail = head.lower(), tail.upper().translate(_LOOKALIKES)
    named = _PREFIX.fullmatch(head)
    if not named or not all(symbol in _VALUE for symbol in tail):
        raise BadDealCode("symbol")
    digits, check = tail[:-1], tail[-1]
    if check_symbol(f"{head}-{digits}") != check:
        raise BadDealCode("check")
    prefix, _, form = head.rpartition("-")
    if prefix and form == LAYOUT_MARK:
        return LayoutCode(prefix, digits)
    numbered, _, mark = prefix.rpartition("-")
    if numbered and mark == NUMBER_MARK and form in PROGRAMS:
        if not _NUMBER.fullmatch(digits):
            raise BadDealCode("number")
        return NumberedCode(numbered, form, int(digits))
    version = int(named[2] or 1)
    if version not in _VERSIONS or named[2] == "1":
        raise BadDealCode("version")
    return SeedCode(named[1], _seed(digits), version)


def _seed(digits: str) -> int:
    if len(digits) > 1 and digits[0] == "0":
        raise BadDealCode("leading_zero")
    seed = from_base32(digits)
    if seed >= _SEED_LIMIT:
        raise BadDealCode("range")
    return seed


def _with_check(body: str) -> str:
    return body + check_symbol(body)
