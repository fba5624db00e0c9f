"""Programs that play over HTTP, a clock for what takes long, and a program that keeps still."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.games.service import now_ms

HERE = "http://127.0.0.1:8000"
V1 = "/api/v1"


@contextmanager
def still(web: FastAPI) -> Iterator[TestClient]:
    """The program, started, without the clockwork: all that it asks its database is what it is asked for."""
    with TestClient(web, base_url=HERE, follow_redirects=False) as client:
        assert client.portal is not None
        client.portal.call(web.state.clockwork.stop)
        yield client


class Later:
    """The real clock, put forward at will."""

    def __init__(self) -> None:
        self.by = 0

    def __call__(self) -> int:
        return now_ms() + self.by


class Program:
    """A program that plays: a guest with a token. What it is answered is for the test to judge."""

    def __init__(self, house: FastAPI) -> None:
        self.http = TestClient(house, base_url=HERE, raise_server_exceptions=False)
        found = self.http.post(f"{V1}/guests").json()
        self.id: str = found["player"]
        self.http.headers["authorization"] = f"Bearer {found['token']}"

    def post(self, path: str, body: Any = None) -> Any:
        return self.http.post(f"{V1}{path}", json=body) if body is not None else self.http.post(f"{V1}{path}")

    def get(self, path: str) -> Any:
        return self.http.get(f"{V1}{path}")
