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
from tests.support.programs import still

HERE = "http://127.0.0.1:8000"
PASSWORD = "correct horse battery"


@pytest.fixture
def app(web: FastAPI) -> Iterator[FastAPI]:
    """The whole program, started (see ``still``), with two routes to see by who is who."""

    @web.post("/play-now")
    def play_now(request: Request) -> Response:
        with deps.acting(request) as (_, player):
            return PlainTextResponse(player.id)

    @web.get("/me")
    def me(request: Request) -> Response:
        player = deps.current_player(request)
        return PlainTextResponse("stranger" if player is None else player.id)

    with still(web):
        yield web


@pytest.fixture
def laptop(app: FastAPI) -> TestClient:
    return TestClient(app, base_url=HERE, follow_redirects=False)


@pytest.fixture
def phone(app: FastAPI) -> TestClient:
    """A second browser."""
    return TestClient(app, base_url=HERE, follow_redirects=False)


def count(app: FastAPI) -> int:
    with app.state.db.read() as conn:
        return int(conn.execute(select(func.count()).select_from(store.players)).scalar_one())


def sign_up(laptop: TestClient, name: str = "Maija") -> list[str]:
    """The recovery codes."""
    page = laptop.post("/account/sign-up", data={"name": name, "password": PASSWORD})
    assert page.status_code == 200
    return re.findall(r"<li><code>([^<]+)</code>", page.text)


def me(laptop: TestClient) -> str:
    return laptop.get("/me").text


class TestGuests:
    @pytest.mark.parametrize(
        "path",
        ["/account", "/account/sign-up", "/account/sign-in", "/account/recover", "/account/code", "/me"],
    )
    def test_looking_makes_no_player(self, app: FastAPI, laptop: TestClient, path: str) -> None:
        answer = laptop.get(path)
        assert answer.status_code == 200
        assert "spindel=" not in answer.headers.get("set-cookie", "")
        assert count(app) == 0

    def test_the_first_action_makes_one_and_the_cookie_brings_it_back(
        self, app: FastAPI, laptop: TestClient
    ) -> None:
        answer = laptop.post("/play-now")
        assert count(app) == 1
        assert me(laptop) == answer.text
        assert laptop.post("/play-now").text == answer.text
        assert count(app) == 1
        flags = answer.headers["set-cookie"]
        assert "HttpOnly" in flags
        assert "SameSite=Lax" in flags
        assert "Secure" not in flags

    def test_the_cookie_is_secure_where_the_public_address_is(self, app: FastAPI) -> None:
        app.state.cookies = deps.Cookies("the same secret as ever", secure=True)
        assert "; Secure" in TestClient(app, base_url=HERE).post("/play-now").headers["set-cookie"]

    def test_the_choices_of_a_stranger_come_along(self, app: FastAPI, laptop: TestClient) -> None:
        laptop.post("/preferences", data={"four_colour": "yes", "felt": "blue"})
        assert count(app) == 0
        laptop.post("/play-now")
        with app.state.db.read() as conn:
            player = service.player(conn, me(laptop))
        assert player is not None
        assert player.preferences.chosen() == {"four_colour": "yes", "felt": "blue"}

    def test_a_guest_cannot_sign_out_and_lose_the_games(self, laptop: TestClient) -> None:
        laptop.post("/play-now")
        before = me(laptop)
        assert laptop.post("/account/sign-out").status_code == 422
        assert me(laptop) == before


