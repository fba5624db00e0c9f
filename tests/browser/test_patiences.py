"""Every other patience in a browser: won and lost, by mouse and by finger, resumed, ranked, replayed.

The moves are those of the golden games, made by hand from the first to the last. Only Spilzone is too long
for that: by mouse the first and the last moves of its won game are made, and those between are sent as the
board would send them; by finger it is won from a position near the end. Spilzone and Relaxed Spider are lost
from such positions.
"""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from app.patience.deals import deal_of
from app.patience.scoring import RESULTS
from app.web import gestures
from app.web.presentation import look_of
from tests.browser import hands
from tests.browser.patience_hands import Hand, by_finger, by_mouse, place, play
from tests.builders import golden
from tests.support.server import Server

LONG, ENDS = 120, 20
"""Of a game of more moves only so many at either end are made by hand."""
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
DESK: dict[str, Any] = {"viewport": {"width": 1366, "height": 768}}
GAMES: list[dict[str, Any]] = golden("patience_games.json")
KEYS = sorted({game["patience"] for game in GAMES})
by_hands = pytest.mark.parametrize(
    ("hand", "screen"), [(by_mouse, DESK), (by_finger, PHONE)], ids=["mouse", "finger"]
)


def game_of(key: str, status: str, *, whole: bool = False) -> dict[str, Any]:
    """The shortest golden game that ended so; ``whole``: from an opening."""
    games = [game for game in GAMES if game["patience"] == key and game["status"] == status]
    return min(
        (one for one in games if not (whole and "-x-" in one["code"])), key=lambda one: len(one["moves"])
    )


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
@by_hands
def test_a_game_is_won_ranked_and_replayed(
    browser: Browser, shared_server: Server, key: str, hand: Hand, screen: dict[str, Any]
) -> None:
    """By mouse the game is one from its opening, and in the middle the server is killed and comes back."""
    whole = hand is by_mouse
    game = game_of(key, "won", whole=whole)
    context = browser.new_context(**screen)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    hands.prefer(page, shared_server, animation="off")
    hands.begin(page, shared_server, game["code"])
    path, moves = urlsplit(page.url).path, game["moves"]
    assert nothing_overflows(page)
    long = len(moves) > LONG
    first = ENDS if long else len(moves) // 2
    play(page, moves[:first], hand)
    if whole:
        shared_server.restart()
    if long:
        hands.send(page, moves[ENDS:-ENDS])
    play(page, moves[-ENDS if long else first :], hand)
    page.get_by_role("heading", name="Won!").wait_for()

    if whole:
        page.get_by_role("link", name="Leaderboard").last.click()
        page.get_by_role("link", name="Open deals").click()
    else:
        page.get_by_role("link", name="Share this deal").click()
    scoring = deal_of(game["code"]).patience.scorings[0]
    row = page.locator("tbody tr").filter(has=page.locator(f'a[href="{path}/replay"]')).first
    expect(row).to_contain_text(f"{game['scores'][scoring]:,}")
    row.get_by_role("link", name="Replay").click()
    page.get_by_role("link", name="Last", exact=True).click()
    hands.at_ply(page, len(moves))
    assert not faults
    context.close()


@pytest.mark.parametrize("key", KEYS)
@by_hands
def test_a_game_is_lost_and_goes_on_by_undo_or_counts(
    browser: Browser, shared_server: Server, key: str, hand: Hand, screen: dict[str, Any]
) -> None:
    game = game_of(key, "lost")
    scoring = deal_of(game["code"]).patience.scorings[0]
    context = browser.new_context(**screen)
    page = context.new_page()
    hands.prefer(page, shared_server, animation="off")
    hands.begin(page, shared_server, game["code"])
    path, last = urlsplit(page.url).path, len(game["moves"])
    play(page, game["moves"], hand)
    page.get_by_role("heading", name="Stuck").wait_for()
    page.locator(".over").get_by_role("button", name="Undo").click()
    hands.at_ply(page, last + 1)
    expect(page.locator(".over")).to_have_count(0)
    if scoring in RESULTS:
        page.locator("#status").get_by_role("button", name="Redo").click()
        hands.at_ply(page, last + 2)
        page.get_by_role("button", name="End the game").click()
        page.get_by_role("heading", name="Given up").wait_for()
        page.get_by_role("link", name="Leaderboard").last.click()
        page.get_by_role("link", name="Open deals").click()
        row = page.locator("tbody tr").filter(has=page.locator(f'a[href="{path}/replay"]'))
        expect(row).to_contain_text(str(game["scores"][scoring]))
    context.close()


@pytest.mark.parametrize("size", [(390, 844), (360, 640)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("key", ["holy-seven", "hypyt"])
def test_what_is_said_of_a_lost_game_covers_none_of_its_cards(
    page: Page, shared_server: Server, key: str, size: tuple[int, int]
) -> None:
    game = game_of(key, "lost")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    hands.begin(page, shared_server, game["code"])
    hands.send(page, game["moves"])
    over = page.locator(".over").bounding_box()
    assert over
    piles = [pile.bounding_box() for pile in page.locator("#table .pile").all()]
    assert max(box["y"] + box["height"] for box in piles if box) <= over["y"]


@pytest.mark.parametrize("key", KEYS)
def test_every_screen_holds_the_whole_table(browser: Browser, shared_server: Server, key: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    hands.begin(page, shared_server, game_of(key, "won", whole=True)["code"])
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
    hands.begin(page, shared_server, game_of(key, "won", whole=True)["code"])
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
    game = game_of(key, "won", whole=True)
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
