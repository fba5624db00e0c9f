import pytest

from app.i18n.languages import accepted_language, choose, language, use, using


def test_the_address_comes_before_the_choice_and_the_choice_before_the_header():
    assert choose("pl", "fi", "sv") == "pl"
    assert choose(None, "fi", "sv") == "fi"
    assert choose(None, None, "sv") == "sv"
    assert choose(None, None, None) == "en"


def test_a_language_that_does_not_exist_counts_as_none():
    assert choose("xx", "", "sv") == "sv"
    assert choose("FI", None, None) == "en"
    assert choose("../fi", "en\n", None) == "en"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("fi", "fi"),
        ("fi-FI,fi;q=0.9,en;q=0.8", "fi"),
        ("de-DE,de;q=0.9,da;q=0.7,en;q=0.3", "da"),
        ("en;q=0.3, pl;q=0.4", "pl"),
        ("sv;q=0, en", "en"),
        ("sv;q=0", "en"),
        ("sv, da", "sv"),
        ("SV-fi", "sv"),
        ("*", "en"),
        ("de", "en"),
        ("", "en"),
        ("fi;q=2", "en"),
        ("fi;q=nan, pl;q=0.1", "pl"),
        (";;;,,,=q;\x00", "en"),
    ],
)
def test_the_header_is_read_by_its_qualities(header, expected):
    assert accepted_language(header) == expected


def test_an_endless_header_is_cut_off():
    assert choose(None, None, "de," * 10_000 + "fi") == "en"


def test_a_language_is_bound_to_its_block():
    with using("fi"):
        with using("pl"):
            assert language() == "pl"
        assert language() == "fi"
    assert language() == "en"


def test_a_language_without_catalogue_is_refused():
    with pytest.raises(ValueError, match="no catalogue"):
        use("xx")
