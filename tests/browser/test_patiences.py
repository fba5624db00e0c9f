"""Every other patience in a browser: won and lost, by mouse and by finger, resumed, ranked, replayed.

The moves are those of the golden games. Of a long game the first and the last moves are made by hand, and
those between are sent as the board would send them.
"""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from app.patience.deals import deal_of
from app.patience.scoring import RESULTS
from app.web import gestures
from app.web.presentation import look_of
from tests.browser import hands
from tests.builders import golden
from tests.support.server import Server

BY_HAND = 5
"""How many moves of a game are made by hand at either end."""
AGAIN_MS = 160
"""Taps on a stock that follow each other sooner are one tap."""
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1366, "height": 768}}
GAMES: list[dict[str, Any]] = golden("patience_games.json")
KEYS = sorted({game["patience"] for game in GAMES})


def game_of(key: str, status: str) -> dict[str, Any]:
    return next(game for game in GAMES if game["patience"] == key and game["status"] == status)


def place(page: Page, name: str) -> Locator:
    return page.locator(f'#pile-{name}, .pile[data-name="{name}"]')


def spot(page: Page, name: str, count: int = 1) -> tuple[float, float]:
    """A point near the corner of the card that is picked up with those on it, or of the place."""
    button = page.locator(f'button[value="{name}x{count}"]')
    if button.count():
        return hands.point(button, 8, 6)
    cards = place(page, name).locator("> .c, > i")
    return hands.point(cards.last if cards.count() else place(page, name), 12, 10)


def alone(page: Page, move: str) -> tuple[float, float]:
    """Where a move by itself is tapped: its card, or the stock."""
    if page.locator(f'button[value="{move}x1"]').count():
        return spot(page, move)
    page.wait_for_timeout(AGAIN_MS)
    return hands.point(page.locator("#pile-stock button"), 12, 20)


def by_mouse(page: Page, move: str, number: int) -> None:
    """Every other move is dragged, the others are two clicks."""
    one = gestures.read(move)
    if not one.join:
        page.mouse.click(*alone(page, move))
        return
    start, end = spot(page, one.source, one.count), spot(page, one.target)
    if number % 2 or one.source == "stock":
        page.mouse.click(*start)
        page.mouse.click(*end)
        return
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + 10)
    page.mouse.move(*end, steps=2)
    page.mouse.up()


def by_finger(page: Page, move: str, _number: int) -> None:
    one = gestures.read(move)
    page.touchscreen.tap(*(spot(page, one.source, one.count) if one.join else alone(page, move)))
    if one.join:
        page.touchscreen.tap(*spot(page, one.target))


Hand = Callable[[Page, str, int], None]


def play(page: Page, server: Server, moves: list[str], hand: Hand, *, restart: bool) -> None:
    """The whole game: by hand at both ends; in the middle the server is killed and comes back."""
    middle = range(BY_HAND, max(BY_HAND, len(moves) - BY_HAND))
    for number, move in enumerate(moves, 1):
        if number - 1 in middle:
            sent = page.request.post(
                f"{server.url}{urlsplit(page.url).path}/act",
                form={"ply": str(number - 1), "move": move},
                headers={"HX-Request": "true", "Origin": server.url},
            )
            assert sent.ok, (move, sent.text())
            if number == middle.stop:
                page.reload()
                hands.at_ply(page, number)
            continue
        if restart and number == min(len(moves), BY_HAND):
            server.restart()
        hand(page, move, number)
        hands.at_ply(page, number)


def nothing_overflows(page: Page) -> bool:
    script = """() => {
        const table = document.getElementById("table").getBoundingClientRect();
        const inside = ({ left, right, bottom }) =>
            left >= table.left - 1 && right <= table.right + 1 && bottom <= table.bottom + 1;
        const piles = [...document.querySelectorAll("#table .pile")];
        return document.documentElement.scrollWidth <= innerWidth
            && piles.every(pile => inside(pile.getBoundingClientRect()));
    }"""
    return bool(page.evaluate(script))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("hand", "screen"), [(by_mouse, DESK), (by_finger, PHONE)], ids=["mouse", "finger"])
