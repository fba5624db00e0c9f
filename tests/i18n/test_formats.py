import pytest

from app.i18n import formats, ngettext, using

NBSP = "\N{NO-BREAK SPACE}"
AT = 1_796_047_500_000  # 2026-11-30T14:05:00Z


@pytest.mark.parametrize(
    ("code", "shown"), [("en", "1,020"), ("fi", f"1{NBSP}020"), ("sv", f"1{NBSP}020"), ("da", "1.020")]
)
def test_numbers_have_the_language_s_separators(code, shown):
    with using(code):
        assert formats.number(1020) == shown


def test_small_numbers_and_large_ones_are_written_alike():
    assert [formats.number(n) for n in (0, 7, 999, -7, -1020)] == ["0", "7", "999", "−7", "−1,020"]


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("en", "3, 5 and 7"),
        ("fi", "3, 5 ja 7"),
        ("sv", "3, 5 och 7"),
        ("da", "3, 5 og 7"),
        ("pl", "3, 5 i 7"),
    ],
)
def test_lists_end_with_the_language_s_and(code, shown):
    with using(code):
        assert formats.listed([3, 5, 7]) == shown
        assert formats.listed(["3"]) == "3"


@pytest.mark.parametrize(
    ("code", "day", "moment"),
    [
        ("en", "30 Nov 2026", "30/11/2026, 14:05"),
        ("fi", "30.11.2026", "30.11.2026 14.05"),
        ("sv", "30 nov. 2026", "2026-11-30 14:05"),
        ("da", "30. nov. 2026", "30.11.2026 14.05"),
        ("pl", "30 lis 2026", "30.11.2026, 14:05"),
    ],
)
def test_days_and_moments_are_written_as_usual(code, day, moment):
    with using(code):
        assert formats.day(AT) == day
        assert formats.moment(AT) == moment
        assert formats.iso(AT) == "2026-11-30T14:05:00Z"


def test_a_clock_shows_hours_only_when_there_are_any():
    assert [formats.clock(s * 1000) for s in (0, 7, 65, 3600, 3723)] == [
        "0:00",
        "0:07",
        "1:05",
        "1:00:00",
        "1:02:03",
    ]
    assert formats.clock(-5) == "0:00"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("en", "1 hour 2 minutes"),
        ("fi", "1 tunti 2 minuuttia"),
        ("sv", "1 timme 2 minuter"),
        ("da", "1 time 2 minutter"),
        ("pl", "1 godzina 2 minuty"),
    ],
)
def test_durations_are_words(code, shown):
    with using(code):
        assert formats.duration(3_723_000).replace(NBSP, " ") == shown


@pytest.mark.parametrize(
    ("code", "shown"), [("en", "8%"), ("fi", "8 %"), ("sv", "8 %"), ("da", "8 %"), ("pl", "8%")]
)
def test_shares_are_in_whole_per_cent(code, shown):
    with using(code):
        assert formats.percent(1 / 12).replace(NBSP, " ") == shown


def test_short_durations_have_seconds():
    assert [formats.duration(s * 1000) for s in (0, 61, 3600)] == ["0 seconds", "1 minute 1 second", "1 hour"]


def test_polish_has_three_plurals():
    with using("pl"):
        forms = [ngettext("%(num)s suit", "%(num)s suits", n) for n in (1, 2, 5, 12, 22, 25, 112)]
    assert forms == [
        "1 kolor",
        "2 kolory",
        "5 kolorów",
        "12 kolorów",
        "22 kolory",
        "25 kolorów",
        "112 kolorów",
    ]


def test_the_number_in_a_message_is_written_as_numbers_are():
    assert ngettext("%(num)s suit", "%(num)s suits", 1020) == "1,020 suits"
