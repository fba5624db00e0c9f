"""The account's pages, by their forms, as a browser without scripts uses them."""

import re
from collections.abc import Iterator

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update
from starlette.responses import PlainTextResponse, Response

from app.players import service, store
from app.web import deps

HERE = "http://127.0.0.1:8000"
PASSWORD = "correct horse battery"


@pytest.fixture
def app(web: FastAPI) -> Iterator[FastAPI]:
    """The whole program, started, with two routes to see by who is who."""

    @web.post("/play-now")
    def play_now(request: Request) -> Response:
        return PlainTextResponse(deps.player_or_new(request).id)

    @web.get("/me")
    def me(request: Request) -> Response:
        player = deps.current_player(request)
        return PlainTextResponse("stranger" if player is None else player.id)

    with TestClient(web):
        yield web


@pytest.fixture
def browser(app: FastAPI) -> TestClient:
    return TestClient(app, base_url=HERE, follow_redirects=False)


@pytest.fixture
def other(app: FastAPI) -> TestClient:
    """A second browser."""
    return TestClient(app, base_url=HERE, follow_redirects=False)


def count(app: FastAPI) -> int:
    with app.state.db.read() as conn:
        return int(conn.execute(select(func.count()).select_from(store.players)).scalar_one())


def sign_up(browser: TestClient, name: str = "Maija") -> list[str]:
    """The recovery codes."""
    page = browser.post("/account/sign-up", data={"name": name, "password": PASSWORD})
    assert page.status_code == 200
    return re.findall(r"<li><code>([^<]+)</code>", page.text)


def me(browser: TestClient) -> str:
    return browser.get("/me").text


class TestGuests:
    @pytest.mark.parametrize(
        "path",
        ["/account", "/account/sign-up", "/account/sign-in", "/account/recover", "/account/code", "/me"],
    )
    def test_looking_makes_no_player(self, app: FastAPI, browser: TestClient, path: str) -> None:
        answer = browser.get(path)
        assert answer.status_code == 200
        assert "spindel=" not in answer.headers.get("set-cookie", "")
        assert count(app) == 0

    def test_the_first_action_makes_one_and_the_cookie_brings_it_back(
        self, app: FastAPI, browser: TestClient
    ) -> None:
        answer = browser.post("/play-now")
        assert count(app) == 1
        assert me(browser) == answer.text
        assert browser.post("/play-now").text == answer.text
        assert count(app) == 1
        flags = answer.headers["set-cookie"]
        assert "HttpOnly" in flags
        assert "SameSite=Lax" in flags
        assert "Secure" not in flags

    def test_the_cookie_is_secure_where_the_public_address_is(self, app: FastAPI) -> None:
        app.state.cookies = deps.Cookies("the same secret as ever", secure=True)
        assert "; Secure" in TestClient(app, base_url=HERE).post("/play-now").headers["set-cookie"]

    def test_the_choices_of_a_stranger_come_along(self, app: FastAPI, browser: TestClient) -> None:
        browser.post("/preferences", data={"four_colour": "yes", "felt": "blue"})
        assert count(app) == 0
        browser.post("/play-now")
        with app.state.db.read() as conn:
            player = service.player(conn, me(browser))
        assert player is not None
        assert player.preferences.chosen() == {"four_colour": "yes", "felt": "blue"}

    def test_a_guest_cannot_sign_out_and_lose_the_games(self, browser: TestClient) -> None:
        browser.post("/play-now")
        before = me(browser)
        assert browser.post("/account/sign-out").status_code == 422
        assert me(browser) == before


class TestCookies:
    def test_forged_tampered_expired_and_revoked_ones_are_a_strangers(
        self, app: FastAPI, browser: TestClient
    ) -> None:
        browser.post("/play-now")
        good = browser.cookies["spindel"]
        token, _, signature = good.rpartition(".")
        forged = [token, f"{token}.", f".{signature}", f"{token[:-1]}x.{signature}", "x", "", "é", "x" * 5000]
        for value in forged:
            fresh = TestClient(app, base_url=HERE)
            answer = fresh.get("/me", headers={"cookie": f"spindel={value}".encode("latin-1")})  # type: ignore[dict-item]
            assert (answer.status_code, answer.text) == (200, "stranger")
        with app.state.db.write() as conn:
            conn.execute(update(store.sessions).values(expires_at=service.now_ms()))
        assert me(browser) == "stranger"

    def test_a_cookie_signed_with_another_secret_is_a_strangers(
        self, app: FastAPI, browser: TestClient
    ) -> None:
        browser.post("/play-now")
        app.state.cookies = deps.Cookies("another secret altogether", secure=False)
        assert me(browser) == "stranger"

    def test_a_session_id_fixed_by_an_attacker_is_worth_nothing_after_sign_up(
        self, app: FastAPI, browser: TestClient, other: TestClient
    ) -> None:
        other.post("/play-now")  # the attacker's guest, planted into the browser
        other.post("/account/tokens", data={"label": "for later"})
        browser.cookies.set("spindel", other.cookies["spindel"], domain="127.0.0.1")
        planted = me(browser)
        assert planted == me(other)
        sign_up(browser)
        assert me(browser) == planted  # the guest's games followed, once
        assert me(other) == "stranger"

    def test_the_cookie_is_lengthened_once_an_hour(self, app: FastAPI, browser: TestClient) -> None:
        browser.post("/play-now")
        assert "set-cookie" not in browser.get("/me").headers
        with app.state.db.write() as conn:
            conn.execute(update(store.sessions).values(last_used_at=0))
        assert "Max-Age=" in browser.get("/me").headers["set-cookie"]
        assert "set-cookie" not in browser.get("/me").headers

    def test_looking_costs_one_statement(self, app: FastAPI, browser: TestClient) -> None:
        browser.post("/play-now")
        with app.state.db.statements() as statements:
            browser.get("/me")
        assert [s.split()[0] for s in statements] == ["BEGIN", "SELECT", "ROLLBACK"]


