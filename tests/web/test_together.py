"""Pages of a table with company: the link from its making to its end, and what each is shown."""

import re
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

HERE = "http://127.0.0.1:8000"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def house(web: FastAPI) -> Iterator[FastAPI]:
    with TestClient(web):
        yield web


def browser(house: FastAPI) -> TestClient:
    return TestClient(house, base_url=HERE)


def begun(one: TestClient, **form: str) -> str:
    """The address of a new game of four suits."""
    return str(one.post("/play/spider", data={"suits": "4"} | form).url.path)


def linked(one: TestClient, game: str, role: str = "play") -> str:
    """The path of a link."""
    page = one.post(f"{game}/share", data={"link": role}).text
    found = re.search(rf'id="link-{role}" value="{HERE}(/t/[\w-]{{43}})"', page)
    assert found
    return found[1]


def act(one: TestClient, game: str, ply: int, move: str = "deal", **headers: str) -> object:
    return one.post(f"{game}/act", data={"ply": str(ply), "move": move}, headers=headers)


def test_from_the_menu_to_two_at_one_table_without_scripts(house: FastAPI) -> None:
    owner, guest = browser(house), browser(house)
    game = begun(owner)
    assert f'href="{game}/share"' in owner.get(game).text
    path = linked(owner, game)
    page = guest.get(path)
    assert "Guest 1 invites you to play" in page.text
    assert "set-cookie" not in page.headers  # a preview that follows the link comes to nothing
    board = guest.post(path)
    assert board.url.path == game
    for page_text in (board.text, owner.get(game).text):
        assert 'id="company"' in page_text
    act(guest, game, 0)
    after = owner.get(game).text
    assert 'data-ply="1"' in after
    assert re.search(r'class="[^"]*last"><span>Guest 2', after)
    assert guest.get(path).url.path == game  # who is there already goes there at once
    assert owner.get(path).url.path == game


def test_one_who_plays_along_has_no_button_for_what_is_the_owners(house: FastAPI) -> None:
    owner, guest = browser(house), browser(house)
    game = begun(owner)
    board = guest.post(linked(owner, game)).text
    for text in ('value="restart"', "give-up", "Share this table"):
        assert text not in board
        assert text in owner.get(game).text
    assert 'value="undo"' in board
    assert "Leave this table" in guest.get(f"{game}/share").text
    assert guest.post(f"{game}/act", data={"ply": "0", "move": "restart"}).status_code == 403
    assert guest.post(f"{game}/give-up", data={"ply": "0"}).status_code == 403
    assert guest.post(f"{game}/share", data={"link": "play"}).status_code == 403
    assert guest.post(f"{game}/leave").url.path == "/"
    assert guest.get(game).status_code == 404


def test_one_who_watches_sees_the_cards_and_no_controls(house: FastAPI) -> None:
    owner, watcher = browser(house), browser(house)
    game = begun(owner)
    page = watcher.post(linked(owner, game, "watch")).text
    assert page.count('id="pile-') == 12
    for control in ('form="act"', "data-legal", 'name="pick"', "hx-post", "/hint"):
        assert control not in page
    act(owner, game, 0)
    fresh = watcher.get(f"{game}/now?ply=0", headers=HTMX).text
    assert 'data-ply="1"' in fresh
    assert 'data-number="1"' in fresh
    for control in ('form="act"', "data-legal", 'name="pick"'):
        assert control not in fresh
    for what, data in (
        ("act", {"ply": "1", "move": "undo"}),
        ("give-up", {"ply": "1"}),
        ("hint", {"ply": "1"}),
        ("verdict", {"ply": "1"}),
        ("finish", {"ply": "1"}),
    ):
        assert watcher.post(f"{game}/{what}", data=data).status_code == 403, what
    assert 'data-ply="1"' in owner.get(game).text


def test_an_entry_that_came_too_late_brings_the_table_and_no_scare(house: FastAPI) -> None:
    owner, guest = browser(house), browser(house)
    game = begun(owner)
    guest.post(linked(owner, game))
    act(owner, game, 0)
    answer = guest.post(f"{game}/act", data={"ply": "0", "move": "deal"}, headers=HTMX)
    assert answer.status_code == 409
    assert "Guest 1 was quicker" in answer.text
    assert 'class="say bad"' not in answer.text
    assert answer.text.count('id="pile-') == 12
    fresh = guest.get(f"{game}/now?ply=0", headers=HTMX).text
    assert re.search(r'class="say quiet" role="status">Played by Guest 1\.', fresh)
    assert guest.get(f"{game}/now?ply=1", headers=HTMX).status_code == 204


def test_a_replay_says_whose_each_entry_was(house: FastAPI) -> None:
    owner, guest = browser(house), browser(house)
    game = begun(owner)
    guest.post(linked(owner, game))
    act(owner, game, 0)
    act(guest, game, 1, "undo")
    for one in (owner, guest):
        assert "<dd>Guest 1</dd>" in one.get(f"{game}/replay?ply=1").text
        assert "<dd>Guest 2</dd>" in one.get(f"{game}/replay?ply=2").text
        assert "Moved by" not in one.get(f"{game}/replay?ply=0").text
    assert browser(house).get(f"{game}/replay").status_code == 404