def test_a_game_is_won_ranked_and_replayed(
    browser: Browser, shared_server: Server, key: str, hand: Hand, screen: dict[str, Any]
) -> None:
    game = game_of(key, "won")
    context = browser.new_context(**screen)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    hands.prefer(page, shared_server, animation="off")
    hands.begin(page, shared_server, game["code"])
    path = urlsplit(page.url).path
    assert nothing_overflows(page)
    play(page, shared_server, game["moves"], hand, restart=hand is by_mouse)
    page.get_by_role("heading", name="Won!").wait_for()

    page.get_by_role("link", name="Leaderboard").last.click()
    page.get_by_role("link", name="Open deals").click()
    row = page.locator("tbody tr").filter(has=page.locator(f'a[href="{path}/replay"]'))
    scoring = deal_of(game["code"]).patience.scorings[0]
    expect(row).to_contain_text(f"{game['scores'][scoring]:,}")
    row.get_by_role("link", name="Replay").click()
    page.get_by_role("link", name="Last", exact=True).click()
    hands.at_ply(page, len(game["moves"]))
    assert not faults
    context.close()


@pytest.mark.parametrize("key", KEYS)
def test_a_game_is_lost_and_goes_on_by_undo_or_counts(page: Page, shared_server: Server, key: str) -> None:
    game = game_of(key, "lost")
    patience = deal_of(game["code"]).patience
    hands.prefer(page, shared_server, animation="off")
    hands.begin(page, shared_server, game["code"])
    path, last = urlsplit(page.url).path, len(game["moves"])
    play(page, shared_server, game["moves"], by_mouse, restart=False)
    page.get_by_role("heading", name="Stuck").wait_for()
    page.locator(".over").get_by_role("button", name="Undo").click()
    hands.at_ply(page, last + 1)
    expect(page.locator(".over")).to_have_count(0)
    if patience.scorings[0] not in RESULTS:
        return
    page.locator("#status").get_by_role("button", name="Redo").click()
    hands.at_ply(page, last + 2)
    page.get_by_role("button", name="End the game").click()
    page.get_by_role("heading", name="Given up").wait_for()
    page.get_by_role("link", name="Leaderboard").last.click()
    page.get_by_role("link", name="Open deals").click()
    row = page.locator("tbody tr").filter(has=page.locator(f'a[href="{path}/replay"]'))
    expect(row).to_contain_text(str(game["scores"][patience.scorings[0]]))


@pytest.mark.parametrize("key", KEYS)
def test_every_screen_holds_the_whole_table(browser: Browser, shared_server: Server, key: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    hands.begin(page, shared_server, game_of(key, "won")["code"])
    for width, height in [(360, 640), (640, 360), (768, 1024), (1366, 768), (2560, 1440)]:
        page.set_viewport_size({"width": width, "height": height})
        assert nothing_overflows(page), (width, height)
    context.close()


@pytest.mark.parametrize(
    "key", [key for key in KEYS if not look_of(deal_of(game_of(key, "won")["code"]).patience).columns]
)
def test_a_game_is_played_by_keys_and_hinted(page: Page, shared_server: Server, key: str) -> None:
    """Whatever the hint lights up can be picked up and put down with arrows and enter."""
    hands.prefer(page, shared_server, animation="off")
    hands.begin(page, shared_server, game_of(key, "won")["code"])
    page.locator(".line > .pile:not(.stock)", has=page.locator("button")).first.focus()
    page.keyboard.press("h")
    expect(page.locator("#table .hinted").first).to_be_visible()
    move = page.locator("#status").get_attribute("data-hint") or ""
    one = gestures.read(move)
    if one.join:
        page.locator(f'button[value="{one.source}x1"]').focus()
        page.keyboard.press("Enter")
        expect(place(page, one.target)).to_have_class(re.compile(r"\bmay\b"))
        place(page, one.target).focus()
        page.keyboard.press("Enter")
    elif page.locator(f'button[value="{one.source}x1"]').count():
        page.locator(f'button[value="{one.source}x1"]').focus()
        page.keyboard.press("Enter")
    else:
        page.keyboard.press("d")
    hands.at_ply(page, 1)
    page.keyboard.press("u")
    hands.at_ply(page, 2)


@pytest.mark.parametrize("key", KEYS)
def test_a_game_is_played_without_scripts(browser: Browser, shared_server: Server, key: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    game = game_of(key, "won")
    hands.begin(page, shared_server, game["code"])
    for number, move in enumerate(game["moves"][:5], 1):
        one = gestures.read(move)
        picks = page.locator(f'button[value="{one.source}x{one.count}"]')
        if one.join or picks.count():
            picks.click(position={"x": 8, "y": 4})
            place(page, one.target or one.source).locator(".to").click()
        else:
            page.locator("#pile-stock button").click()
        hands.at_ply(page, number)
    context.close()