class TestCookies:
    def test_forged_tampered_expired_and_revoked_ones_are_a_strangers(
        self, app: FastAPI, laptop: TestClient
    ) -> None:
        laptop.post("/play-now")
        good = laptop.cookies["spindel"]
        token, _, signature = good.rpartition(".")
        forged = [token, f"{token}.", f".{signature}", f"{token[:-1]}x.{signature}", "x", "", "é", "x" * 5000]
        for value in forged:
            fresh = TestClient(app, base_url=HERE)
            answer = fresh.get("/me", headers={"cookie": f"spindel={value}".encode("latin-1")})  # type: ignore[dict-item]
            assert (answer.status_code, answer.text) == (200, "stranger")
        with app.state.db.write() as conn:
            conn.execute(update(store.sessions).values(expires_at=service.now_ms()))
        assert me(laptop) == "stranger"

    def test_a_cookie_signed_with_another_secret_is_a_strangers(
        self, app: FastAPI, laptop: TestClient
    ) -> None:
        laptop.post("/play-now")
        app.state.cookies = deps.Cookies("another secret altogether", secure=False)
        assert me(laptop) == "stranger"

    def test_a_session_id_fixed_by_an_attacker_is_worth_nothing_after_sign_up(
        self, app: FastAPI, laptop: TestClient, phone: TestClient
    ) -> None:
        phone.post("/play-now")  # the attacker's guest, planted into the browser
        phone.post("/account/tokens", data={"label": "for later"})
        laptop.cookies.set("spindel", phone.cookies["spindel"], domain="127.0.0.1")
        planted = me(laptop)
        assert planted == me(phone)
        sign_up(laptop)
        assert me(laptop) == planted  # the guest's games followed, once
        assert me(phone) == "stranger"

    def test_the_cookie_is_lengthened_once_an_hour(self, app: FastAPI, laptop: TestClient) -> None:
        laptop.post("/play-now")
        assert "set-cookie" not in laptop.get("/me").headers
        with app.state.db.write() as conn:
            conn.execute(update(store.sessions).values(last_used_at=0))
        assert "Max-Age=" in laptop.get("/me").headers["set-cookie"]
        assert "set-cookie" not in laptop.get("/me").headers

    @pytest.mark.sqlite
    def test_looking_costs_one_statement(self, app: FastAPI, laptop: TestClient) -> None:
        laptop.post("/play-now")
        with app.state.db.statements() as statements:
            laptop.get("/me")
        assert [s.split()[0] for s in statements] == ["BEGIN", "SELECT", "ROLLBACK"]


class TestBearer:
    def token(self, laptop: TestClient) -> str:
        page = laptop.post("/account/tokens", data={"label": "bot"}).text
        found = re.search(r"Bearer ([\w-]{43})", page)
        assert found
        return found[1]

    def test_a_token_is_shown_once_and_brings_its_player(self, laptop: TestClient, phone: TestClient) -> None:
        laptop.post("/play-now")
        token = self.token(laptop)
        assert token not in laptop.get("/account").text
        assert phone.get("/me", headers={"authorization": f"Bearer {token}"}).text == me(laptop)
        assert phone.get("/me", headers={"authorization": f"bearer  {token} "}).text == me(laptop)

    @pytest.mark.parametrize("value", ["Bearer", "Bearer ", "Bearer x", "Bearer é", "bearer " + "x" * 9000])
    def test_an_unknown_one_is_401_even_beside_a_good_cookie(self, laptop: TestClient, value: str) -> None:
        laptop.post("/play-now")
        answer = laptop.get("/me", headers={"authorization": value.encode("latin-1")})  # type: ignore[dict-item]
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"

    def test_a_cookies_token_is_no_bearer_token(self, laptop: TestClient, phone: TestClient) -> None:
        laptop.post("/play-now")
        token = laptop.cookies["spindel"].rpartition(".")[0]
        assert phone.get("/me", headers={"authorization": f"Bearer {token}"}).status_code == 401

    def test_a_token_does_not_manage_the_account(self, laptop: TestClient, phone: TestClient) -> None:
        laptop.post("/play-now")
        headers = {"authorization": f"Bearer {self.token(laptop)}"}
        for path in ("/account/move", "/account/tokens", "/account/delete", "/account/sign-up"):
            assert phone.post(path, data={"sure": "yes"}, headers=headers).status_code == 403
        assert phone.get("/account/export", headers=headers).status_code == 403

    def test_it_is_listed_and_ended(self, app: FastAPI, laptop: TestClient, phone: TestClient) -> None:
        laptop.post("/play-now")
        token = self.token(laptop)
        page = laptop.get("/account").text
        (session_id,) = re.findall(r'name="session" value="(\w{64})"', page)
        phone.post("/play-now")
        assert phone.post("/account/sessions/end", data={"session": session_id}).status_code == 404
        assert laptop.post("/account/sessions/end", data={"session": session_id}).status_code == 303
        assert phone.get("/me", headers={"authorization": f"Bearer {token}"}).status_code == 401
        assert laptop.post("/account/sessions/end", data={"session": session_id}).status_code == 404

    def test_the_others_are_ended_at_once(self, laptop: TestClient, phone: TestClient) -> None:
        laptop.post("/play-now")
        token = self.token(laptop)
        laptop.post("/account/sessions/end-others")
        assert phone.get("/me", headers={"authorization": f"Bearer {token}"}).status_code == 401
        assert me(laptop) != "stranger"