class TestBearer:
    def token(self, browser: TestClient) -> str:
        page = browser.post("/account/tokens", data={"label": "bot"}).text
        found = re.search(r"Bearer ([\w-]{43})", page)
        assert found
        return found[1]

    def test_a_token_is_shown_once_and_brings_its_player(
        self, browser: TestClient, other: TestClient
    ) -> None:
        browser.post("/play-now")
        token = self.token(browser)
        assert token not in browser.get("/account").text
        assert other.get("/me", headers={"authorization": f"Bearer {token}"}).text == me(browser)
        assert other.get("/me", headers={"authorization": f"bearer  {token} "}).text == me(browser)

    @pytest.mark.parametrize("value", ["Bearer", "Bearer ", "Bearer x", "Bearer é", "bearer " + "x" * 9000])
    def test_an_unknown_one_is_401_even_beside_a_good_cookie(self, browser: TestClient, value: str) -> None:
        browser.post("/play-now")
        answer = browser.get("/me", headers={"authorization": value.encode("latin-1")})  # type: ignore[dict-item]
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"

    def test_a_cookies_token_is_no_bearer_token(self, browser: TestClient, other: TestClient) -> None:
        browser.post("/play-now")
        token = browser.cookies["spindel"].rpartition(".")[0]
        assert other.get("/me", headers={"authorization": f"Bearer {token}"}).status_code == 401

    def test_a_token_does_not_manage_the_account(self, browser: TestClient, other: TestClient) -> None:
        browser.post("/play-now")
        headers = {"authorization": f"Bearer {self.token(browser)}"}
        for path in ("/account/move", "/account/tokens", "/account/delete", "/account/sign-up"):
            assert other.post(path, data={"sure": "yes"}, headers=headers).status_code == 403
        assert other.get("/account/export", headers=headers).status_code == 403

    def test_it_is_listed_and_ended(self, app: FastAPI, browser: TestClient, other: TestClient) -> None:
        browser.post("/play-now")
        token = self.token(browser)
        page = browser.get("/account").text
        (session_id,) = re.findall(r'name="session" value="(\w{64})"', page)
        other.post("/play-now")
        assert other.post("/account/sessions/end", data={"session": session_id}).status_code == 404
        assert browser.post("/account/sessions/end", data={"session": session_id}).status_code == 303
        assert other.get("/me", headers={"authorization": f"Bearer {token}"}).status_code == 401
        assert browser.post("/account/sessions/end", data={"session": session_id}).status_code == 404

    def test_the_others_are_ended_at_once(self, browser: TestClient, other: TestClient) -> None:
        browser.post("/play-now")
        token = self.token(browser)
        browser.post("/account/sessions/end-others")
        assert other.get("/me", headers={"authorization": f"Bearer {token}"}).status_code == 401
        assert me(browser) != "stranger"


