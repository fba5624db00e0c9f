import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cards.dealcode import DIGITS, BadDealCode, LayoutCode, NumberedCode, SeedCode, check_symbol, parse
from app.patience import registry
from app.patience.deals import deal_of

SEEDS = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize(
    ("text", "seed"),
    [("spider4-06", 0), ("spider4-H3", 17), ("spider4-FZZZZZZZZZZZZ1", 2**64 - 1)],
)
def test_golden_codes(text: str, seed: int) -> None:
    assert str(SeedCode("spider4", seed)) == text
    assert parse(text) == SeedCode("spider4", seed)


@given(SEEDS)
def test_a_code_reads_back_in_any_case_and_with_lookalikes(seed: int) -> None:
    code = SeedCode("spider4", seed)
    text = str(code)
    head, _, tail = text.rpartition("-")
    for one in ("I", "L", "i", "l"):
        assert parse(f"{head.upper()}-{tail.replace('1', one).replace('0', 'o')}") == code
    assert parse(f"  {text.lower()}\n") == code


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("PySol 14934", NumberedCode("spider4", "pysol", 14934)),
        ("  pysolfc #14934 ", NumberedCode("spider4", "pysol", 14934)),
        ("PySol#0017", NumberedCode("spider4", "pysol", 17)),
        ("KPat 5", NumberedCode("spider4", "kpat", 5)),
        ("Spider2 KPAT 5", NumberedCode("spider2", "kpat", 5)),
        ("pyramid3 PySol 99999999999999999999", NumberedCode("pyramid3", "pysol", 10**20 - 1)),
    ],
)
def test_a_number_of_another_program_reads_as_people_type_it(typed: str, code: NumberedCode) -> None:
    assert parse(typed) == code == parse(str(code))


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("PySol", "malformed"),
        ("PySol -1", "malformed"),
        ("PySol 1 2", "malformed"),
        ("KPat 99999999999", "number"),
        ("KPat 0", "number"),
        ("PySol 100000000000000000000", "malformed"),
        ("PySol \u0661", "symbol"),
        ("nothing KPat 5", "patience"),
        ("pyramid3 KPat 5", "patience"),
        ("Freecell 5", "malformed"),
    ],
)
def test_what_is_no_number_of_another_program_is_told_why(typed: str, reason: str) -> None:
    with pytest.raises(BadDealCode) as error:
        deal_of(typed)
    assert error.value.reason == reason


@given(SEEDS, st.data())
def test_one_wrong_symbol_anywhere_is_caught(seed: int, data: st.DataObject) -> None:
    text = str(SeedCode(data.draw(st.sampled_from(["spider1", "spider2", "spider4"])), seed))
    place = data.draw(st.integers(0, len(text) - 1))
    symbol = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789-.~*"))
    lookalikes = str.maketrans("ilo", "110")
    if symbol.translate(lookalikes) == text[place].lower().translate(lookalikes):
        return
    with pytest.raises(BadDealCode):
        deal_of(text[:place] + symbol + text[place + 1 :])


@pytest.mark.parametrize("program", ["kpat", "pysol"])
def test_one_wrong_symbol_anywhere_in_a_numbered_code_is_caught(program: str) -> None:
    for number in (1, 19, 14934):
        text = str(NumberedCode("spider4", program, number))
        assert deal_of(text).code == text
        for place in range(len(text)):
            for symbol in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.":
                slip = text[:place] + symbol + text[place + 1 :]
                if same_to_the_reader(slip, text):
                    continue
                with pytest.raises(BadDealCode):
                    deal_of(slip)


def same_to_the_reader(slip: str, text: str) -> bool:
    """Whether they differ in case, or by a lookalike behind the last hyphen, and no more."""
    head, _, tail = slip.upper().rpartition("-")
    return f"{head}-{tail.translate(str.maketrans('ILO', '110'))}" == text.upper()


def test_every_one_symbol_slip_between_two_patiences_is_caught_by_the_check_symbol() -> None:
    prefixes = [patience.prefix for patience in registry.all_patiences()]
    for one in prefixes:
        for other in prefixes:
            if len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1:
                assert check_symbol(f"{one}-H") != check_symbol(f"{other}-H")


@given(SEEDS)
def test_every_wrong_digit_at_every_place_is_caught_by_the_check_symbol(seed: int) -> None:
    text = str(SeedCode("spider4", seed))
    for place in range(len("spider4-"), len(text)):
        for digit in DIGITS.replace(text[place], ""):
            with pytest.raises(BadDealCode):
                parse(text[:place] + digit + text[place + 1 :])


def test_nearly_all_neighbours_that_changed_places_are_caught() -> None:
    rng = random.Random(1)
    tried = missed = 0
    for _ in range(400):
        text = str(SeedCode("spider4", rng.getrandbits(64)))
        for place in range(len("spider4-"), len(text) - 1):
            one, other = text[place], text[place + 1]
            if one != other:
                tried += 1
                try:
                    parse(text[:place] + other + one + text[place + 2 :])
                    missed += 1
                except BadDealCode:
                    pass
    assert missed / tried < 0.01


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("x", "malformed"),
        ("spider4", "malformed"),
        ("spider4-", "malformed"),
        ("spider4-7", "malformed"),
        ("-H4", "symbol"),
        ("spider4-H4", "check"),
        ("spider2-H4", "check"),
        ("spider4-H3" * 50, "too_long"),
        ("9" * 10_000, "too_long"),
        ("spider4-H\x004", "symbol"),
        ("spider4-H\u202e4", "symbol"),
        ("spider4-🂡4", "symbol"),
        ("spider4-\udc80\udc81", "symbol"),
        ("<script>alert(1)</script>-H4", "symbol"),
        ("{{7*7}}-H4", "symbol"),
        ("spider4-U4", "symbol"),
    ],
)
def test_what_is_no_code_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(BadDealCode) as error:
        parse(text)
    assert error.value.reason == reason


def _checked(body: str) -> str:
    return body + check_symbol(body)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("spider4-0H", "leading_zero"),
        ("spider4-G000000000000", "range"),
        ("spider4-ZZZZZZZZZZZZZZZZ", "range"),
        ("spider4.2-H", "version"),
        ("spider4.1-H", "version"),
        ("spider3-H", "patience"),
        ("spider0-H", "patience"),
        ("klondike-H", "patience"),
        ("spider4-x-0000", "layout"),
        ("spider4-x-" + "Z" * 200, "layout"),
        ("spider4-n-pysol-ABC", "number"),
        ("spider4-n-pysol-00", "number"),
    ],
)
def test_well_checked_codes_that_mean_nothing_are_refused_with_the_reason(body: str, reason: str) -> None:
    with pytest.raises(BadDealCode) as error:
        deal_of(_checked(body))
    assert error.value.reason == reason


def test_the_three_forms_are_told_apart() -> None:
    assert parse(_checked("spider4-x-00AB")) == LayoutCode("spider4", "00AB")
    assert parse(_checked("spider4-n-pysol-14934")) == NumberedCode("spider4", "pysol", 14934)
    assert parse(_checked("holy-seven-H")) == SeedCode("holy-seven", 17)


def test_digits_are_crockfords() -> None:
    assert DIGITS == "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
