"""Races with real browsers, from the link to the rematch."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.i18n.languages import LANGUAGES
from tests.browser import hands
from tests.support.server import Server
from tests.support.workers import two_workers

Visit = Callable[[], Page]
WAIT = 20_000

_STREAMS = re.compile(r"^spindel_requests_total{.*/races/{race_id}/events.*} [1-9]", re.MULTILINE)
"""What a program's figures say when it has served streams of races."""

_WHOLE = """() => [...document.querySelectorAll(".tables .pile")].every(pile => {
  const table = pile.closest(".example").getBoundingClientRect(), place = pile.getBoundingClientRect();
  return table.left <= place.left && place.right <= table.right;
})"""
"""Whether each pile of the replays side by side lies within its table."""


@dataclass(frozen=True, slots=True)
class House:
    """The programs that serve the visitors in turn; what carries events between them is cut and mended."""

    servers: tuple[Server, ...]
    cut: Callable[[], None] = lambda: None
    mend: Callable[[], None] = lambda: None

    def kill_and_start(self) -> None:
        for server in self.servers:
            server.kill()
        for server in self.servers:
            server.start()


@pytest.fixture
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """One program; or two workers on PostgreSQL and Redis, for a test that asks for them."""
    if getattr(request, "param", "one worker") == "one worker":
        yield House((request.getfixturevalue("server"),))
        return
    with two_workers(tmp_path, relay="redis") as two:
        yield House((two.first, two.second), two.cut, two.mend)


@pytest.fixture
def visit(browser: Browser, house: House) -> Iterator[Visit]:
    """New visitors, each in a browser of their own; no script of a page may have failed."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def one() -> Page:
        server = house.servers[len(contexts) % len(house.servers)]
        context = browser.new_context(viewport={"width": 1000, "height": 700}, base_url=server.url)
        contexts.append(context)
        page = context.new_page()
        watch(page)
        hands.prefer(page, server, animation="off")
        return page

    def watch(page: Page) -> None:
        page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))

    yield one
    for context in contexts:
        context.close()
    assert not faults


def gather(pages: list[Page], **choices: str) -> str:
    """The first makes a race, the others come by its link, each at its own worker; the path of the race."""
    host = pages[0]
    host.goto("/races")
    host.get_by_label("Game").select_option("spider1")
    for label in choices:
        host.get_by_label(label).check()
    host.get_by_role("button", name="Make the race").click()
    link = urlsplit(host.get_by_label("Link").input_value()).path
    for number, page in enumerate(pages[1:], 2):
        page.goto(link)
        page.get_by_role("button", name="Join").click()
        expect(host.locator(".players li")).to_have_count(number, timeout=WAIT)
    return link


def path(page: Page) -> str:
    return urlsplit(page.url).path


def each_has_served_streams(house: House) -> None:
    """Waits until a race's stream has ended at each worker since it began: so its page has been there."""
    end = time.monotonic() + WAIT / 1000
    for server in house.servers:
        while not _STREAMS.search(httpx.get(f"{server.url}/metrics").text):
            assert time.monotonic() < end, f"no stream at {server.url}"
            time.sleep(0.1)


def start(pages: list[Page]) -> None:
    for page in pages:
        page.get_by_role("button", name="Ready", exact=True).click()
    for page in pages:
        page.wait_for_url("**/g/*", timeout=WAIT)
        page.locator(".strip").wait_for()


def play(page: Page, moves: int) -> None:
    for _ in range(moves):
        ply = hands.ply(page)
        legal = page.locator("#status").get_attribute("data-legal") or ""
        hands.by_clicks(page, legal.split()[0])
        hands.at_ply(page, ply + 1)


def give_up(page: Page) -> None:
    page.get_by_text("Menu", exact=True).click()
    page.locator(".menu summary", has_text="Give up").click()
    page.get_by_role("button", name="Yes, give up").click()


def figure(page: Page, seat: int, name: str) -> str:
    return page.locator(f'[data-seat="{seat}"] [data-figure="{name}"]').inner_text()


def sees(page: Page, seat: int, name: str, value: int) -> None:
    expect(page.locator(f'[data-seat="{seat}"] [data-figure="{name}"]')).to_have_text(
        str(value), timeout=WAIT
    )


