"""Hands for the browser tests: the same move by clicks, by mouse, by finger, by keys."""

import json
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Error, Locator, Page

from app.patience import deals
from tests.builders import golden
from tests.support.server import Server

COLUMNS = range(1, 11)


def won_game(suits: int) -> dict[str, Any]:
    """A deal of so many suits with moves that win it: its ``code``, ``moves`` and ``scores``."""
    game: dict[str, Any] = next(game for game in golden("won_games.json") if game["suits"] == suits)
    return {**game, "code": deals.document_deal(game["layout"]).code}


def prefer(page: Page, server: Server, **preferences: str) -> None:
    """Sets preferences before there is a player."""
    value = quote(json.dumps(preferences))
    page.context.add_cookies([{"name": "spindel-preferences", "value": value, "url": server.url}])


def begin(page: Page, server: Server, code: str) -> None:
    """A new game on a deal, by its page."""
    page.goto(f"{server.url}/d/{code}")
    page.get_by_role("button", name="Play this deal").click()
    at_ply(page, 0)


def send(page: Page, moves: list[str]) -> None:
    """Moves as the board would send them, without a hand; then the board as it stands after them."""
    first = ply(page)
    for number, move in enumerate(moves, first):
        sent = page.request.post(
            page.url.partition("?")[0] + "/act",
            form={"ply": str(number), "move": move},
            headers={"HX-Request": "true", "Sec-Fetch-Site": "same-origin"},
        )
        assert sent.ok, (move, sent.text())
    page.reload()
    at_ply(page, first + len(moves))


def at_ply(page: Page, ply: int) -> None:
    """Waits until the board shows a ply, and the page's scripts are there: a press before that is answered by
    plain forms. And until no card is on its way: two that come from the stock lie there one on the other at
    first, and who presses where the lower one is seen picks up the upper one."""
    try:
        page.wait_for_selector(f'#status[data-ply="{ply}"]', state="attached", timeout=30_000)
        page.wait_for_load_state()
        page.wait_for_selector(".pile.flying", state="detached")
    except Error as error:
        said = page.inner_text(".say") if page.locator(".say").count() else page.inner_text("body")
        raise AssertionError(f"not at ply {ply}; the board says: {said}") from error


def ply(page: Page) -> int:
    return int(page.locator("#status").get_attribute("data-ply") or "")


def seen(page: Page) -> list[str]:
    """The table as shown: for each pile its cards' classes, a dot for each face-down card."""
    script = """piles => piles.map(pile => [...pile.children].map(
        card => card.tagName === "I" ? "." : card.className.replace(" up", "")).join("|"))"""
    shown: list[str] = page.eval_on_selector_all(".columns > .pile", script)
    return shown


def pile(page: Page, column: str) -> Locator:
    return page.locator(f"#pile-{column}")


def point(spot: Locator, dx: float = 12, dy: float = 5) -> tuple[float, float]:
    """A point a little inside the top left corner: the strip of a covered card is that low."""
    box = spot.bounding_box()
    assert box is not None
    return box["x"] + dx, box["y"] + min(dy, max(1.0, box["height"] / 2))


def end_of(page: Page, column: str) -> tuple[float, float]:
    """A point on the last card of a column, or on the empty place."""
    cards = pile(page, column).locator("> .c")
    spot = cards.last if cards.count() else pile(page, column)
    box = spot.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + min(18.0, box["height"] / 2)


def card(page: Page, column: str, count: str) -> Locator:
    """The card that is picked up with all that lie on it."""
    return page.locator(f'button[value="{column}x{count}"]')


def parts(move: str) -> tuple[str, str, str]:
    source, _, rest = move.partition("-")
    target, _, count = rest.partition("x")
    return source, target, count


def by_clicks(page: Page, move: str) -> None:
    if move == "deal":
        page.mouse.click(*point(page.locator("#pile-stock button"), 15, 20))
        return
    source, target, count = parts(move)
    page.mouse.click(*point(card(page, source, count)))
    page.mouse.click(*end_of(page, target))


def by_mouse(page: Page, move: str) -> None:
    if move == "deal":
        by_clicks(page, move)
        return
    source, target, count = parts(move)
    start, end = point(card(page, source, count)), end_of(page, target)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + 20)
    page.mouse.move(*end, steps=2)
    page.mouse.up()


def by_finger(page: Page, move: str) -> None:
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        session.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        )

    if move == "deal":
        touch("touchStart", point(page.locator("#pile-stock button"), 15, 20))
        touch("touchEnd")
    else:
        source, target, count = parts(move)
        start, end = point(card(page, source, count), 8, 4), end_of(page, target)
        touch("touchStart", start)
        touch("touchMove", ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + 15))
        touch("touchMove", end)
        touch("touchEnd")
    session.detach()


def by_keys(page: Page, move: str) -> None:
    """As one plays who never touches a mouse: a digit for the column, arrows for the cut, enter."""
    if not page.evaluate("document.getElementById('table').contains(document.activeElement)"):
        pile(page, "1").focus()
    if move == "deal":
        page.keyboard.press("d")
        return
    source, target, count = parts(move)
    page.keyboard.press(source[-1])
    for _ in range(int(count) - 1):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.keyboard.press(target[-1])
    page.keyboard.press("Enter")
