"""The engine from the board and after the game, with the real solver behind it."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from app.patience.deals import deal_of, layout_deal
from app.patience.replay import position_after
from tests.browser import hands
from tests.browser.patience_hands import by_mouse
from tests.builders import golden
from tests.support.server import Server

LONG = 60_000  # ms: the machine may be busy, and the solver has to come up first


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    one = Server(tmp_path_factory.mktemp("engine"), solver_processes="1", bank_size="0")
    one.start()
    yield one
    one.kill()


@pytest.fixture
def quiet(page: Page) -> Iterator[Page]:
    """A page that complains of nothing: neither scripts nor the content security policy."""
    said: list[str] = []
    page.on("console", lambda one: said.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda one: said.append(str(one)))
    yield page
    assert said == []


@pytest.mark.timeout(200)
def test_the_board_says_whether_the_game_can_still_be_won(quiet: Page, house: Server) -> None:
    game = hands.won_game(1)
    hands.begin(quiet, house, game["code"])
    quiet.locator(".menu > summary").click()
    quiet.get_by_text("Can it still be won?", exact=True).click()
    quiet.get_by_role("button", name="Ask the engine").click()
    expect(quiet.locator(".say")).to_contain_text("It can still be won.", timeout=LONG)
    # The game goes on, and the word goes with the next move.
    hands.by_mouse(quiet, game["moves"][0])
    hands.at_ply(quiet, 1)
    expect(quiet.locator(".say")).not_to_contain_text("won")


@pytest.mark.timeout(200)
def test_the_replay_of_an_ended_game_shows_where_it_was_lost(quiet: Page, house: Server) -> None:
    game = hands.won_game(1)
    hands.begin(quiet, house, game["code"])
    for number, move in enumerate(game["moves"][:3], 1):
        hands.by_mouse(quiet, move)
        hands.at_ply(quiet, number)
    quiet.locator(".menu > summary").click()
    quiet.get_by_text("Give up", exact=True).click()
    quiet.get_by_role("button", name="Yes, give up").click()
    quiet.get_by_role("link", name="Replay").click()
    quiet.get_by_role("button", name="Analyse this game").click()
    graph = quiet.locator("#analysis svg")
    expect(graph).to_be_visible(timeout=LONG)
    expect(quiet.locator("#analysis")).to_contain_text("It could still be won at the end.", timeout=LONG)
    assert quiet.locator("#analysis rect.won").count() == 1
    quiet.locator("#analysis").get_by_role("link", name="Analysis").click()
    quiet.get_by_role("link", name="Play on from here").click()
    quiet.get_by_role("button", name="Play this deal").click()
    hands.at_ply(quiet, 0)


@pytest.mark.timeout(200)
def test_a_deals_page_is_asked_and_answers(quiet: Page, house: Server) -> None:
    quiet.goto(f"{house.url}/d/spider1-HZ")
    quiet.get_by_role("button", name="Ask the engine").click()
    expect(quiet.locator("#verdict")).to_contain_text("This deal can be won.", timeout=LONG)


@pytest.mark.timeout(200)
@pytest.mark.parametrize("code", ["pyramid1-GX", "hypyt52-1C", "holy-seven-EP"])
def test_who_follows_the_engines_hints_wins(quiet: Page, house: Server, code: str) -> None:
    game = next(
        game for game in golden("patience_games.json") if (game["code"], game["status"]) == (code, "won")
    )
    deal = deal_of(code)
    late = position_after(deal.patience, deal.start, game["moves"][:-12])
    hands.begin(quiet, house, layout_deal(deal.patience, late).code)
    quiet.locator(".menu > summary").click()
    quiet.get_by_text("Can it still be won?", exact=True).click()
    quiet.get_by_role("button", name="Ask the engine").click()
    expect(quiet.locator(".say")).to_contain_text("It can still be won.", timeout=LONG)
    asked = f"{house.url}/api/v1{urlsplit(quiet.url).path.replace('/g/', '/games/')}/hint"
    for number in range(1, 40):
        quiet.get_by_role("button", name="Hint").click()
        quiet.wait_for_selector("#status[data-hint]", state="attached")
        expect(quiet.locator("#table .hinted").first).to_be_visible()
        shown = quiet.locator("#status").get_attribute("data-hint") or ""
        given = quiet.request.get(asked).json()
        assert (given["move"], given["rests_on"]) == (shown, "line")
        by_mouse(quiet, shown, number)
        hands.at_ply(quiet, number)
        if quiet.locator(".over").count():
            break
    quiet.get_by_role("heading", name="Won!").wait_for()
