import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.players.codes import ALPHABET, hashed, new_code, new_id, new_token, read_code, spoken


@pytest.mark.parametrize("symbols", [10, 20])
def test_a_code_is_read_back_however_it_is_said(symbols: int) -> None:
    code = new_code(symbols)
    assert set(code) <= set(ALPHABET)
    for said in (code, spoken(code), code.lower(), f" {spoken(code)} ".replace("-", " ")):
        assert read_code(said, symbols) == code


def test_letters_that_sound_or_look_like_digits_are_taken_as_these() -> None:
    assert read_code("ilo01-abcde", 10) == "11001ABCDE"


@pytest.mark.parametrize(
    "text", ["", "ABCDE", "ABCDE-FGHJKM", "ABCDE-FGHJU", "ABCDE\x00FGHJ", "٠١٢٣٤٥٦٧٨٩", "A" * 10_000]
)
def test_what_cannot_be_a_code_is_none(text: str) -> None:
    assert read_code(text, 10) is None


@given(st.text())
def test_any_text_is_read_or_refused_without_an_error(text: str) -> None:
    assert read_code(text, 10) is None or len(text) >= 10


def test_secrets_have_the_entropy_they_claim_and_differ() -> None:
    assert len(new_id()) == 22
    assert len(new_token()) == 43
    assert len({new_token() for _ in range(1000)}) == 1000
    assert len(hashed("x")) == 64
    assert hashed("\ud800") != hashed("")
