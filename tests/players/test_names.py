import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.i18n import gettext, using
from app.i18n.languages import LANGUAGES
from app.players.errors import BadName
from app.players.names import LONGEST, clean_name, name_key


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Maija", "Maija"),
        ("  Maija   Meikäläinen ", "Maija Meikäläinen"),
        ("Ｆｕｌｌ", "Full"),
        ("A\u030angstrom", "Ångstrom"),
        ("o'Neill-2_b.", "o'Neill-2_b."),
        ("Łukasz", "Łukasz"),
        ("Мария", "Мария"),
        ("東京タワー", "東京タワー"),
        ("x" * LONGEST, "x" * LONGEST),
    ],
)
def test_a_name_is_kept_as_typed_in_nfkc(typed: str, kept: str) -> None:
    assert clean_name(typed) == kept


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", "too_short"),
        (" a ", "too_short"),
        ("x" * (LONGEST + 1), "too_long"),
        ("x" * 10_000_000, "too_long"),
        ("ﷺ" * LONGEST, "too_long"),  # one character that NFKC makes eighteen
        ("nul\x00l", "bad_character"),
        ("tab\tbed", "bad_character"),
        ("new\nline", "bad_character"),
        ("abc\u202edef", "bad_character"),  # right-to-left override
        ("ab\u200dcd", "bad_character"),  # zero-width joiner
        ("ab\ufeffcd", "bad_character"),
        ("ab\u3164cd", "bad_character"),  # the Hangul filler: a letter that shows nothing
        ("ab\ud800cd", "bad_character"),  # half of a surrogate pair
        ("ab\ue000cd", "bad_character"),  # private use
        ("spade ♠", "bad_character"),
        ("grin 😀", "bad_character"),
        ("' OR 1=1--", "bad_character"),
        ("<script>", "bad_character"),
        ("a/b", "bad_character"),
        ("..", "bad_character"),
        ("-dash", "bad_character"),
        ("z" + "\u0301\u0302\u0303\u0304", "bad_character"),
        ("pаypal", "mixed_scripts"),  # a Cyrillic а
        ("αlpha", "mixed_scripts"),
        ("Admin", "reserved"),
        ("ＡＤＭＩＮ", "reserved"),
        ("Ѕуѕтем", None),
    ],
)
def test_what_could_deceive_is_refused_with_its_reason(typed: str, reason: str | None) -> None:
    if reason is None:
        assert name_key(typed) == "system"
        reason = "reserved"
    with pytest.raises(BadName) as refused:
        clean_name(typed)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("one", "other"),
    [("Maija", "MAIJA"), ("Straße", "STRASSE"), ("aeo", "аео"), ("PEAX", "РЕАХ"), ("Ａnna", "anna")],
)
def test_names_that_look_alike_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_different_names_have_different_keys() -> None:
    assert len({name_key(name) for name in ("Maija", "Maja", "Meija", "мыйа", "Åse", "Ase")}) == 6


@given(st.text(max_size=60))
def test_any_text_is_either_a_name_or_refused_and_cleaning_twice_changes_nothing(text: str) -> None:
    try:
        name = clean_name(text)
    except BadName:
        return
    assert clean_name(name) == name
    assert name.isprintable()
    assert name_key(name) == name_key(name_key(name))
    assert len(name_key(name)) <= 128


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("number", [1, 2, 17])
def test_no_name_is_what_a_guest_is_called(language: str, number: int) -> None:
    with using(language):
        called = gettext("Guest %(number)s", number=number)
        bare = gettext("Guest")
    for name in (called, bare, called.upper(), called.replace(" ", ""), called.replace(" ", "_")):
        with pytest.raises(BadName) as refused:
            clean_name(name)
        assert refused.value.reason == "reserved"


@pytest.mark.parametrize("name", ["Guest of honour", "Vierasperä", "Gästrik 2", "Guest2go"])
def test_a_name_may_begin_like_a_guest(name: str) -> None:
    assert clean_name(name) == name