class TestAccounts:
    def test_the_page_that_follows_sign_up_knows_the_new_name(self, browser: TestClient) -> None:
        page = browser.post("/account/sign-up", data={"name": "Maija", "password": PASSWORD}).text
        assert '<a class="end" href="/account">Maija</a>' in page

    def test_a_guest_becomes_an_account_with_codes_and_a_new_cookie(self, browser: TestClient) -> None:
        guest = browser.post("/play-now").text
        before = browser.cookies["spindel"]
        codes = sign_up(browser)
        assert len(set(codes)) == service.RECOVERY_CODES
        assert browser.cookies["spindel"] != before
        assert me(browser) == guest
        page = browser.get("/account").text
        assert "Maija" in page
        assert not any(code in page for code in codes)
        assert browser.get("/account/sign-up").headers["location"] == "/account"

    def test_signing_in_elsewhere_and_out_again(self, browser: TestClient, other: TestClient) -> None:
        sign_up(browser)
        answer = other.post("/account/sign-in", data={"name": "maija", "password": PASSWORD})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert me(other) == me(browser)
        old = other.cookies["spindel"]
        assert other.post("/account/sign-out").status_code == 303
        assert "spindel" not in other.cookies
        other.cookies.set("spindel", old, domain="127.0.0.1")
        assert me(other) == "stranger"
        assert me(browser) != "stranger"

    def test_unknown_name_and_wrong_password_get_the_same_answer(
        self, browser: TestClient, other: TestClient
    ) -> None:
        sign_up(browser)
        answers = [
            other.post("/account/sign-in", data=data)
            for data in (
                {"name": "Maija", "password": "wrong wrong"},
                {"name": "Nobody", "password": "wrong wrong"},
                {"name": "<script>alert(1)</script>", "password": PASSWORD},
                {},
            )
        ]
        assert {a.status_code for a in answers} == {401}
        assert len({a.text for a in answers}) == 1
        assert "set-cookie" not in answers[0].headers

    @pytest.mark.parametrize(
        ("data", "status"),
        [
            ({"name": "' OR 1=1--", "password": PASSWORD}, 422),
            ({"name": "nul\x00", "password": PASSWORD}, 422),
            ({"name": "grin 😀", "password": PASSWORD}, 422),
            ({"name": "<script>alert(1)</script>", "password": PASSWORD}, 422),
            ({"name": "{{7*7}}", "password": PASSWORD}, 422),
            ({"name": "x" * 4000, "password": PASSWORD}, 422),
            ({"name": "x" * 5000, "password": PASSWORD}, 400),
            ({"name": ["Liisa", "Kerttu"], "password": PASSWORD}, 400),
            ({"name": "Liisa", "password": "short"}, 422),
            ({"name": "Liisa", "password": "x" * 300}, 422),
            ({"name": "MAIJA", "password": PASSWORD}, 409),
            ({"name": "Liisa"}, 422),
            ({}, 422),
        ],
    )
    def test_a_bad_sign_up_says_why_echoes_nothing_and_makes_no_player(
        self, app: FastAPI, browser: TestClient, other: TestClient, data: dict[str, str], status: int
    ) -> None:
        sign_up(other)
        answer = browser.post("/account/sign-up", data=data)
        assert answer.status_code == status
        assert "alert(" not in answer.text
        assert "49" not in re.sub(r"\?v=\w+", "", answer.text)
        assert count(app) == 1

    def test_a_recovery_code_lets_in_once(self, browser: TestClient, other: TestClient) -> None:
        codes = sign_up(browser)
        data = {"name": "Maija", "code": codes[0].lower(), "password": "a wholly new one"}
        assert other.post("/account/recover", data=data).headers["location"] == "/account"
        assert me(browser) == "stranger"
        assert me(other) != "stranger"
        again = browser.post("/account/recover", data=data)
        unknown = browser.post("/account/recover", data=data | {"name": "Nobody"})
        assert again.status_code == unknown.status_code == 401
        assert again.text == unknown.text

    def test_the_password_is_changed_by_the_old_one_and_ends_the_other_sessions(
        self, browser: TestClient, other: TestClient
    ) -> None:
        sign_up(browser)
        other.post("/account/sign-in", data={"name": "Maija", "password": PASSWORD})
        assert (
            browser.post("/account/password", data={"old": "x", "password": "a wholly new one"}).status_code
            == 401
        )
        answer = browser.post("/account/password", data={"old": PASSWORD, "password": "a wholly new one"})
        assert answer.status_code == 303
        assert me(browser) != "stranger"
        assert me(other) == "stranger"

    def test_new_recovery_codes_need_the_password(self, browser: TestClient) -> None:
        old = sign_up(browser)
        assert browser.post("/account/recovery-codes", data={"password": "wrong wrong"}).status_code == 401
        page = browser.post("/account/recovery-codes", data={"password": PASSWORD}).text
        fresh = re.findall(r"<li><code>([^<]+)</code>", page)
        assert len(fresh) == len(old)
        assert not set(fresh) & set(old)

    def test_what_is_for_players_leads_strangers_to_the_accounts_page(self, browser: TestClient) -> None:
        for path in ("password", "recovery-codes", "move", "tokens", "sessions/end"):
            assert browser.post(f"/account/{path}", data={"x": "y"}).headers["location"] == "/account"
        for path in ("password", "export", "delete", "move", "tokens", "recovery-codes"):
            assert browser.get(f"/account/{path}").headers["location"] == "/account"


