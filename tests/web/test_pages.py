"""The pages around the board: what they show, what they refuse, and that tables come from the log alone."""

import html
import re
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.patience import deals, registry
from tests.builders import golden

HERE = "http://127.0.0.1:8000"
GAME = next(game for game in golden("won_games.json") if game["suits"] == 2)
CODE = deals.document_deal(GAME["layout"]).code
SEED_CODE = deals.seed_deal(registry.get("spider", {"suits": 4}), 17).code


@pytest.fixture
def http(web: FastAPI) -> Iterator[TestClient]:
    with TestClient(web, base_url=HERE) as client:
        yield client


def play(http: TestClient, moves: list[str], **form: str) -> str:
    """A game with moves played; its path."""
    path = http.post("/play/spider", data={"deal": CODE} | form).url.path
    for ply, move in enumerate(moves):
        answer = http.post(
            f"{path}/act", data={"ply": str(ply), "move": move}, headers={"HX-Request": "true"}
        )
        assert answer.status_code == 200
    return path


def test_looking_around_makes_no_player(web: FastAPI, http: TestClient) -> None:
    for path in ("/", "/play/spider", f"/d/{SEED_CODE}", "/leaderboard", "/rules/spider", "/learn"):
        answer = http.get(path)
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers
    with web.state.db.read() as conn:
        assert conn.exec_driver_sql("select count(*) from players").scalar_one() == 0


def test_an_unfinished_game_is_listed_and_resumed(http: TestClient) -> None:
    path = play(http, GAME["moves"][:3])
    for page in ("/", "/play/spider"):
        assert f'href="{path}"' in http.get(page).text
    assert 'data-ply="3"' in http.get(path).text


def test_house_rules_and_scoring_are_chosen_with_the_game(http: TestClient) -> None:
    form = {"suits": "1", "scoring": "turns5", "rows": "onto-spaces", "collecting": "by-hand"}
    page = http.post("/play/spider", data=form)
    assert "rows are dealt onto empty columns too" in html.unescape(page.text)
    assert "<dd>0</dd>" in page.text


@pytest.mark.parametrize(
    "form",
    [
        {"suits": "3"},
        {"suits": "0"},
        {"suits": "4", "rows": "x"},
        {"suits": "4", "score": "9"},
        {"scoring": "best"},
    ],
)
def test_a_game_that_does_not_exist_is_not_begun(
    web: FastAPI, http: TestClient, form: dict[str, str]
) -> None:
    assert http.post("/play/spider", data=form).status_code == 400
    with web.state.db.read() as conn:
        assert conn.exec_driver_sql("select count(*) from games").scalar_one() == 0


@pytest.mark.parametrize("path", ["/play/chess", "/rules/chess", "/g/x/replay", "/leaderboard?table=spider3"])
def test_what_does_not_exist_is_not_found(http: TestClient, path: str) -> None:
    assert http.get(path).status_code == 404


# Deals


def test_a_deal_shows_its_opening_its_link_and_its_picture(http: TestClient) -> None:
    page = http.get(f"/d/{SEED_CODE}").text
    start = deals.deal_of(SEED_CODE).start
    shown = re.findall(r'class="c ([SHDC]) r(\d+)', page)
    assert shown == [(pile.cards[-1].suit, str(pile.cards[-1].rank)) for pile in start.piles[:10]]
    assert f'content="{HERE}/d/{SEED_CODE}.png"' in page
    picture = http.get(f"/d/{SEED_CODE}.png")
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")
    assert int.from_bytes(picture.content[16:20]) == 1200


@pytest.mark.parametrize("typed", [SEED_CODE.lower(), f"  {SEED_CODE} "])
def test_a_code_is_found_however_it_is_typed(http: TestClient, typed: str) -> None:
    answer = http.get("/d/", params={"code": typed})
    assert answer.url.path == f"/d/{SEED_CODE}"


def test_a_number_of_another_program_leads_to_its_deal_and_to_the_same_number_of_other_suits(
    http: TestClient,
) -> None:
    answer = http.get("/d/", params={"code": "PySol 14934"})
    assert answer.url.path == "/d/spider4-n-pysol-149349"
    others = re.findall(r'href="(/d/spider[12]-n-pysol-14934.)"', answer.text)
    assert len(others) == 2
    for other in others:
        assert http.get(other).status_code == 200
    assert "The same number" not in http.get(f"/d/{SEED_CODE}").text


@pytest.mark.parametrize(
    "code",
    ["", "x", "spider3-H3", SEED_CODE[:-1] + "Z", "9" * 5000, "\x00", "\u202e" + SEED_CODE, "🕷",
     "<script>alert(1)</script>", '"><img onerror=alert(1)>', "{{7*191}}", "${7*191}"],
)  # fmt: skip
def test_a_bad_code_gets_a_clear_answer_and_is_not_echoed(http: TestClient, code: str) -> None:
    answer = http.get("/d/", params={"code": code})
    assert answer.status_code == 400
    assert "No such deal" in answer.text
    assert "alert" not in answer.text
    assert "1337" not in answer.text
    assert "99999" not in answer.text


