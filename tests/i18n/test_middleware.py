"""The language of a request, through a small application with synchronous and asynchronous handlers."""

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from app.i18n import gettext, language
from app.i18n.middleware import LanguageMiddleware


def page(request):
    return HTMLResponse(language() + " " + gettext("There is nothing to undo."))


async def plain(request):
    return PlainTextResponse(language())


async def broken(request):
    raise RuntimeError("told by the test")


async def sorry(request, error):
    return HTMLResponse(language(), 500)


@pytest.fixture
def client():
    routes = [
        Route("/page", page, methods=["GET", "POST"]),
        Route("/plain", plain),
        Route("/broken", broken),
    ]
    app = Starlette(routes=routes, exception_handlers={Exception: sorry})
    app.add_middleware(LanguageMiddleware)
    return TestClient(app, raise_server_exceptions=False)


def test_a_handler_in_a_thread_has_the_request_s_language(client):
    assert client.get("/page", headers={"accept-language": "fi"}).text == "fi Ei ole mitään kumottavaa."
    assert client.get("/plain", headers={"accept-language": "pl"}).text == "pl"
    assert client.get("/page").text.startswith("en ")


def test_the_address_is_remembered_for_what_follows(client):
    first = client.get("/page?lang=sv", headers={"accept-language": "fi"})
    assert first.text.startswith("sv ")
    cookie = first.headers["set-cookie"]
    assert cookie.startswith("lang=sv; ")
    assert "HttpOnly" in cookie
    assert client.post("/page", headers={"accept-language": "fi"}).text.startswith("sv ")
    assert "set-cookie" not in client.get("/page?lang=sv").headers


@pytest.mark.parametrize("asked", ["xx", "", "fi%0d%0aSet-Cookie:%20x=1", "%00", "fi&lang=xx", "%ff"])
def test_a_language_that_does_not_exist_is_passed_over(client, asked):
    answer = client.get(f"/page?lang={asked}", headers={"accept-language": "da"})
    assert answer.text.startswith("da ")
    assert "set-cookie" not in answer.headers


def test_pages_say_their_language_and_what_it_depends_on(client):
    answer = client.get("/page", headers={"accept-language": "da"})
    assert answer.headers["content-language"] == "da"
    assert answer.headers["vary"] == "Accept-Language, Cookie"
    assert "vary" not in client.get("/plain").headers


@pytest.mark.parametrize("cookie", ["lang=pl", "a=1; lang=pl", "lang=pl;b=2", "xlang=fi; lang=pl"])
def test_the_cookie_is_found_among_others(client, cookie):
    assert client.get("/plain", headers={"cookie": cookie}).text == "pl"


@pytest.mark.parametrize("cookie", ["xlang=fi", "lang=finnish", "lang=FI", "lang=", "lang=\xff"])
def test_a_cookie_that_says_nothing_is_passed_over(client, cookie):
    assert client.get("/plain", headers={"cookie": cookie.encode("latin-1")}).text == "en"


def test_the_page_for_an_unforeseen_error_is_in_the_language_too(client):
    assert client.get("/broken", headers={"accept-language": "fi"}).text == "fi"
