"""One table and several real browsers: they play in turn, at once, cut off, and while a server dies."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import hands
from tests.support.server import Server

Visit = Callable[[], Page]
WAIT = 20_000
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Visit]:
    """New visitors, each in a browser of their own; no script of a page may have failed."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def one() -> Page:
        context = browser.new_context(viewport={"width": 1000, "height": 700})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
        hands.prefer(page, server, animation="off")
        return page

    yield one
    for context in contexts:
        context.close()
    assert not faults


def begin(server: Server, owner: Page) -> str:
    """A new game of one suit; its address."""
    owner.goto(f"{server.url}/play/spider")
    owner.get_by_role("button", name="Deal Spider, 1 suit").click()
    owner.wait_for_url("**/g/*")
    return owner.url


def link(owner: Page, game: str, role: str) -> str:
    """Makes a link, by the menu of the table."""
    owner.goto(game)
    owner.get_by_text("Menu", exact=True).click()
    owner.get_by_role("link", name="Share this table").click()
    owner.locator(f'button[name="link"][value="{role}"]').click()
    return owner.locator(f"#link-{role}").input_value()


def come(page: Page, address: str, button: str) -> None:
    page.goto(address)
    page.get_by_role("button", name=button).click()
    page.wait_for_url("**/g/*")
    page.locator("#company").wait_for()


@pytest.fixture
def company(visit: Visit, server: Server) -> tuple[Page, Page, Page]:
    """One whose game it is, one who plays along and one who looks on, each at the table."""
    owner, guest, watcher = visit(), visit(), visit()
    game = begin(server, owner)
    for page, role, button in ((guest, "play", "Play along"), (watcher, "watch", "Watch")):
        sharing = owner.request.post(f"{game}/share", form={"link": role}).text()
        found = re.search(rf'id="link-{role}" value="([^"]+)"', sharing)
        assert found
        come(page, found[1], button)
    owner.goto(game)
    return owner, guest, watcher


def first_legal(page: Page) -> str:
    return (page.locator("#status").get_attribute("data-legal") or "").split()[0]


def play(page: Page, seers: list[Page]) -> None:
    """One plays the first legal move; all see it."""
    ply = hands.ply(page)
    hands.by_clicks(page, first_legal(page))
    for one in (page, *seers):
        hands.at_ply(one, ply + 1)
    tables = [hands.seen(one) for one in (page, *seers)]
    assert all(table == tables[0] for table in tables)


def test_from_the_menu_to_two_at_one_table_and_one_who_sees_it_all(visit: Visit, server: Server) -> None:
    owner, guest, watcher = visit(), visit(), visit()
    game = begin(server, owner)
    play_link, watch_link = link(owner, game, "play"), link(owner, game, "watch")
    owner.goto(game)
    come(guest, play_link, "Play along")
    come(watcher, watch_link, "Watch")
    expect(owner.locator("#company li.here")).to_have_count(2, timeout=WAIT)
    expect(owner.locator("[data-watching]")).to_have_text("1", timeout=WAIT)
    assert watcher.locator("#act, #hint, #table button").count() == 0
    for mover, others in ((owner, [guest, watcher]), (guest, [owner, watcher]), (owner, [guest, watcher])):
        play(mover, others)
    expect(watcher.locator("#company li.last > span").first).to_have_text("Guest 1", timeout=WAIT)
    watcher.goto(f"{game}/replay?ply=2")
    expect(watcher.locator(".by dd")).to_have_text("Guest 2")


@pytest.mark.slow
def test_one_who_loses_the_network_comes_back_to_the_table_as_it_is(company: tuple[Page, Page, Page]) -> None:
    owner, guest, watcher = company
    play(guest, [owner, watcher])
    guest.context.set_offline(True)
    for _ in range(3):
        play(owner, [watcher])
    assert hands.ply(guest) == 1
    guest.context.set_offline(False)
    hands.at_ply(guest, 4)
    assert hands.seen(guest) == hands.seen(owner)
    play(guest, [owner, watcher])


@pytest.mark.slow
def test_of_two_who_move_at_once_one_plays_and_the_other_sees_the_table(
    company: tuple[Page, Page, Page],
) -> None:
    owner, guest, watcher = company
    # The guest's page hears nothing of the owner's move, as when both move in the same moment.
    guest.route("**/now?ply=*", lambda route: route.abort())
    move = first_legal(guest)
    play(owner, [watcher])
    with guest.expect_response("**/act") as answer:
        hands.by_clicks(guest, move)
    assert answer.value.status == 409
    hands.at_ply(guest, 1)
    expect(guest.locator(".say")).to_have_text(re.compile("Guest 1 was quicker"), timeout=WAIT)
    assert guest.locator(".say.bad").count() == 0
    assert hands.seen(guest) == hands.seen(owner)
    assert hands.ply(watcher) == 1


@pytest.mark.slow
def test_a_table_outlives_its_server(company: tuple[Page, Page, Page], server: Server) -> None:
    owner, guest, watcher = company
    play(owner, [guest, watcher])
    server.kill()
    server.start()
    play(guest, [owner, watcher])
    play(owner, [guest, watcher])
    expect(owner.locator("#company li.here")).to_have_count(2, timeout=30_000)


@pytest.mark.slow
def test_who_is_put_out_is_out_at_once_and_the_end_is_seen_by_who_is_there(
    company: tuple[Page, Page, Page],
) -> None:
    owner, guest, watcher = company
    game = owner.url
    owner.goto(f"{game}/share")
    owner.locator('button[name="withdraw"][value="play"]').click()
    expect(guest.locator("body")).to_contain_text("There is nothing at this address.", timeout=WAIT)
    owner.goto(game)
    play(owner, [watcher])
    owner.get_by_text("Menu", exact=True).click()
    owner.locator(".menu summary", has_text="Give up").click()
    owner.get_by_role("button", name="Yes, give up").click()
    expect(watcher.locator(".over h2")).to_have_text("Given up", timeout=WAIT)


def test_cards_in_the_hand_stay_there_until_they_are_let_go(visit: Visit, server: Server) -> None:
    owner, guest = visit(), visit()
    game = begin(server, owner)
    address = link(owner, game, "play")
    owner.goto(game)
    come(guest, address, "Play along")
    source, _, count = hands.parts(first_legal(guest))
    start = hands.point(hands.card(guest, source, count))
    guest.mouse.move(*start)
    guest.mouse.down()
    guest.mouse.move(start[0] + 40, start[1] + 60, steps=3)
    hands.by_clicks(owner, "deal")
    hands.at_ply(owner, 1)
    guest.wait_for_timeout(1_000)
    assert guest.locator(".pile.held").count() == 1
    assert hands.ply(guest) == 0
    guest.mouse.move(*start, steps=2)
    guest.mouse.up()
    hands.at_ply(guest, 1)
    assert hands.seen(guest) == hands.seen(owner)


def test_what_anybody_may_watch_is_found_on_its_page(visit: Visit, server: Server) -> None:
    owner, stranger = visit(), visit()
    game = begin(server, owner)
    owner.goto(f"{game}/share")
    owner.get_by_role("button", name="Let anybody watch").click()
    owner.goto(game)
    stranger.goto(f"{server.url}/watch")
    stranger.get_by_role("link", name=re.compile("Spider, 1 suit")).click()
    stranger.locator("#company").wait_for()
    play(owner, [stranger])
    expect(owner.locator("[data-watching]")).to_have_text("1", timeout=WAIT)
