"""Fixtures for all tests: settings, a database, the program in this process, and as a server of its own."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import hypothesis
import pytest

from app.db import Database, open_database
from app.settings import Settings
from tests.support import chromium
from tests.support.databases import DATABASE, another_database, migrated
from tests.support.server import Server

# A property is about what comes out, and not about how long a busy machine takes for it.
hypothesis.settings.register_profile("spindel", deadline=None)
hypothesis.settings.load_profile("spindel")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is about SQLite alone is left out where another database is tested."""
    if DATABASE != "sqlite":
        left_out = [item for item in items if item.get_closest_marker("sqlite")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the one who runs the tests reaches them."""
    for name in [name for name in os.environ if name.startswith("SPINDEL_") and name != "SPINDEL_CHROMIUM"]:
        monkeypatch.delenv(name)


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    """Settings with a data directory of their own, without rate limits and without the engine."""
    with another_database() as database:
        yield Settings(
            data_dir=tmp_path / "data",
            rate_limits=False,
            secret="a secret that only tests know",
            solver_processes=0,
            **database,
        )


@pytest.fixture
def db(settings: Settings) -> Iterator[Database]:
    """A migrated database."""
    migrated(settings)
    database = open_database(settings.database_url)
    yield database
    database.close()


@pytest.fixture
def web(settings: Settings) -> Any:
    """The whole program, made for this test's settings; not started (see ``client``)."""
    from app.main import create_app

    migrated(settings)
    return create_app(settings)


@pytest.fixture
async def client(web: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the program in this process, for ``async def`` tests marked ``anyio``."""
    transport = httpx.ASGITransport(app=web, raise_app_exceptions=False)
    async with (
        web.router.lifespan_context(web),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as one,
    ):
        yield one


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers, each with a data directory and a port of its own; ends them after the test."""
    numbers = count()
    with ExitStack() as stack:

        def start(**settings: str) -> Server:
            database = stack.enter_context(another_database())
            server = Server(tmp_path / f"server-{next(numbers)}", **(database | settings))
            stack.callback(server.kill)
            server.start()
            return server

        yield start


@pytest.fixture
def server(start_server: Callable[..., Server]) -> Server:
    """A running server of this test's own, to be killed and restarted at will."""
    return start_server()


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server for the tests of one module, which must not disturb each other's games."""
    with another_database() as database:
        one = Server(tmp_path_factory.mktemp("server"), **database)
        one.start()
        yield one
        one.kill()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """pytest-playwright starts the system's Chromium, found as tests/support/chromium.py says."""
    return {
        **browser_type_launch_args,
        "executable_path": chromium.path(),
        "args": [*browser_type_launch_args.get("args", []), *chromium.FLAGS],
    }
