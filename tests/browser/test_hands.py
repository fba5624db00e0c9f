"""What single gestures do, and what they must not do."""

import re
from time import monotonic
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import hands
from tests.support.server import Server

PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}


def begin(page: Page, server: Server, suits: int = 1, moves: int = 0) -> list[str]:
    """A won game's deal after some of its moves; the moves that follow."""
    game = hands.won_game(suits)
    hands.prefer(page, server, animation="off")
    hands.begin(page, server, game["code"])
    for number, move in enumerate(game["moves"][:moves], 1):
        hands.by_clicks(page, move)
        hands.at_ply(page, number)
    rest: list[str] = game["moves"][moves:]
    return rest


def settled(page: Page) -> None:
    """Waits until nothing can be under way any more."""
    page.wait_for_timeout(700)


def test_a_picked_card_lights_up_the_columns_that_take_it(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    button = page.locator("#pile-4 button.c").last
    button.click()
    legal = page.locator("#status").get_attribute("data-legal") or ""
    wanted = {move.split("-")[1].split("x")[0] for move in legal.split() if move.startswith("4-")}
    lit = {(pile.get_attribute("id") or "").removeprefix("pile-") for pile in page.locator(".pile.may").all()}
    assert lit == wanted != set()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert "can go to" in page.locator(".say").text_content()  # type: ignore[operator]


def test_of_a_column_that_takes_the_card_only_the_end_lights_up(page: Page, shared_server: Server) -> None:
    begin(page, shared_server, suits=4, moves=1)
    column = page.locator("#pile-1")
    assert column.locator("> b.c").count()  # cards that do not move lie above its end
    shadows = "cards => cards.map(card => getComputedStyle(card, '::before').boxShadow)"
    dark = column.locator("> .c").evaluate_all(shadows)
    page.locator("#pile-9 button.c").last.click()
    expect(column).to_have_class(re.compile(r"\bmay\b"))
    for state in ("may", "at", "hinted"):
        column.evaluate("(pile, state) => { pile.className = `pile ${state}`; }", state)
        lit = column.locator("> .c").evaluate_all(shadows)
        assert [one != other for one, other in zip(lit, dark, strict=True)] == [
            *[False] * (len(dark) - 1),
            True,
        ], state


def test_while_a_card_is_picked_a_tap_elsewhere_plays_nothing(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    for elsewhere in ("#pile-stock button", ".rail", ".facts", "#table"):
        page.locator("#pile-4 button.c").last.click()
        page.mouse.click(*hands.point(page.locator(elsewhere), 3, 3))
        settled(page)
        assert hands.ply(page) == 0, elsewhere


def test_a_double_tap_plays_the_best_place(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    page.locator("#pile-4 button.c").last.dblclick()
    hands.at_ply(page, 1)


def test_a_double_tap_on_a_card_without_a_place_says_so(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    legal = page.locator("#status").get_attribute("data-legal") or ""
    places = {move.split("-")[0] for move in legal.split()}
    column = next(str(column) for column in hands.COLUMNS if str(column) not in places)
    page.locator(f"#pile-{column} button.c").last.dblclick()
    expect(page.locator(".say")).to_be_visible()
    expect(page.locator(".say")).to_contain_text("No column takes it now")
    assert hands.ply(page) == 0


def test_the_menu_closes_when_it_has_served(page: Page, shared_server: Server) -> None:
    begin(page, shared_server, moves=1)
    menu = page.locator(".menu > div")
    for closing in (
        lambda: page.get_by_role("button", name="Restart this deal").click(),
        lambda: page.keyboard.press("Escape"),
        lambda: page.mouse.click(*hands.point(page.locator("#table"), 3, 60)),
    ):
        page.locator(".menu > summary").click()
        expect(menu).to_be_visible()
        closing()
        expect(menu).to_be_hidden()
    hands.at_ply(page, 2)


def test_from_the_page_an_arrow_leads_to_the_table(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#pile-1 button.c").last).to_be_focused()


def test_a_double_tap_can_be_switched_off(page: Page, shared_server: Server) -> None:
    hands.prefer(page, shared_server, animation="off", double_tap="off")
    hands.begin(page, shared_server, hands.won_game(1)["code"])
    page.locator("#pile-4 button.c").last.dblclick()
    settled(page)
    assert hands.ply(page) == 0


def test_a_triple_click_plays_once_wherever_it_falls(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    page.mouse.click(*hands.point(page.locator("#pile-4 button.c").last), click_count=3, delay=5)
    settled(page)
    assert hands.ply(page) == 1  # the card went to its best place, and nothing else moved

    page.locator("#pile-9 button.c").last.click()
    page.mouse.click(*hands.end_of(page, "2"), click_count=3)
    settled(page)
    assert hands.ply(page) == 2

    page.mouse.click(*hands.point(page.locator("#pile-stock button"), 20, 20), click_count=3)
    settled(page)
    assert hands.ply(page) == 3


def test_a_triple_tap_by_finger_plays_once(browser: Browser, shared_server: Server) -> None:
    context = browser.new_context(**PHONE)
    page = context.new_page()
    begin(page, shared_server)
    for spot in ("#pile-4 button.c:last-of-type", "#pile-stock button"):
        before = hands.ply(page)
        x, y = hands.point(page.locator(spot), 12, 12)
        for _ in range(3):
            page.touchscreen.tap(x, y)
        settled(page)
        assert hands.ply(page) == before + 1
    context.close()


@pytest.mark.parametrize(
    "screen", [{"viewport": {"width": 1366, "height": 768}}, PHONE], ids=["mouse", "finger"]
)
def test_who_turns_the_stock_card_by_card_may_tap_fast(
    browser: Browser, shared_server: Server, screen: dict[str, Any]
) -> None:
    context = browser.new_context(**screen)
    page = context.new_page()
    hands.prefer(page, shared_server, animation="off")
    hands.begin(page, shared_server, "pyramid3-1C")
    tap = page.touchscreen.tap if "has_touch" in screen else page.mouse.click
    spot = hands.point(page.locator("#pile-stock button"), 12, 12)
    for _ in range(3):
        tap(*spot)  # a hand that trembles
    settled(page)
    assert hands.ply(page) == 1
    hands.send(page, ["draw"] * 17)
    for ply in range(19, 25):
        tap(*spot)
        page.wait_for_timeout(200)
        hands.at_ply(page, ply)
    tap(*spot)  # one tap too many goes through nothing again
    settled(page)
    assert hands.ply(page) == 24
    tap(*spot)
    hands.at_ply(page, 25)
    expect(page.locator("#pile-stock")).to_have_attribute("data-count", "24")
    context.close()


def test_a_key_that_is_held_down_deals_once(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    page.keyboard.press("ArrowRight")
    for _ in range(4):
        page.keyboard.down("d")
        page.wait_for_timeout(60)
    page.keyboard.up("d")
    settled(page)
    assert hands.ply(page) == 1


def test_a_slow_tap_by_finger_is_a_tap(browser: Browser, shared_server: Server) -> None:
    context = browser.new_context(**PHONE)
    page = context.new_page()
    begin(page, shared_server)
    session = context.new_cdp_session(page)
    for spot in ("#pile-stock button", "#pile-4 button.c:last-of-type"):
        x, y = hands.point(page.locator(spot), 12, 12)
        session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        page.wait_for_timeout(1200)
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    hands.at_ply(page, 1)
    page.locator(".c.up").wait_for()
    context.close()


def test_quick_undos_are_each_played(page: Page, shared_server: Server) -> None:
    begin(page, shared_server, moves=4)
    undo = page.get_by_role("button", name="Undo")
    for ply in (5, 6):
        undo.click()
        hands.at_ply(page, ply)
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()


def test_a_drop_that_the_rules_forbid_says_why_and_goes_back(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    before = hands.seen(page)
    legal = (page.locator("#status").get_attribute("data-legal") or "").split()
    target = next(str(column) for column in range(2, 11) if f"1-{column}x1" not in legal)
    hands.by_mouse(page, f"1-{target}x1")
    expect(page.locator(".say")).to_contain_text(f"column {target} ends with")
    assert hands.seen(page) == before
    assert hands.ply(page) == 0


def test_a_refused_deal_lights_up_the_empty_column_and_says_why(page: Page, shared_server: Server) -> None:
    rest = begin(page, shared_server)
    played = 0
    while page.locator(".columns > .pile:not(:has(> .c))").count() == 0:
        hands.by_clicks(page, rest[played])
        played += 1
        hands.at_ply(page, played)
    space = (page.locator(".columns > .pile:not(:has(> .c))").first.get_attribute("id") or "")[5:]
    hands.by_clicks(page, "deal")
    expect(page.locator(".say")).to_contain_text(f"Column {space} is empty")
    expect(page.locator("#status")).to_have_attribute("data-lit", space)
    name = page.locator(f"#pile-{space}").evaluate("pile => getComputedStyle(pile, '::before').animationName")
    assert name == "lit"
    assert hands.ply(page) == played


def test_a_hint_is_said_and_shown(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".say")).to_contain_text("Hint:")
    assert page.locator(".hinted").count() >= 1
    assert hands.ply(page) == 0


def test_restart_can_be_undone(page: Page, shared_server: Server) -> None:
    begin(page, shared_server, moves=3)
    before = hands.seen(page)
    page.locator(".menu > summary").click()
    page.get_by_role("button", name="Restart this deal").click()
    hands.at_ply(page, 4)
    assert hands.seen(page) != before
    page.get_by_role("button", name="Undo").click()
    hands.at_ply(page, 5)
    assert hands.seen(page) == before


def test_a_stale_tab_is_told_and_brought_up_to_date(page: Page, shared_server: Server) -> None:
    rest = begin(page, shared_server)
    other = page.context.new_page()
    other.goto(page.url)
    hands.by_clicks(other, rest[0])
    hands.at_ply(other, 1)
    # The first tab is in the background meanwhile and knows nothing.
    page.evaluate("document.getElementById('status').dataset.ply")
    hands.by_clicks(page, rest[0])
    hands.at_ply(page, 1)
    hands.by_clicks(page, rest[1])
    hands.at_ply(page, 2)
    hands.by_clicks(other, "deal")
    expect(other.locator(".say")).to_contain_text("moved on")
    hands.at_ply(other, 2)
    assert hands.seen(other) == hands.seen(page)


def test_a_late_answer_does_not_take_the_board_back(page: Page, shared_server: Server) -> None:
    rest = begin(page, shared_server, moves=1)
    old = page.content()
    hands.by_clicks(page, rest[0])
    hands.at_ply(page, 2)
    assert 'data-ply="1"' in old
    page.route(
        "**/now?*",
        lambda route: route.fulfill(
            body='<div id="status" data-ply="1" hx-swap-oob="outerMorph">old</div>', content_type="text/html"
        ),
    )
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    settled(page)
    assert hands.ply(page) == 2


def test_an_answer_that_never_came_is_asked_for_again(page: Page, shared_server: Server) -> None:
    rest = begin(page, shared_server)
    lost: list[str] = []

    def lose_first(route: object) -> None:
        if lost:
            route.continue_()  # type: ignore[attr-defined]
        else:
            lost.append("request")
            route.abort()  # type: ignore[attr-defined]

    page.route("**/act", lose_first)
    hands.by_clicks(page, rest[0])
    hands.at_ply(page, 1)
    assert lost


def test_keys_go_on_working_when_the_card_under_them_is_gone(page: Page, shared_server: Server) -> None:
    moves = begin(page, shared_server)[:4]
    for ply, move in enumerate(moves, 1):
        hands.by_keys(page, move)
        hands.at_ply(page, ply)
    for ply, key in enumerate("uuurrh", len(moves) + 1):
        page.keyboard.press(key)
        if key != "h":
            hands.at_ply(page, ply)
        assert page.evaluate("Boolean(document.activeElement.closest('.pile'))"), key
    expect(page.locator(".say")).to_contain_text("Hint:")


def test_keys_are_heard_where_nothing_has_the_focus(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    page.locator("body").press("d")
    hands.at_ply(page, 1)
    page.keyboard.press("u")
    hands.at_ply(page, 2)
    page.keyboard.press("3")
    expect(page.locator("#pile-3 button.c").last).to_be_focused()


def test_who_undoes_everything_by_its_button_can_redo_by_key(page: Page, shared_server: Server) -> None:
    begin(page, shared_server, moves=2)
    page.get_by_role("button", name="Undo").focus()
    for ply in (3, 4):
        page.keyboard.press("Enter")
        hands.at_ply(page, ply)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    expect(page.get_by_role("button", name="Redo")).to_be_focused()
    page.keyboard.press("r")
    hands.at_ply(page, 5)


def test_a_key_pressed_in_the_menu_plays_nothing(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    page.locator(".menu > summary").click()
    page.get_by_label("Felt").press("d")
    page.get_by_role("button", name="Restart this deal").press("d")
    settled(page)
    assert hands.ply(page) == 0


def test_the_clock_starts_with_the_first_move_and_can_be_hidden(page: Page, shared_server: Server) -> None:
    rest = begin(page, shared_server)
    page.wait_for_timeout(1500)
    assert page.inner_text("#clock") == "0:00"
    began = monotonic()
    hands.by_clicks(page, rest[0])
    hands.at_ply(page, 1)
    expect(page.locator("#clock")).to_have_text(re.compile("0:0[3-9]"), timeout=20_000)
    assert monotonic() - began >= 2
    page.locator(".menu > summary").click()
    page.get_by_label("Hide the clock").check()
    expect(page.locator("#clock")).to_be_hidden()
    page.reload()
    expect(page.locator("#clock")).to_be_hidden()


def test_the_left_handed_table_is_found_in_the_menu_and_kept(page: Page, shared_server: Server) -> None:
    begin(page, shared_server)
    page.locator(".menu > summary").click()
    with page.expect_response("**/preferences"):
        page.get_by_label("Left-handed").check()
    stock, column = page.locator("#pile-stock").bounding_box(), page.locator("#pile-1").bounding_box()
    assert stock is not None
    assert column is not None
    assert stock["x"] < column["x"]
    undo, redo = (page.get_by_role("button", name=name).bounding_box() for name in ("Undo", "Redo"))
    assert undo is not None
    assert redo is not None
    assert undo["x"] < redo["x"]  # their arrows point so
    page.reload()
    assert "left" in (page.locator("html").get_attribute("class") or "")


@pytest.mark.parametrize(("animation", "glides"), [("normal", True), ("off", False)])
def test_moving_cards_glide_unless_the_player_wants_none(
    page: Page, shared_server: Server, animation: str, glides: bool
) -> None:
    hands.prefer(page, shared_server, animation=animation)
    game = hands.won_game(1)
    hands.begin(page, shared_server, game["code"])
    page.evaluate("""() => {
        window.flown = 0;
        const count = changes => {
            for (const { target } of changes) if (target.matches(".pile.flying")) window.flown += 1;
        };
        const table = document.getElementById("table");
        new MutationObserver(count).observe(table, { subtree: true, attributeFilter: ["class"] });
    }""")
    hands.by_clicks(page, game["moves"][0])
    hands.at_ply(page, 1)
    assert (page.evaluate("window.flown") > 0) == glides