class TestAccounts:
    def test_the_page_that_follows_sign_up_knows_the_new_name(self, laptop: TestClient) -> None:
        page = laptop.post("/account/sign-up", data={"name": "Maija", "password": PASSWORD}).text
        assert '<a class="end" href="/account">Maija</a>' in page

    def test_a_reload_of_the_codes_says_that_the_account_is_made_and_offers_new_ones(
        self, laptop: TestClient
    ) -> None:
        codes = sign_up(laptop)
        again = laptop.post("/account/sign-up", data={"name": "maija", "password": PASSWORD})
        assert again.status_code == 200
        assert "Your account Maija is made" in again.text
        assert 'action="/account/recovery-codes"' in again.text
        assert not any(code in again.text for code in codes)
        recovered = laptop.post(
            "/account/recover", data={"name": "Maija", "code": codes[0], "password": "a wholly new one"}
        )
        assert recovered.status_code == 303  # those that were shown are worth what they were

    def test_the_name_of_another_is_still_taken_on_a_reload(
        self, laptop: TestClient, phone: TestClient
    ) -> None:
        sign_up(laptop)
        sign_up(phone, "Bo")
        assert phone.post("/account/sign-up", data={"name": "Maija", "password": PASSWORD}).status_code == 409

    def test_a_wrong_password_leaves_the_name_in_its_field(self, laptop: TestClient) -> None:
        for typed, kept in (("O'Neill", 'value="O&#39;Neill"'), ('"><b>Maija', "")):
            page = laptop.post("/account/sign-in", data={"name": typed, "password": "wrong wrong"})
            assert page.status_code == 401
            assert (kept or 'name="name" required') in page.text
            assert typed not in page.text

    def test_a_guest_becomes_an_account_with_codes_and_a_new_cookie(self, laptop: TestClient) -> None:
        guest = laptop.post("/play-now").text
        before = laptop.cookies["spindel"]
        codes = sign_up(laptop)
        assert len(set(codes)) == service.RECOVERY_CODES
        assert laptop.cookies["spindel"] != before
        assert me(laptop) == guest
        page = laptop.get("/account").text
        assert "Maija" in page
        assert not any(code in page for code in codes)
        assert laptop.get("/account/sign-up").headers["location"] == "/account"

    def test_signing_in_elsewhere_and_out_again(self, laptop: TestClient, phone: TestClient) -> None:
        sign_up(laptop)
        answer = phone.post("/account/sign-in", data={"name": "maija", "password": PASSWORD})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert me(phone) == me(laptop)
        old = phone.cookies["spindel"]
        assert phone.post("/account/sign-out").status_code == 303
        assert "spindel" not in phone.cookies
        phone.cookies.set("spindel", old, domain="127.0.0.1")
        assert me(phone) == "stranger"
        assert me(laptop) != "stranger"

    def test_unknown_name_and_wrong_password_get_the_same_answer(
        self, laptop: TestClient, phone: TestClient
    ) -> None:
        sign_up(laptop)
        answers = [
            phone.post("/account/sign-in", data=data)
            for data in (
                {"name": "Maija", "password": "wrong wrong"},
                {"name": "Nobody", "password": "wrong wrong"},
                {"name": "<script>alert(1)</script>", "password": PASSWORD},
                {},
            )
        ]
        assert {a.status_code for a in answers} == {401}
        typed = re.compile(r' value="[^"]*"(?= required)')  # the name alone comes back, for mending it
        assert len({typed.sub("", a.text) for a in answers}) == 1
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
        self, app: FastAPI, laptop: TestClient, phone: TestClient, data: dict[str, str], status: int
    ) -> None:
        sign_up(phone)
        answer = laptop.post("/account/sign-up", data=data)
        assert answer.status_code == status
        assert "alert(" not in answer.text
        assert "49" not in re.sub(r"\?v=\w+", "", answer.text)
        assert count(app) == 1

    def test_a_recovery_code_lets_in_once(self, laptop: TestClient, phone: TestClient) -> None:
        codes = sign_up(laptop)
        data = {"name": "Maija", "code": codes[0].lower(), "password": "a wholly new one"}
        assert phone.post("/account/recover", data=data).headers["location"] == "/account"
        assert me(laptop) == "stranger"
        assert me(phone) != "stranger"
        again = laptop.post("/account/recover", data=data)
        unknown = laptop.post("/account/recover", data=data | {"name": "Nobody"})
        assert again.status_code == unknown.status_code == 401
        assert again.text == unknown.text

    def test_the_password_is_changed_by_the_old_one_and_ends_the_other_sessions(
        self, laptop: TestClient, phone: TestClient
    ) -> None:
        sign_up(laptop)
        phone.post("/account/sign-in", data={"name": "Maija", "password": PASSWORD})
        assert (
            laptop.post("/account/password", data={"old": "x", "password": "a wholly new one"}).status_code
            == 401
        )
        answer = laptop.post("/account/password", data={"old": PASSWORD, "password": "a wholly new one"})
        assert answer.status_code == 303
        assert me(laptop) != "stranger"
        assert me(phone) == "stranger"

    def test_new_recovery_codes_need_the_password(self, laptop: TestClient) -> None:
        old = sign_up(laptop)
        assert laptop.post("/account/recovery-codes", data={"password": "wrong wrong"}).status_code == 401
        page = laptop.post("/account/recovery-codes", data={"password": PASSWORD}).text
        fresh = re.findall(r"<li><code>([^<]+)</code>", page)
        assert len(fresh) == len(old)
        assert not set(fresh) & set(old)

    def test_what_is_for_players_leads_strangers_to_the_accounts_page(self, laptop: TestClient) -> None:
        for path in ("password", "recovery-codes", "move", "tokens", "sessions/end"):
            assert laptop.post(f"/account/{path}", data={"x": "y"}).headers["location"] == "/account"
        for path in ("password", "export", "delete", "move", "tokens", "recovery-codes"):
            assert laptop.get(f"/account/{path}").headers["location"] == "/account"


