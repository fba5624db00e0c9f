"""Every page in every language, and no word of another language in it."""

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.cards.card import CARDS
from app.i18n import LANGUAGES, catalogue, using
from app.i18n.cards import card_name
from app.patience import deals, registry

ORIGIN = "http://127.0.0.1:8000"
OTHERS = [code for code in LANGUAGES if code != "en"]
ENTRIES = ("deal", "undo", "redo", "restart")


UNREAD = {"name", "value", "id", "class", "data-status", "data-key"}
"""Attributes that are for programs alone."""


class Words(HTMLParser):
    """What a person can come to read or hear of a page: its text, and the values of its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.language: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {value.strip() for name, value in attrs if value and name not in UNREAD}
        if tag == "html":
            self.language = dict(attrs).get("lang")

    def handle_data(self, data: str) -> None:
        self.found.add(re.sub(r"\s+", " ", data).strip())


@cache
def untranslated(code: str) -> frozenset[str]:
    """English messages that say something else in another language, and are no word of it."""
    pairs = [(m.id, m.string) for m in catalogue.read(code) if m.id and not m.pluralizable]
    return frozenset(
        {english for english, other in pairs if other and english != other} - {other for _, other in pairs}
    )


@pytest.fixture
def visitor(web: FastAPI) -> Iterator[TestClient]:
    with TestClient(web, base_url=ORIGIN, follow_redirects=False) as one:
        yield one


@pytest.fixture
def game(visitor: TestClient) -> str:
    """The address of a game that has been played a little, and given up."""
    address = begun(visitor)
    visitor.post(f"{address}/give-up", data={"ply": str(play(visitor, address))})
    return address


def begun(visitor: TestClient) -> str:
    started = visitor.post("/play/spider", data={"suits": "4"}, headers={"sec-fetch-site": "same-origin"})
    assert started.status_code == 303
    return str(started.headers["location"])


def play(visitor: TestClient, address: str) -> int:
    for ply, move in enumerate(ENTRIES):
        assert visitor.post(f"{address}/act", data={"ply": str(ply), "move": move}).status_code == 303
    return len(ENTRIES)


def with_others(visitor: TestClient) -> Iterator[str]:
    """The pages of a race and its lobby, of days, ratings, and a game with company from either side."""
    race = str(visitor.post("/races", data={"table": "spider1", "listed": "yes"}).headers["location"])
    shared = begun(visitor)
    for role in ("play", "watch"):
        visitor.post(f"{shared}/share", data={"link": role})
    visitor.post(f"{shared}/share", data={"watchable": "yes"})
    play(visitor, shared)
    link = re.search(r'value="[^"]*(/t/[\w-]+)"', visitor.get(f"{shared}/share").text)
    assert link
    yield from ("/races", race, "/daily", "/ratings", "/ratings?table=hypyt26", "/watch")
    yield from (shared, f"{shared}/share", f"{shared}/replay?ply=2", f"{shared}/company")
    visitor.cookies.clear()  # a stranger from here on
    yield from (link[1], shared, f"{shared}/company", f"{shared}/now?ply=0")


def pages(game: str) -> Iterator[tuple[str, int]]:
    code = deals.seed_deal(registry.get("spider", {"suits": 2}), 17).code
    for address in (
        "/",
        "/play/spider",
        "/leaderboard",
        "/rules/spider",
        f"/d/{code}",
        game,
        f"{game}/replay",
    ):
        yield address, 200
    yield from ((f"/learn?step={step}", 200) for step in range(15))
    for address in ("", "/sign-up", "/sign-in", "/recover", "/code"):
        yield f"/account{address}", 200
    yield "/d/spider4-XX", 400
    yield "/no-such-page", 404


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_page_comes_in_the_language_and_in_no_other(visitor: TestClient, game: str, code: str) -> None:
    for address, status in pages(game):
        answer = visitor.get(address, headers={"accept-language": code})
        assert answer.status_code == status, address
        words = Words(answer.text)
        assert words.language == code, address
        assert answer.headers["content-language"] == code, address
        assert not words.found & untranslated(code), address
        assert "%(" not in answer.text, address


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.slow
def test_pages_of_what_is_played_with_others_come_in_the_language_alone(
    web: FastAPI, visitor: TestClient, code: str
) -> None:
    web.state.daily.settle()
    for address in with_others(visitor):
        answer = visitor.get(address, headers={"accept-language": code})
        assert answer.status_code == 200, address
        words = Words(answer.text)
        assert words.found, address
        assert words.language in (code, None), address  # a fragment does not say
        assert not words.found & untranslated(code), address
        assert "%(" not in answer.text, address


@pytest.mark.parametrize("code", OTHERS)
def test_a_move_s_answer_is_in_the_language_of_its_page(visitor: TestClient, code: str) -> None:
    address = begun(visitor)
    page = visitor.get(f"{address}?lang={code}")
    assert Words(page.text).language == code
    for ply, move in enumerate((*ENTRIES, "3-3x1", "nonsense")):
        answer = visitor.post(
            f"{address}/act", data={"ply": str(ply), "move": move}, headers={"hx-request": "true"}
        )
        words = Words(answer.text).found
        assert words, move
        assert not words & untranslated(code), move
    dealt = visitor.post(f"{address}/act", data={"ply": "4", "move": "deal"}, headers={"hx-request": "true"})
    with using(code):
        assert any(card_name(card) in dealt.text for card in CARDS)


@pytest.mark.parametrize("code", OTHERS)
def test_problems_of_the_api_are_told_in_the_language(visitor: TestClient, code: str) -> None:
    answer = visitor.get(
        "/api/v1/games/nowhere", headers={"accept-language": code, "authorization": "Bearer none"}
    )
    problem = answer.json()
    assert problem["code"]
    assert problem["detail"] not in untranslated(code)


def test_the_foot_of_a_page_leads_to_every_language(visitor: TestClient) -> None:
    page = visitor.get("/").text
    for code, name in LANGUAGES.items():
        assert f'href="?lang={code}" lang="{code}" hreflang="{code}"' in page
        assert f">{name}</a>" in page