def results(page: Page) -> list[str]:
    """The rows of the result, without what only the one who looks is told."""
    page.wait_for_url("**/r/*", timeout=WAIT)
    page.locator("table.result").wait_for(timeout=WAIT)
    return [text.replace(" you", "") for text in page.locator("table.result tbody tr").all_inner_texts()]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("house", ["one worker", "two workers"], indirect=True)
def test_two_race_from_the_link_to_the_rematch(visit: Visit, house: House) -> None:
    host, guest = visit(), visit()
    link = gather([host, guest])
    start([host, guest])
    assert hands.seen(host) == hands.seen(guest)
    assert host.locator("#hint").is_disabled()
    each_has_served_streams(house)

    play(host, 2)
    sees(guest, 1, "score", 498)
    play(guest, 1)
    sees(host, 2, "score", 499)

    # One closes its tab and returns by the link.
    table = hands.seen(guest)
    context = guest.context
    guest.close()
    expect(host.locator('[data-seat="2"] small')).to_have_text("away", timeout=WAIT)
    guest = context.new_page()
    guest.goto(link)
    guest.get_by_role("link", name="To my table").click()
    guest.locator(".strip").wait_for()
    assert hands.seen(guest) == table
    expect(host.locator('[data-seat="2"] small')).to_have_count(0, timeout=WAIT)

    # Workers that cannot tell each other look into the database.
    house.cut()
    play(host, 1)
    play(guest, 1)
    sees(guest, 1, "score", 497)
    sees(host, 2, "score", 498)
    house.mend()

    # The server is killed in the middle, and starts again.
    ends = host.locator(".strip [data-until]").get_attribute("data-until")
    house.kill_and_start()
    play(host, 1)
    sees(guest, 1, "score", 496)
    play(guest, 1)
    sees(host, 2, "score", 497)
    assert guest.locator(".strip [data-until]").get_attribute("data-until") == ends

    give_up(host)
    expect(guest.locator('[data-seat="1"] small')).to_have_text("Finished", timeout=WAIT)
    assert "spider1-" not in host.content() + guest.content()
    give_up(guest)
    assert results(host) == results(guest)
    each_has_served_streams(house)
    assert host.get_by_text("spider1-").count()

    host.get_by_role("link", name="All replays side by side").click()
    assert host.locator(".tables figure").count() == 2
    for width in (390, 1280):
        host.set_viewport_size({"width": width, "height": 800})
        assert host.evaluate(_WHOLE)
    host.get_by_role("link", name="Last", exact=True).click()
    assert "4/4" in host.locator("figcaption").all_inner_texts()[1] + host.locator("nav.row").inner_text()
    host.get_by_role("link", name="Result").click()

    host.get_by_role("button", name="Rematch").click()
    guest.get_by_role("button", name="Join the rematch").click(timeout=WAIT)
    expect(host.locator(".players li")).to_have_count(2, timeout=WAIT)
    assert path(host) == path(guest) != link


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_four_race_to_the_rematch_through_a_lost_network_a_closed_tab_and_a_killed_server(
    visit: Visit, server: Server
) -> None:
    pages = [visit() for _ in range(4)]
    link = gather(pages, **{"Undo is allowed": "yes"})
    start(pages)
    lost = pages[3]
    play(lost, 1)
    lost.context.set_offline(True)
    for moves, page in enumerate(pages[:3], 1):
        play(page, moves)
    time.sleep(20)
    legal = (lost.locator("#status").get_attribute("data-legal") or "").split()[0]
    hands.by_clicks(lost, legal)
    lost.context.set_offline(False)
    hands.at_ply(lost, 2)  # the move made without a network was kept, and sent
    for seat, moves in ((1, 1), (2, 2), (3, 3)):
        sees(lost, seat, "score", 500 - moves)
    for page in pages[:3]:
        sees(page, 4, "score", 498)

    # One closes its tab, the server is killed and starts again, and the one is back by the link.
    ends = pages[0].locator(".strip [data-until]").get_attribute("data-until")
    table, context = hands.seen(pages[2]), pages[2].context
    pages[2].close()
    server.kill()
    server.start()
    pages[2] = context.new_page()
    pages[2].goto(link)
    pages[2].get_by_role("link", name="To my table").click()
    pages[2].locator(".strip").wait_for()
    assert hands.seen(pages[2]) == table
    play(pages[2], 1)
    for page in pages:
        sees(page, 3, "score", 496)
        assert page.locator(".strip [data-until]").get_attribute("data-until") == ends

    for page in pages:
        give_up(page)
    first = results(pages[0])
    assert len(first) == 4
    assert [results(page) for page in pages[1:]] == [first] * 3
    pages[0].get_by_role("button", name="Rematch").click()
    for number, page in enumerate(pages[1:], 2):
        page.get_by_role("button", name="Join the rematch").click(timeout=WAIT)
        expect(pages[0].locator(".players li")).to_have_count(number, timeout=WAIT)
    assert len({path(page) for page in pages}) == 1
    assert path(pages[0]) != link