def test_a_game_that_is_played_along_is_found_on_the_home_page(house: FastAPI) -> None:
    owner, guest = browser(house), browser(house)
    game = begun(owner)
    guest.post(linked(owner, game))
    assert f'href="{game}"' in guest.get("/").text
    owner.post(f"{game}/give-up", data={"ply": "0"})
    assert f'href="{game}"' not in guest.get("/").text


def test_a_withdrawn_link_leads_nowhere(house: FastAPI) -> None:
    owner, guest = browser(house), browser(house)
    game = begun(owner)
    path = linked(owner, game)
    guest.post(path)
    owner.post(f"{game}/share", data={"withdraw": "play"})
    assert guest.get(game).status_code == 404
    for answer in (guest.get(path), guest.post(path)):
        assert answer.status_code == 404
        assert "This link leads nowhere any more." in answer.text
    assert 'id="company"' not in owner.get(game).text


@pytest.mark.parametrize("token", ["x", "A" * 43, "..%2f..", "A" * 5000, "%00", "<script>"])
def test_a_made_up_link_leads_nowhere_and_makes_no_guest(house: FastAPI, token: str) -> None:
    one = browser(house)
    for answer in (one.get(f"/t/{token}"), one.post(f"/t/{token}")):
        assert answer.status_code == 404
        assert "set-cookie" not in answer.headers
        assert "<script>" not in answer.text


@pytest.mark.parametrize(
    "form",
    [
        {"link": "owner"},
        {"link": ""},
        {"watchable": "maybe"},
        {"x": "y"},
        {"link": "play", "watchable": "yes"},
    ],
)
def test_a_form_that_is_none_of_ours_changes_nothing(house: FastAPI, form: dict[str, str]) -> None:
    owner = browser(house)
    game = begun(owner)
    assert owner.post(f"{game}/share", data=form).status_code == 400
    assert 'id="company"' not in owner.get(game).text


def test_a_link_to_a_game_that_has_ended_leads_to_its_replay(house: FastAPI) -> None:
    owner, late = browser(house), browser(house)
    game = begun(owner)
    path = linked(owner, game)
    act(owner, game, 0)
    owner.post(f"{game}/give-up", data={"ply": "1"})
    assert late.get(path).url.path == f"{game}/replay"
    page = owner.post(f"{game}/share", data={"link": "watch"})
    assert page.status_code == 409
    assert "This game has ended" in page.text


def test_anybody_may_watch_what_is_opened_and_nobody_what_is_closed_again(house: FastAPI) -> None:
    owner, stranger = browser(house), browser(house)
    game = begun(owner)
    assert stranger.get(game).status_code == 404
    owner.post(f"{game}/share", data={"watchable": "yes"})
    assert f'href="{game}"' in stranger.get("/watch").text
    page = stranger.get(game)
    assert page.status_code == 200
    assert "set-cookie" not in page.headers
    owner.post(f"{game}/share", data={"watchable": "no"})
    assert stranger.get(game).status_code == 404
    assert f'href="{game}"' not in stranger.get("/watch").text


def test_who_prefers_it_lets_anybody_watch_whatever_they_begin(house: FastAPI) -> None:
    owner, stranger = browser(house), browser(house)
    assert stranger.get(begun(owner)).status_code == 404
    owner.post("/preferences", data={"watchable": "yes"})
    game = begun(owner)
    assert stranger.get(game).status_code == 200
    made = owner.post("/api/v1/games", json={"patience": "spider"}).json()
    assert made["watchable"]
    owner.post("/preferences", data={"animation": "normal"})
    assert stranger.get(begun(owner)).status_code == 404


def test_an_attempt_at_the_day_is_not_shared(house: FastAPI) -> None:
    owner = browser(house)
    house.state.daily.settle()
    game = owner.post("/daily/spider1").url.path
    assert "Share this table" not in owner.get(game).text
    assert "everyone plays for themselves" in owner.get(f"{game}/share").text
    assert owner.post(f"{game}/share", data={"link": "watch"}).status_code == 409


def test_an_account_is_at_the_table_by_its_name(house: FastAPI) -> None:
    owner, guest = browser(house), browser(house)
    owner.post("/account/sign-up", data={"name": "Aino", "password": "correct horse"})
    game = begun(owner)
    path = linked(owner, game)
    assert "Aino invites you to play" in guest.get(path).text
    guest.post(path)
    act(guest, game, 0)
    guest.post("/account/sign-up", data={"name": "Bo", "password": "correct horse"})
    assert "<dd>Bo</dd>" in owner.get(f"{game}/replay?ply=1").text
    log = owner.get(f"/api/v1{game.replace('/g/', '/games/')}/log").json()
    assert [entry["name"] for entry in log["entries"]] == ["Bo"]
    assert "company" in guest.get("/account/export").json()
