"""Two programs on one PostgreSQL, as on two machines, and what carries their events: it can be stopped."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.support.server import Server
from tests.support.services import Redis, postgres

SETTINGS = {"race_countdown_seconds": "1", "secret": "the same on every machine"}


@dataclass(frozen=True, slots=True)
class Two:
    """Two programs on one database, and what carries their events to each other."""

    first: Server
    second: Server
    cut: Callable[[], None]
    mend: Callable[[], None]


class Notices:
    """PostgreSQL's NOTIFY, which works unless it was stopped: then no hub keeps its connections."""

    def __init__(self, url: str) -> None:
        self._name = url.rpartition("/")[2]
        self._works = threading.Event()
        self._thread: threading.Thread | None = None

    def stop(self) -> None:
        self._works.clear()
        self._thread = threading.Thread(target=self._cut)
        self._thread.start()

    def start(self) -> None:
        self._works.set()
        if self._thread is not None:
            self._thread.join()

    def _cut(self) -> None:
        while not self._works.wait(0.03):
            postgres().execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                f"WHERE datname = '{self._name}' AND application_name = 'spindel hub'"
            )


@contextmanager
def two_workers(folder: Path, *, relay: Literal["redis", "notify"]) -> Iterator[Two]:
    """Both of them run; their files lie in the folder, and all goes at the end."""
    with ExitStack() as stack:
        url = postgres().migrated()
        stack.callback(postgres().give_back, url)
        chosen = {**SETTINGS, "database_url": url}
        wire: Redis | Notices
        if relay == "redis":
            wire = Redis()
            stack.callback(wire.remove)
            chosen["redis_url"] = wire.url
        else:
            wire = Notices(url)
            stack.callback(wire.start)
        servers = [Server(folder / number, **chosen) for number in ("one", "two")]
        for server in servers:
            stack.callback(server.kill)
            server.start(timeout=150)
        yield Two(servers[0], servers[1], wire.stop, wire.start)