def test_the_check_symbol_of_a_changed_code_is_named(http: TestClient) -> None:
    wrong = SEED_CODE[:-1] + ("4" if SEED_CODE[-1] != "4" else "5")
    answer = http.get(f"/d/{wrong}")
    assert answer.status_code == 400
    assert "check symbol" in answer.text


# Tables and replays


def test_a_win_stands_on_the_table_and_leads_to_its_replay(http: TestClient) -> None:
    path = play(http, GAME["moves"])
    table = http.get("/leaderboard?table=spider2&deals=open").text
    assert f'href="{path}/replay"' in table
    assert f"{GAME['scores']['moves500']:,}" in table
    assert path not in http.get("/leaderboard?table=spider2").text
    assert path in http.get("/leaderboard?table=spider2&deals=open&clean=1&period=today").text
    assert path not in http.get("/leaderboard?table=spider2&deals=open&scoring=turns5").text
    assert path in http.get(f"/d/{CODE}").text
    assert TestClient(http.app, base_url=HERE).get(f"{path}/replay").status_code == 200


def test_a_winner_is_led_to_the_table_with_the_win_and_finds_the_own_row(http: TestClient) -> None:
    page = http.get(play(http, GAME["moves"])).text
    (link,) = [part for part in page.split('"') if part.startswith("/leaderboard?") and "deals=" in part]
    assert "(you)" in http.get(link.replace("&amp;", "&")).text
    assert "(you)" not in TestClient(http.app, base_url=HERE).get(link.replace("&amp;", "&")).text


@pytest.mark.parametrize(
    "query",
    ["period=ever", "deals=some", "clean=2", "number=0", "number=-1", "number=1000000000", "number=١",
     "number=1_0", "scoring=(select 1)", "number=", "clean=%00"],
)  # fmt: skip
def test_a_leaderboard_refuses_what_it_does_not_know(http: TestClient, query: str) -> None:
    answer = http.get(f"/leaderboard?table=spider4&{query}")
    assert answer.status_code == 400
    assert "select 1" not in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_no_score_can_be_sent(http: TestClient, method: str) -> None:
    body = {"content": "score=9", "headers": {"Content-Type": "application/x-www-form-urlencoded"}}
    assert http.request(method, "/leaderboard", **body).status_code == 405


def test_each_step_of_a_replay_sends_the_piles_that_changed(http: TestClient) -> None:
    path = play(http, GAME["moves"][:10])
    for ply in range(1, 11):
        source, target = re.findall(r"\d+", GAME["moves"][ply - 1])[:2]
        for at, since in ((ply, ply - 1), (ply - 1, ply)):
            answer = http.get(f"{path}/replay?ply={at}&since={since}", headers={"HX-Request": "true"}).text
            assert sorted(re.findall(r'id="pile-(\w+)"', answer)) == sorted([source, target])
            assert f'data-ply="{at}"' in answer
    assert 'data-ply="10"' in http.get(f"{path}/replay?ply=99").text
    assert http.get(f"{path}/replay?ply=-1").status_code == 400


def test_an_unfinished_game_is_replayed_by_its_player_alone(http: TestClient) -> None:
    path = play(http, GAME["moves"][:2])
    assert http.get(f"{path}/replay").status_code == 200
    assert TestClient(http.app, base_url=HERE).get(f"{path}/replay").status_code == 404


# Lessons


def test_the_lesson_is_the_published_game(http: TestClient) -> None:
    published = golden("worked_game_2_suits.json")
    page = http.get(f"/learn?step={len(published['moves'])}").text
    for column, ends in published["ends_of_columns_after"].items():
        found = re.search(rf'id="pile-{column}".*?</div>', page, re.DOTALL)
        assert found
        shown = [
            "A23456789TJQK"[int(rank) - 1] + suit for suit, rank in re.findall(r"c ([SHDC]) r(\d+)", found[0])
        ]
        assert shown[-len(ends) :] == ends
    deal = re.search(r'name="deal" value="([^"]+)"', page)
    assert deal
    assert deals.deal_of(deal[1]).patience.prefix == "spider2"


@pytest.mark.parametrize("lang", ["en", "fi", "sv", "da", "pl"])
def test_every_page_comes_in_every_language(http: TestClient, lang: str) -> None:
    for path in ("/", "/play/spider", f"/d/{SEED_CODE}", "/leaderboard", "/rules/spider", "/learn?step=3"):
        answer = http.get(path, params={"lang": lang} | dict(re.findall(r"(step)=(\d)", path)))
        assert answer.status_code == 200
        assert f'<html lang="{lang}"' in answer.text
