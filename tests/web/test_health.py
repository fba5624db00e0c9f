"""Whether it lives, whether it can serve, and who may see how it does; what errors and logs look like."""

import json
import socket
from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.support.server import Server

HERE = "http://127.0.0.1:8000"
TOKEN = "a token for the monitor"
MARK = "s3ntinel"


@pytest.fixture
def http(web: FastAPI) -> Iterator[TestClient]:
    with TestClient(web, base_url=HERE, client=("127.0.0.1", 50000)) as client:
        yield client


def from_afar(settings: Settings) -> TestClient:
    return TestClient(create_app(settings), base_url=HERE, client=("203.0.113.9", 50000))


def test_it_lives_and_is_ready_by_any_name(http: TestClient) -> None:
    for host in ("127.0.0.1:8000", "some.balancer.example"):
        assert http.get("/healthz", headers={"host": host}).text == "ok\n"
        assert http.get("/readyz", headers={"host": host}).text == "ready\n"


def test_it_is_not_ready_without_its_database(web: FastAPI, http: TestClient) -> None:
    rename(web, "games", "games_gone")
    try:
        assert http.get("/healthz").status_code == 200
        assert http.get("/readyz").status_code == 503
    finally:
        rename(web, "games_gone", "games")


def rename(web: FastAPI, table: str, to: str) -> None:
    with web.state.db.write() as conn:
        if conn.dialect.name == "sqlite":
            conn.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
        conn.exec_driver_sql(f"ALTER TABLE {table} RENAME TO {to}")


def test_metrics_count_by_route_and_name_no_game(http: TestClient) -> None:
    token = http.post("/api/v1/guests").json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    game = http.post("/api/v1/games", json={"patience": "spider"}, headers=headers).json()
    http.post(f"/api/v1/games/{game['id']}/moves", json={"ply": 0, "move": "deal"}, headers=headers)
    http.get(f"/{MARK}")
    told = http.get("/metrics").text
    assert 'route="/api/v1/games/{game_id}/moves",status="200"} 1.0' in told
    assert 'route="-",status="404"} 1.0' in told
    assert game["id"] not in told
    assert MARK not in told


def test_metrics_are_for_this_machine_or_the_token(settings: Settings, http: TestClient) -> None:
    assert http.get("/metrics").status_code == 200
    for proxied in ("x-forwarded-for", "forwarded", "via"):
        assert http.get("/metrics", headers={proxied: "203.0.113.9"}).status_code == 404
    with from_afar(settings) as afar:
        assert afar.get("/metrics").status_code == 404
        assert afar.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 404
    with from_afar(
        settings.model_copy(update={"metrics_token": Settings(metrics_token=TOKEN).metrics_token})
    ) as afar:
        assert afar.get("/metrics").status_code == 404
        assert afar.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}x"}).status_code == 404
        assert afar.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        (f"/{MARK}", 404, "text/html"),
        (f"/g/{MARK}", 404, "text/html"),
        (f"/api/{MARK}", 404, "application/problem+json"),
        (f"/api/v1/games/{MARK}", 401, "application/problem+json"),
        (f"/static/{MARK}.js", 404, "text/html"),
        ("/static/../app/main.py", 404, "text/html"),
        ("/static/%2e%2e/app/main.py", 404, "text/html"),
        ("/docs", 404, "text/html"),
        ("/redoc", 404, "text/html"),
    ],
)
def test_errors_are_pages_or_documents_and_echo_nothing(
    http: TestClient, path: str, status: int, kind: str
) -> None:
    response = http.get(path)
    assert response.status_code == status
    assert response.headers["content-type"].startswith(kind)
    assert MARK not in response.text
    assert "script-src 'self'" in response.headers["content-security-policy"]


def test_an_error_page_speaks_the_language_asked_for(http: TestClient) -> None:
    english, finnish = (http.get("/nothing", headers={"accept-language": code}) for code in ("en", "fi"))
    assert 'lang="fi"' in finnish.text
    assert "There is nothing at this address." in english.text
    assert "There is nothing at this address." not in finnish.text


def test_an_unforeseen_error_is_a_page_with_the_headers_of_all_others(
    web: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TestClient(web, base_url=HERE, raise_server_exceptions=False) as http:
        monkeypatch.setattr("app.web.pages._unfinished", lambda _request: 1 / 0)
        response = http.get("/")
    assert response.status_code == 500
    assert "script-src 'self'" in response.headers["content-security-policy"]
    assert "division" not in response.text


def test_what_a_server_logs_is_json_that_tells_nothing(start_server: object, tmp_path: object) -> None:
    server: Server = start_server(log_json="true", log_level="DEBUG")  # type: ignore[operator]
    with httpx.Client(base_url=server.url) as http:
        token = http.post("/api/v1/guests").json()["token"]
        headers = {"Authorization": f"Bearer {token}"}
        game = http.post("/api/v1/games", json={"patience": "spider"}, headers=headers).json()
        path = f"/api/v1/games/{game['id']}"
        http.post(f"{path}/moves", json={"ply": 0, "move": "deal"}, headers=headers)
        http.get(f"/{MARK}?code={MARK}")
        with socket.create_connection(("127.0.0.1", http.base_url.port)) as raw:  # what libraries log
            raw.sendall(b"GARBAGE\r\n\r\n")
            raw.recv(1000)
        told = http.post(f"{path}/give-up", json={"ply": 1}, headers=headers).json()
    server.stop()
    log = server.log.read_text()
    for secret in (token, told["deal"], told["salt"], MARK, game["id"]):
        assert secret not in log
    lines = [json.loads(line) for line in log.splitlines() if server.url not in line]
    assert any(line.get("logger") == "uvicorn.error" for line in lines)
    assert all(line["event"] and line["level"] for line in lines)
    # The tests' database on PostgreSQL has been migrated before the server starts.
    first = "migrated" if server.database_url.startswith("sqlite") else "relay_hears"
    assert any(line["event"] == first for line in lines)
