"""An arena with real browsers: pages that fit, and three players from the way in to the result."""

from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.arenas import store
from app.arenas.verify import differences
from app.db import open_database
from app.games.service import now_ms
from tests.browser import hands
from tests.support.server import Server

WAIT = 40_000
Visit = Callable[[], Page]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """New visitors, each in a browser of their own; no script of a page may have failed."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def one() -> Page:
        contexts.append(browser.new_context(viewport={"width": 1000, "height": 700}))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
        return page

    yield one
    for context in contexts:
        context.close()
    assert not faults


def make(page: Page, server: Server, delay: str = "0") -> str:
    """Makes an arena that begins in so many minutes; its address."""
    page.goto(f"{server.url}/arenas")
    page.get_by_label("Game").select_option("spider1")
    page.get_by_label("Begins in").select_option(delay)
    page.get_by_role("button", name="Make the arena").click()
    return page.url


def alter(server: Server, address: str, **values: int) -> list[str]:
    """Puts an arena's times forward; where its table is not what the logs come to."""
    db = open_database(server.database_url)
    try:
        with db.write() as conn:
            if values:
                store.change(conn, address.rpartition("/")[2], **values)
            arena = store.find(conn, address.rpartition("/")[2])
            assert arena is not None
            return differences(conn, arena)
    finally:
        db.close()


def table(page: Page) -> list[str]:
    """The lines of the table, without what only the one who looks is told."""
    return [text.replace(" you", "") for text in page.locator("#arena tbody tr").all_inner_texts()]


def give_up(page: Page) -> None:
    page.get_by_text("Menu", exact=True).click()
    page.locator(".menu summary", has_text="Give up").click()
    page.get_by_role("button", name="Yes, give up").click()


def play(page: Page, moves: int) -> None:
    for _ in range(moves):
        ply = hands.ply(page)
        legal = page.locator("#status").get_attribute("data-legal") or ""
        hands.by_clicks(page, legal.split()[0])
        hands.at_ply(page, ply + 1)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_three_players_through_an_arena(visit: Visit, server: Server) -> None:
    pages = [visit() for _ in range(3)]
    for page in pages:
        hands.prefer(page, server, animation="off")
    looker = visit()
    address = make(pages[0], server, delay="5")
    looker.goto(address)
    for page in pages:
        page.goto(address)
        page.get_by_role("button", name="Join the arena").click()
    expect(looker.locator("#arena tbody tr")).to_have_count(3, timeout=WAIT)
    alter(server, address, starts_at=now_ms(), due_at=now_ms())  # it begins now, not in five minutes

    # The race opens by itself, the table says who is in it, and all have the same cards.
    for page in pages:
        page.wait_for_url("**/g/*", timeout=WAIT)
        page.locator(".strip").wait_for()
    expect(looker.locator("#arena tbody a")).to_have_count(3, timeout=WAIT)
    assert hands.seen(pages[0]) == hands.seen(pages[1]) == hands.seen(pages[2])
    for page in pages[:2]:
        play(page, 1)
    for page in pages:
        give_up(page)

    # Points come by themselves to one who only looks. Who made no move pauses; the others wait again.
    expect(looker.locator("#arena tbody a")).to_have_count(0, timeout=WAIT)
    lines = table(looker)
    assert {line.split("\t")[4] for line in lines} == {"1"}
    assert "Guest 3" in lines[2]
    assert "pauses" in lines[2]
    for page in pages:
        page.get_by_role("link", name="Back to the arena").click()
    expect(pages[2].get_by_role("button", name="Come back")).to_be_visible()
    for page in pages[:2]:
        page.wait_for_url("**/g/*", timeout=WAIT)

    # The server is killed in the middle, and the arena's hour is over when it is up again.
    server.kill()
    alter(server, address, ends_at=now_ms(), due_at=now_ms())
    server.start()
    play(pages[0], 1)
    for page in pages[:2]:
        give_up(page)
    for page in pages[:2]:
        page.wait_for_url("**/r/*", timeout=WAIT)  # the result opens by itself, and nothing may come between
    for page in (looker, *pages):
        page.goto(address)
        expect(page.locator("#arena")).to_have_attribute("data-status", "over", timeout=WAIT)
    assert len({tuple(table(page)) for page in (looker, *pages)}) == 1
    assert [line.split("\t")[4] for line in table(looker)].count("2") == 2
    assert alter(server, address) == []


@pytest.mark.parametrize(
    "size", [(360, 640), (390, 844), (1280, 800)], ids=lambda size: f"{size[0]}x{size[1]}"
)
@pytest.mark.parametrize("light", ["light", "dark"])
def test_the_pages_fit_and_axe_finds_nothing(
    browser: Browser, shared_server: Server, size: tuple[int, int], light: str
) -> None:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=light)
    page = context.new_page()
    made = make(page, shared_server)
    page.get_by_role("button", name="Join the arena").click()
    for address in (made, f"{shared_server.url}/arenas"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
        found = Axe().run(page)
        assert not found.violations_count, found.generate_report()
    context.close()


def test_without_scripts_one_joins_and_pauses(browser: Browser, shared_server: Server) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    make(page, shared_server)
    page.get_by_role("button", name="Join the arena").click()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Come back").click()
    assert page.locator("#arena tbody tr").count() == 1
    context.close()
