"""Pages at every size: nothing overflows, axe finds nothing, little is loaded, and all of it from here."""

import gzip
import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Response, expect

from app.cards.deck import pack
from app.patience import deals
from tests.browser import hands
from tests.builders import random_line
from tests.support.server import Server

SIZES = [(360, 640), (640, 360), (820, 1180), (1366, 768), (2560, 1440)]
PAGES = (
    *("/", "/play/spider", "/d/spider4-H3", "/leaderboard", "/rules/spider", "/learn", "/learn?step=9"),
    *("/races", "/arenas", "/daily", "/ratings", "/watch"),
)
FIRST_PAGE_LIMIT = 120 * 1024


def overflow(page: Page) -> str:
    """What sticks out of the window, if anything does."""
    script = """() => {
        const root = document.documentElement;
        if (root.scrollWidth > innerWidth) return `the page is ${root.scrollWidth - innerWidth}px too wide`;
        if (!document.body.classList.contains("play")) return "";
        if (root.scrollHeight > innerHeight) return `${root.scrollHeight - innerHeight}px too high`;
        const table = document.getElementById("table").getBoundingClientRect();
        for (const card of document.querySelectorAll("#table .c, #table i")) {
            const strip = card.getBoundingClientRect();
            const whole = card.matches(":last-child") ? strip.height : 0;
            const beside = strip.right > table.right + 1 || strip.left < table.left - 1;
            if (beside || strip.top + whole > table.bottom + 1)
                return `a card sticks out: ${card.className} of ${card.parentNode.id}`;
        }
        for (const tool of document.querySelectorAll("#tools .tool, #tools .facts dd")) {
            const box = tool.getBoundingClientRect();
            const out = box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
            if (box.width && out) return "a tool sticks out";
        }
        return "";
    }"""
    found: str = page.evaluate(script)
    return found


def long_code(longest: int = 30) -> str:
    """The code of a deal with a column of so many cards, and another of the rest of 46."""
    texts = [card.text for card in pack(4)]
    random.Random(3).shuffle(texts)
    sizes = (longest, 46 - longest, 1, 1, 1, 1, 1, 1, 1, 1)
    ends = list(itertools.accumulate(sizes))
    columns = [texts[end - size : end] for size, end in zip(sizes, ends, strict=True)]
    layout = {"columns": columns, "face_down": [5, *[0] * 9], "stock": texts[ends[-1] :]}
    return deals.document_deal(layout).code


def wide_code() -> str:
    """The code of a deal whose columns end with tens, jacks and aces: indices of two letters somewhere."""
    texts = sorted([card.text for card in pack(4)])
    ends = [text for text in texts if text[0] in "AJT"][::2][:10]
    for text in ends:
        texts.remove(text)
    columns = [[texts.pop() for _ in range(4 + (column < 4))] + [ends[column]] for column in range(10)]
    return deals.document_deal({"columns": columns, "face_down": [3] * 10, "stock": texts}).code


def look_at(page: Page, server: Server, path: str) -> None:
    answer = page.goto(server.url + path)
    assert answer is not None
    assert answer.ok, path


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_nothing_overflows(browser: Browser, shared_server: Server, size: tuple[int, int]) -> None:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    page = context.new_page()
    for path in PAGES:
        look_at(page, shared_server, path)
        assert overflow(page) == "", path
    for code in ("spider4-H3", long_code()):
        hands.begin(page, shared_server, code)
        assert overflow(page) == "", code
    page.locator(".menu > summary").click()
    assert overflow(page) == ""
    for path in with_others(page, shared_server):
        look_at(page, shared_server, path)
        assert overflow(page) == "", path
    context.close()


