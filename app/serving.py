"""Serving: one worker in this process, or several in processes of their own that share one socket.

Run as a program (``python -m app.serving LISTENER LIFELINE``, two inherited file descriptors) it is one of
several workers. The lifeline is a socket pair: the worker says by it that it answers, and each end notices by
it that the other is gone.
"""

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import structlog
import uvicorn

from app.main import create_app
from app.settings import Settings

log = structlog.get_logger(__name__)

READY = b"r"

PAUSE = 2.0
"""Seconds between the starts of workers that die at once."""


def serve(settings: Settings, listener: socket.socket, begun: Callable[[], object]) -> None:
    """Serves until SIGTERM or SIGINT. ``begun`` is called as soon as it answers."""
    program = create_app(settings)
    config = uvicorn.Config(
        program,
        log_config=None,  # its loggers speak through app/logs.py, and only when something is wrong
        access_log=False,
        server_header=False,
        ws="none",
        forwarded_allow_ips=settings.forwarded_allow_ips,
        timeout_graceful_shutdown=settings.graceful_seconds,
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                begun()

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            program.state.stopping()

    with suppress(KeyboardInterrupt):  # Ctrl+C is how one stops it, and no failure
        Server(config).run(sockets=[listener])


class _Worker:
    """A worker's process, seen from the one that started it."""

    def __init__(self, settings: Settings, listener: socket.socket) -> None:
        self.lifeline, theirs = socket.socketpair()
        self.ready = False
        own = {"SPINDEL_HOST": settings.host, "SPINDEL_PORT": str(settings.port)}
        with theirs:
            descriptors = (listener.fileno(), theirs.fileno())
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-m", "app.serving", *map(str, descriptors)],
                env={**os.environ, **own},
                pass_fds=descriptors,
            )

    def hear(self) -> bool:
        """Reads from the lifeline; whether the worker lives."""
        with suppress(OSError):
            if self.lifeline.recv(1) == READY:
                self.ready = True
                return True
        return False

    def end(self) -> None:
        self.lifeline.close()
        self.process.wait()


class Workers:
    """So many workers, until SIGTERM or SIGINT. One that dies is replaced."""

    def __init__(self, settings: Settings, listener: socket.socket, count: int) -> None:
        self._settings = settings
        self._listener = listener
        self._count = count
        self._workers: list[_Worker] = []
        self._stopping = False

    def run(self, begun: Callable[[], object]) -> bool:
        """``begun`` is called when all of them answer. False if one died before that: then all are ended."""
        before = {sig: signal.signal(sig, self._stop) for sig in (signal.SIGTERM, signal.SIGINT)}
        try:
            return self._run(begun)
        finally:
            self._stop()
            for worker in self._workers:
                worker.end()
            for sig, handler in before.items():
                signal.signal(sig, handler)

    def _run(self, begun: Callable[[], object]) -> bool:
        self._workers = [_Worker(self._settings, self._listener) for _ in range(self._count)]
        all_began, began_at = False, time.monotonic()
        while not self._stopping:
            heard, _, _ = select.select([worker.lifeline for worker in self._workers], [], [], 0.5)
            for worker in [one for one in self._workers if one.lifeline in heard and not one.hear()]:
                self._workers.remove(worker)
                worker.end()
                if not all_began or self._stopping:
                    return self._stopping
                log.warning("worker_died", status=worker.process.returncode)
                time.sleep(max(0.0, began_at + PAUSE - time.monotonic()))
                began_at = time.monotonic()
                self._workers.append(_Worker(self._settings, self._listener))
            if not all_began and all(worker.ready for worker in self._workers):
                all_began = True
                begun()
        return True

    def _stop(self, _sig: int = 0, _frame: FrameType | None = None) -> None:
        self._stopping = True
        for worker in self._workers:
            with suppress(ProcessLookupError):
                worker.process.send_signal(signal.SIGTERM)


def _work(listener: int, lifeline: int) -> None:
    """One worker of several."""
    alive = socket.socket(fileno=lifeline)

    def watch() -> None:
        with suppress(OSError):
            alive.recv(1)
        os.kill(os.getpid(), signal.SIGTERM)  # the one that started it is gone

    threading.Thread(target=watch, name="lifeline", daemon=True).start()
    with socket.socket(fileno=listener) as shared:
        serve(Settings(), shared, lambda: alive.sendall(READY))


if __name__ == "__main__":
    _work(int(sys.argv[1]), int(sys.argv[2]))