class TestOtherDevices:
    def code(self, laptop: TestClient) -> str:
        page = laptop.post("/account/move").text
        found = re.search(r"<code>([0-9A-Z]{5}-[0-9A-Z]{5})</code>", page)
        assert found
        assert f"{HERE}/account/code?code={found[1]}" in page
        assert "<svg" in page
        assert "style=" not in page
        return found[1]

    def test_the_link_fills_in_the_code_and_only_the_button_uses_it(
        self, laptop: TestClient, phone: TestClient
    ) -> None:
        laptop.post("/play-now")
        code = self.code(laptop)
        for _ in range(2):
            assert f'value="{code}"' in phone.get(f"/account/code?code={code}").text
        assert phone.post("/account/code", data={"code": code}).status_code == 303
        assert me(phone) == me(laptop)
        assert phone.post("/account/code", data={"code": code}).status_code == 404

    def test_a_link_cannot_write_into_the_page(self, laptop: TestClient) -> None:
        page = laptop.get('/account/code?code="><script>alert(1)</script>{{7*7}}').text
        assert "<script>alert" not in page
        assert "49" not in re.sub(r"\?v=\w+", "", page)

    def test_a_wrong_code_is_refused(self, laptop: TestClient) -> None:
        for code in ("", "ABCDE-FGHJK", "x" * 4000, "\x00"):
            assert laptop.post("/account/code", data={"code": code}).status_code == 404
        assert me(laptop) == "stranger"


