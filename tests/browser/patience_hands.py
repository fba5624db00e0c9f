"""Hands for every patience: they read a move as the board does, and pick up and put down by place."""

from collections.abc import Callable, Iterable

from playwright.sync_api import Locator, Page

from app.web import gestures
from tests.browser import hands

TURN_MS, AGAIN_MS = 160, 450
"""Taps on a stock that follow each other sooner are one tap: where one card is turned, and elsewhere."""

Hand = Callable[[Page, str, int], None]
"""Makes a move; the number of the move is for hands that do things now this way, now that."""


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
    turned = page.locator("#table[data-turns] #pile-stock button:not(.again)").count()
    page.wait_for_timeout(TURN_MS if turned else AGAIN_MS)
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


def play(page: Page, moves: Iterable[str], hand: Hand) -> None:
    """Moves by hand, from where the board stands."""
    for number, move in enumerate(moves, hands.ply(page) + 1):
        hand(page, move, number)
        hands.at_ply(page, number)
