"""The board without scripts: plain forms and links."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import hands
from tests.support.server import Server


@pytest.fixture
def plain(browser: Browser) -> Page:
    return browser.new_context(java_script_enabled=False).new_page()


def pick_and_put(page: Page, move: str) -> None:
    if move == "deal":
        page.locator("#pile-stock button").click()
        return
    source, target, count = hands.parts(move)
    hands.card(page, source, count).click(position={"x": 8, "y": 4})
    page.get_by_role("button", name=f"Move here: column {target}", exact=True).click()


def test_a_game_goes_on_without_scripts(plain: Page, shared_server: Server) -> None:
    game = hands.won_game(4)
    hands.begin(plain, shared_server, game["code"])
    moves = game["moves"][: game["moves"].index("deal") + 1]
    for number, move in enumerate(moves, 1):
        pick_and_put(plain, move)
        hands.at_ply(plain, number)
    plain.get_by_role("button", name="Undo").click()
    hands.at_ply(plain, len(moves) + 1)
    plain.get_by_role("button", name="Redo").click()
    hands.at_ply(plain, len(moves) + 2)
    plain.get_by_role("button", name="Hint").click()
    expect(plain.locator(".say")).to_contain_text("Hint:")


def test_what_is_refused_is_explained_without_scripts(plain: Page, shared_server: Server) -> None:
    game = hands.won_game(1)
    hands.begin(plain, shared_server, game["code"])
    for number, move in enumerate(game["moves"], 1):
        pick_and_put(plain, move)
        hands.at_ply(plain, number)
        if plain.locator(".columns > .pile:not(:has(> .c))").count():
            break
    plain.locator("#pile-stock button").click()
    expect(plain.locator(".say")).to_contain_text("is empty")


def test_a_game_is_given_up_and_replayed_without_scripts(plain: Page, shared_server: Server) -> None:
    game = hands.won_game(2)
    hands.begin(plain, shared_server, game["code"])
    pick_and_put(plain, game["moves"][0])
    plain.locator(".menu > summary").click()
    plain.get_by_text("Give up", exact=True).click()
    plain.get_by_role("button", name="Yes, give up").click()
    plain.get_by_role("heading", name="Given up").wait_for()
    plain.get_by_role("link", name="Replay").click()
    plain.get_by_role("link", name="On", exact=True).click()
    assert "ply=1" in plain.url
    expect(plain.locator("#status")).to_contain_text(game["moves"][0])
    plain.get_by_role("link", name="First", exact=True).click()
    expect(plain.locator("#status")).to_have_attribute("data-ply", "0")