class TestLeaving:
    def test_the_export_is_ones_own(self, laptop: TestClient, phone: TestClient) -> None:
        sign_up(laptop)
        phone.post("/play-now")
        answer = laptop.get("/account/export")
        assert "attachment" in answer.headers["content-disposition"]
        assert answer.json()["player"]["name"] == "Maija"
        assert "Maija" not in phone.get("/account/export").text

    def test_deleting_needs_a_yes_and_the_password_and_twice_is_as_good_as_once(
        self, app: FastAPI, laptop: TestClient
    ) -> None:
        sign_up(laptop)
        player_id = me(laptop)
        assert laptop.post("/account/delete", data={"password": PASSWORD}).status_code == 422
        assert (
            laptop.post("/account/delete", data={"sure": "yes", "password": "wrong wrong"}).status_code == 401
        )
        for _ in range(2):
            answer = laptop.post("/account/delete", data={"sure": "yes", "password": PASSWORD})
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert me(laptop) == "stranger"
        assert laptop.get("/players/Maija").status_code == 404
        with app.state.db.read() as conn:
            row = store.player(conn, player_id)
        assert row is not None
        assert row.name is None


class TestPreferences:
    def test_a_box_that_is_not_ticked_is_switched_off_again(self, app: FastAPI, laptop: TestClient) -> None:
        laptop.post("/play-now")
        laptop.post("/preferences", data={"left_handed": "yes", "dress": "H", "evil": "x"})
        laptop.post("/preferences", data={"four_colour": "yes", "felt": "<script>"})
        laptop.post("/preferences", data={"language": "fi"})
        with app.state.db.read() as conn:
            player = service.player(conn, me(laptop))
        assert player is not None
        assert player.preferences.chosen() == {"dress": "H", "four_colour": "yes", "language": "fi"}
        assert 'lang="fi"' in laptop.get("/account").text

    def test_it_leads_back_to_the_page_of_ours_that_it_was_on(self, laptop: TestClient) -> None:
        for referer, place in [
            (f"{HERE}/rules/spider?x=1", "/rules/spider"),
            ("https://evil.example/rules", "/account"),
            (f"{HERE}//evil.example", "/account"),
            ("\\", "/account"),
            ("", "/account"),
        ]:
            answer = laptop.post("/preferences", data={"clock": "hidden"}, headers={"referer": referer})
            assert (answer.status_code, answer.headers["location"]) == (303, place)

    def test_a_script_gets_no_page(self, laptop: TestClient) -> None:
        answer = laptop.post("/preferences", data={"clock": "hidden"}, headers={"hx-request": "true"})
        assert (answer.status_code, answer.content) == (204, b"")

    def test_the_language_comes_along_to_another_device(self, laptop: TestClient, phone: TestClient) -> None:
        sign_up(laptop)
        laptop.post("/preferences", data={"language": "fi"})
        phone.post("/account/sign-in", data={"name": "Maija", "password": PASSWORD})
        assert 'lang="fi"' in phone.get("/account").text.split(">", 2)[1]


class TestPlayersPage:
    def test_an_account_has_one_under_any_spelling_and_guests_have_none(self, laptop: TestClient) -> None:
        laptop.post("/play-now")
        sign_up(laptop, "Maija Meikäläinen")
        assert "Maija Meikäläinen" in laptop.get("/players/MAIJA MEIKÄLÄINEN").text
        for name in ("Nobody", "%00", "%ff", "x" * 9999, "None", "<script>alert(1)</script>", me(laptop)):
            answer = laptop.get(f"/players/{name}")
            assert answer.status_code == 404
            assert "alert(" not in answer.text
