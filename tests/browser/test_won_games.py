"""Whole won games, by every kind of hand, with the server killed in the middle."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import hands
from tests.support.server import Server

Play = Callable[[Page, str], None]
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1366, "height": 768}}
HANDS = {
    "clicks": (hands.by_clicks, DESK),
    "mouse": (hands.by_mouse, DESK),
    "finger": (hands.by_finger, PHONE),
    "keys": (hands.by_keys, DESK),
}


@pytest.mark.parametrize("suits", [1, 2, 4])
@pytest.mark.parametrize("hand", HANDS)
def test_a_won_game_goes_from_the_first_card_to_the_leaderboard(
    browser: Browser, shared_server: Server, hand: str, suits: int
) -> None:
    server = shared_server
    play, screen = HANDS[hand]
    game = hands.won_game(suits)
    context = browser.new_context(**screen)  # type: ignore[arg-type]
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    hands.prefer(page, server, animation="off")
    hands.begin(page, server, game["code"])
    path = urlsplit(page.url).path

    moves, half = game["moves"], len(game["moves"]) // 2
    for number, move in enumerate(moves, 1):
        if number == half:
            before = hands.seen(page)
            server.restart()
        play(page, move)
        hands.at_ply(page, number)
        if number == half:
            assert hands.seen(page) != before

    page.get_by_role("heading", name="Won!").wait_for()
    score = f"{game['scores']['moves500']:,}"
    assert score in page.inner_text(".over")

    page.get_by_role("link", name="Leaderboard").last.click()
    page.get_by_role("link", name="Open deals").click()
    row = page.locator("tbody tr").filter(has=page.locator(f'a[href="{path}/replay"]'))
    assert score in row.inner_text()
    row.get_by_role("link", name="Replay").click()
    assert f"0/{len(moves)}" in page.inner_text("#status")
    assert not faults
    context.close()