class TestOtherDevices:
    def code(self, browser: TestClient) -> str:
        page = browser.post("/account/move").text
        found = re.search(r"<code>([0-9A-Z]{5}-[0-9A-Z]{5})</code>", page)
        assert found
        assert f"{HERE}/account/code?code={found[1]}" in page
        assert "<svg" in page
        assert "style=" not in page
        return found[1]

    def test_the_link_fills_in_the_code_and_only_the_button_uses_it(
        self, browser: TestClient, other: TestClient
    ) -> None:
        browser.post("/play-now")
        code = self.code(browser)
        for _ in range(2):
            assert f'value="{code}"' in other.get(f"/account/code?code={code}").text
        assert other.post("/account/code", data={"code": code}).status_code == 303
        assert me(other) == me(browser)
        assert other.post("/account/code", data={"code": code}).status_code == 404

    def test_a_link_cannot_write_into_the_page(self, browser: TestClient) -> None:
        page = browser.get('/account/code?code="><script>alert(1)</script>{{7*7}}').text
        assert "<script>alert" not in page
        assert "49" not in re.sub(r"\?v=\w+", "", page)

    def test_a_wrong_code_is_refused(self, browser: TestClient) -> None:
        for code in ("", "ABCDE-FGHJK", "x" * 4000, "\x00"):
            assert browser.post("/account/code", data={"code": code}).status_code == 404
        assert me(browser) == "stranger"


class TestLeaving:
    def test_the_export_is_ones_own(self, browser: TestClient, other: TestClient) -> None:
        sign_up(browser)
        other.post("/play-now")
        answer = browser.get("/account/export")
        assert "attachment" in answer.headers["content-disposition"]
        assert answer.json()["player"]["name"] == "Maija"
        assert "Maija" not in other.get("/account/export").text

    def test_deleting_needs_a_yes_and_the_password_and_twice_is_as_good_as_once(
        self, app: FastAPI, browser: TestClient
    ) -> None:
        sign_up(browser)
        player_id = me(browser)
        assert browser.post("/account/delete", data={"password": PASSWORD}).status_code == 422
        assert (
            browser.post("/account/delete", data={"sure": "yes", "password": "wrong wrong"}).status_code
            == 401
        )
        for _ in range(2):
            answer = browser.post("/account/delete", data={"sure": "yes", "password": PASSWORD})
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert me(browser) == "stranger"
        assert browser.get("/players/Maija").status_code == 404
        with app.state.db.read() as conn:
            row = store.player(conn, player_id)
        assert row is not None
        assert row.name is None


class TestPreferences:
    def test_a_box_that_is_not_ticked_is_switched_off_again(self, app: FastAPI, browser: TestClient) -> None:
        browser.post("/play-now")
        browser.post("/preferences", data={"left_handed": "yes", "dress": "H", "evil": "x"})
        browser.post("/preferences", data={"four_colour": "yes", "felt": "<script>"})
        browser.post("/preferences", data={"language": "fi"})
        with app.state.db.read() as conn:
            player = service.player(conn, me(browser))
        assert player is not None
        assert player.preferences.chosen() == {"dress": "H", "four_colour": "yes", "language": "fi"}
        assert 'lang="fi"' in browser.get("/account").text

    def test_it_leads_back_to_the_page_of_ours_that_it_was_on(self, browser: TestClient) -> None:
        for referer, place in [
            (f"{HERE}/rules/spider?x=1", "/rules/spider"),
            ("https://evil.example/rules", "/account"),
            (f"{HERE}//evil.example", "/account"),
            ("\\", "/account"),
            ("", "/account"),
        ]:
            answer = browser.post("/preferences", data={"clock": "hidden"}, headers={"referer": referer})
            assert (answer.status_code, answer.headers["location"]) == (303, place)

    def test_a_script_gets_no_page(self, browser: TestClient) -> None:
        answer = browser.post("/preferences", data={"clock": "hidden"}, headers={"hx-request": "true"})
        assert (answer.status_code, answer.content) == (204, b"")

    def test_the_language_comes_along_to_another_device(self, browser: TestClient, other: TestClient) -> None:
        sign_up(browser)
        browser.post("/preferences", data={"language": "fi"})
        other.post("/account/sign-in", data={"name": "Maija", "password": PASSWORD})
        assert 'lang="fi"' in other.get("/account").text.split(">", 2)[1]


class TestPlayersPage:
    def test_an_account_has_one_under_any_spelling_and_guests_have_none(self, browser: TestClient) -> None:
        browser.post("/play-now")
        sign_up(browser, "Maija Meikäläinen")
        assert "Maija Meikäläinen" in browser.get("/players/MAIJA MEIKÄLÄINEN").text
        for name in ("Nobody", "%00", "%ff", "x" * 9999, "None", "<script>alert(1)</script>", me(browser)):
            answer = browser.get(f"/players/{name}")
            assert answer.status_code == 404
            assert "alert(" not in answer.text