def test_an_answer_that_an_event_has_overtaken_is_asked_for_again(visit: Visit, server: Server) -> None:
    host, guest = visit(), visit()
    gather([host, guest])
    start([host, guest])
    seat, held = host.locator('[data-seat="2"]'), []
    flags = seat.get_attribute("data-flags") or ""

    # The strip is fetched when more than a figure has changed; the answer is under way for long.
    host.route("**/strip", lambda route: route.continue_() if held else held.append((route, route.fetch())))
    seat.evaluate("place => { place.dataset.flags = 'others'; }")
    play(guest, 1)
    while not held:
        host.wait_for_timeout(100)
    seat.evaluate("(place, flags) => { place.dataset.flags = flags; }", flags)
    play(guest, 1)
    sees(host, 2, "score", 498)

    (route, answer) = held[0]
    with host.expect_request("**/strip"):
        route.fulfill(response=answer)
    host.wait_for_timeout(300)
    assert figure(host, 2, "score") == "498"


def test_the_lobby_shows_a_new_race_to_one_who_waits_there(visit: Visit, server: Server) -> None:
    looker, host = visit(), visit()
    looker.goto(f"{server.url}/races")
    looker.get_by_text("No race is waiting just now.").wait_for()
    gather([host], **{"Show it here, for anyone to join": "yes"})
    looker.get_by_role("button", name="Join 1").click(timeout=WAIT)
    expect(host.locator(".players li")).to_have_count(2, timeout=WAIT)


def test_a_code_read_aloud_leads_to_the_race(visit: Visit, server: Server) -> None:
    host, guest = visit(), visit()
    gather([host])
    code = host.locator(".code code").inner_text()
    guest.goto(f"{server.url}/races")
    guest.get_by_label("Its code").fill(code.lower().replace("-", " "))
    guest.get_by_role("button", name="Join").first.click()
    expect(host.locator(".players li")).to_have_count(2, timeout=WAIT)


def test_the_longest_name_leaves_room_for_the_rest_on_a_phone(visit: Visit, server: Server) -> None:
    host = visit()
    host.goto(f"{server.url}/account/sign-up")
    host.locator("input[name=name]").fill("W" * 24)
    host.locator("input[name=password]").fill("correct horse battery")
    host.locator("main form button").first.click()
    host.get_by_text("W" * 24).first.wait_for()
    gather([host])
    host.set_viewport_size({"width": 360, "height": 640})
    expect(host.locator(".players b")).to_be_in_viewport(ratio=1)
    assert host.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_ended_game_leads_back_to_its_race_and_the_result_fits_a_phone(
    visit: Visit, server: Server
) -> None:
    host, guest = pages = [visit(), visit()]
    race = gather(pages)
    start(pages)
    play(host, 1)
    give_up(host)
    back = host.locator(".over .button").first
    expect(back).to_have_text("Back to the race")
    host.reload()
    back.click()
    host.wait_for_url(f"**{race}")
    give_up(guest)
    host.locator(".result").wait_for()
    host.set_viewport_size({"width": 390, "height": 844})
    for language in LANGUAGES:
        host.goto(f"{server.url}{race}?lang={language}")
        table, room = host.locator(".scroll").evaluate("one => [one.scrollWidth, one.clientWidth]")
        assert table <= room, language
        expect(host.locator(".result td a").first).to_be_in_viewport(ratio=1)
        expect(host.locator(".result .folded").first).to_be_visible()