@pytest.mark.parametrize("faces", ["", "compact"])
@pytest.mark.parametrize("size", [(360, 640), (1366, 768)], ids=["phone", "desk"])
def test_signs_are_as_large_beside_indices_of_two_letters(
    page: Page, shared_server: Server, size: tuple[int, int], faces: str
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    hands.prefer(page, shared_server, faces=faces)
    look_at(page, shared_server, "/?lang=da")
    page.goto(f"{shared_server.url}/d/{wide_code()}")
    page.locator("main form button").first.click()
    hands.at_ply(page, 0)
    script = """cards => cards.map(card => {
        const range = document.createRange(), sign = getComputedStyle(card, "::after");
        range.selectNodeContents(card);
        const width = parseFloat(sign.width), ends = range.getBoundingClientRect().right + width;
        return [card.textContent, Math.round(width), ends - card.getBoundingClientRect().right];
    })"""
    found = page.locator("#table .pile:not(.stock) > .c").evaluate_all(script)
    assert {"Kn", "10", "Es"} <= {index for index, _, _ in found}
    assert len({width for _, width, _ in found}) == 1, found
    assert max(beyond for _, _, beyond in found) < 1, found


@pytest.mark.parametrize("longest", [24, 30, 37, 45])
def test_an_index_fits_into_its_strip_of_a_long_column(
    page: Page, shared_server: Server, longest: int
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    hands.begin(page, shared_server, long_code(longest))
    script = """cards => cards.slice(0, -1).map(card =>
        card.getBoundingClientRect().height - parseFloat(getComputedStyle(card).fontSize))"""
    found: list[float] = page.locator("#pile-1 > .c").evaluate_all(script)
    assert len(found) == longest - 6
    assert min(found) >= 0


def test_an_empty_place_beside_the_columns_is_on_the_table(page: Page, shared_server: Server) -> None:
    """Of a patience without a stock too."""
    for code in ("simple-simon-3W", "spider4-H3"):
        hands.begin(page, shared_server, code)
        place, table = page.locator("#pile-foundation").bounding_box(), page.locator("#table").bounding_box()
        assert place
        assert table
        assert place["y"] - table["y"] < 30, code


def test_each_felt_has_its_colour_by_day_and_by_night(page: Page, shared_server: Server) -> None:
    script = "getComputedStyle(document.getElementById('table')).backgroundImage"
    felts = ("", "blue", "wine", "slate")
    hands.begin(page, shared_server, "spider4-H3")
    seen = set()
    for scheme, light in (("light", ""), ("dark", ""), ("light", "dark"), ("dark", "light")):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for felt in felts:
            page.request.post(f"{shared_server.url}/preferences", form={"felt": felt, "light": light})
            page.reload()
            seen.add(page.evaluate(script))
    assert len(seen) == 2 * len(felts)  # by night the same, whoever says that it is night


def with_others(page: Page, server: Server) -> Iterator[str]:
    """The pages of a race before and while it runs, and of a game with company from either side."""
    here, other = page.request, page.context.browser.new_context().request  # type: ignore[union-attr]
    race = here.post(f"{server.url}/races", form={"table": "spider1", "listed": "yes"}).url
    yield race.removeprefix(server.url)
    for one in (other, here):
        for what in ("join", "ready"):
            one.post(f"{race}/{what}")
    page.goto(race)
    page.wait_for_url("**/g/*")  # it has begun
    yield page.url.removeprefix(server.url)
    yield race.removeprefix(server.url)
    game = here.post(f"{server.url}/play/spider", form={"suits": "4"}).url
    for form in ({"link": "play"}, {"link": "watch"}, {"watchable": "yes"}):
        here.post(f"{game}/share", form=form)
    address = here.get(f"{game}/share").text().partition('id="link-play" value="')[2].partition('"')[0]
    other.post(address)
    game = game.removeprefix(server.url)
    yield from ("/watch", game, f"{game}/share")
    page.context.clear_cookies()  # a stranger from here on
    yield from (address.removeprefix(server.url), game, race.removeprefix(server.url))


def faults(page: Page) -> str:
    """What axe finds."""
    results = Axe().run(page)
    found: str = results.generate_report() if results.violations_count else ""
    return found


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_on_the_pages(page: Page, shared_server: Server, path: str) -> None:
    for light in ("light", "dark"):
        hands.prefer(page, shared_server, light=light)
        look_at(page, shared_server, path)
        assert faults(page) == "", light


@pytest.mark.parametrize("light", ["light", "dark"])
def test_axe_finds_nothing_on_what_is_played_with_others(
    page: Page, shared_server: Server, light: str
) -> None:
    hands.prefer(page, shared_server, light=light, animation="off")
    for path in with_others(page, shared_server):
        look_at(page, shared_server, path)
        assert faults(page) == "", path


@pytest.mark.parametrize("look", [{}, {"light": "dark", "four_colour": "yes", "left_handed": "yes"}])
def test_axe_finds_nothing_on_board_and_replay(
    page: Page, shared_server: Server, look: dict[str, str]
) -> None:
    hands.prefer(page, shared_server, animation="off", **look)
    game = hands.won_game(2)
    hands.begin(page, shared_server, game["code"])
    for number, move in enumerate(game["moves"][:12], 1):
        hands.by_clicks(page, move)
        hands.at_ply(page, number)
    assert faults(page) == ""
    page.locator("#pile-4 button.c").last.click()
    page.locator(".menu > summary").click()
    assert faults(page) == ""
    page.goto(page.url.split("?")[0] + "/replay?ply=5")
    assert faults(page) == ""


def test_the_first_board_page_is_light_and_asks_no_other_host(page: Page, shared_server: Server) -> None:
    hands.begin(page, shared_server, hands.won_game(4)["code"])
    assert page.context.browser is not None
    cold = page.context.browser.new_context()
    cold.add_cookies(page.context.cookies())  # type: ignore[arg-type]
    first = cold.new_page()
    answers: list[Response] = []
    first.on("response", lambda answer: answers.append(answer))
    first.goto(page.url)
    first.wait_for_load_state("networkidle")
    assert all(answer.url.startswith(shared_server.url + "/") for answer in answers)
    weights = {answer.url: len(gzip.compress(answer.body(), 6)) for answer in answers}
    assert any("htmx" in url for url in weights)
    assert sum(weights.values()) <= FIRST_PAGE_LIMIT, weights
    cold.close()


def test_a_replay_goes_forwards_and_backwards_and_by_itself(page: Page, shared_server: Server) -> None:
    game = hands.won_game(1)
    hands.prefer(page, shared_server, animation="off")
    hands.begin(page, shared_server, game["code"])
    tables = [hands.seen(page)]
    for number, move in enumerate(game["moves"][:8], 1):
        hands.by_clicks(page, move)
        hands.at_ply(page, number)
        tables.append(hands.seen(page))
    page.goto(page.url.split("?")[0] + "/replay")
    for ply in (1, 2, 3):
        page.get_by_role("link", name="On", exact=True).click()
        hands.at_ply(page, ply)
        assert hands.seen(page) == tables[ply]
    page.keyboard.press("ArrowLeft")
    hands.at_ply(page, 2)
    assert hands.seen(page) == tables[2]
    page.locator("#seek").fill("7")
    hands.at_ply(page, 7)
    assert hands.seen(page) == tables[7]
    page.get_by_role("link", name="First", exact=True).click()
    hands.at_ply(page, 0)
    page.locator("#pace").select_option("0.5")
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").click()
    page.locator("#pace").select_option("16")
    page.get_by_role("button", name="Play").click()
    hands.at_ply(page, 8)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert hands.seen(page) == tables[8]


def test_a_deal_can_be_shared(page: Page, shared_server: Server) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{shared_server.url}/d/spider4-H3")
    page.get_by_role("button", name="Copy the link").click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    picture: Any = page.locator('meta[property="og:image"]').get_attribute("content")
    answer = page.request.get(picture)
    assert answer.ok
    assert answer.headers["content-type"] == "image/png"


def test_long_random_games_stay_on_the_table(page: Page, shared_server: Server) -> None:
    """The server's own positions, far into games that nobody plays well, on the smallest screen."""
    page.set_viewport_size({"width": 360, "height": 640})
    deal = deals.deal_of("spider4-H3")
    for seed in (1, 2):
        line = random_line(deal.patience, deal.start, random.Random(seed), 150)
        position = deal.start
        for move in line:
            position = deal.patience.play(position, move).position
        hands.begin(page, shared_server, deals.layout_deal(deal.patience, position).code)
        assert overflow(page) == ""
