"""A solver process seen from the server: started when needed, one task at a time, replaced if it dies."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Literal

import structlog

import app

log = structlog.get_logger(__name__)

STOP_GRACE = 2.0
"""Seconds for a task to end after it was told to; then its process is killed."""

GRACE = 30.0
"""Seconds that a task may take beside twice its budget before it is told to end."""

START_LASTS = 600.0
"""Seconds for a process to come up: its solver may have to be compiled first, on a busy machine."""

TICK = 0.05

How = Literal["done", "stopped", "overran", "crashed", "memory", "failed"]


_ERRORS: dict[str, How] = {"crashed": "crashed", "memory": "memory", "failed": "failed"}


@dataclass(frozen=True, slots=True)
class Command:
    """What makes a solver process. ``module`` has the solver as ``SOLVER``."""

    module: str = "app.analysis.engine"
    memory_mb: int = 600
    niceness: int = 19


class SolverProcess:
    """One process and what it says. Not for use by several threads at once, ``kill`` aside."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._process: subprocess.Popen[str] | None = None
        self._said: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._ready = False
        self._number = 0

    @property
    def pid(self) -> int | None:
        """The process's id while it lives."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def start(self) -> None:
        """Brings the process up, if it is not; returns before it is warm."""
        if self.pid is not None:
            return
        self.kill()
        self._ready, self._said = False, SimpleQueue()
        command = self._command
        arguments = [command.module, str(command.memory_mb), str(command.niceness)]
        root = str(Path(app.__file__).resolve().parent.parent)
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "app.analysis.worker", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join([root, *_python_path()])},
        )
        threading.Thread(target=_read, args=(self._process, self._said), daemon=True).start()

    def run(
        self,
        task: dict[str, Any],
        on_answer: Callable[[dict[str, Any]], None],
        should_stop: Callable[[], bool],
    ) -> How:
        """Does a task, and hands on what comes of it. A process that dies is replaced at the next task."""
        self.start()
        if not self._wait_until_ready(should_stop):
            return "stopped" if self.pid is not None else "crashed"
        self._number += 1
        if not self._tell({**task, "number": self._number}):
            self.kill()
            return "crashed"
        how = self._follow(task, on_answer, should_stop)
        if how in {"crashed", "memory"}:
            self.kill()
        return how

    def _follow(
        self,
        task: dict[str, Any],
        on_answer: Callable[[dict[str, Any]], None],
        should_stop: Callable[[], bool],
    ) -> How:
        until = time.monotonic() + 2 * task["budget_ms"] / 1000 + GRACE
        ending: How | None = None
        while True:
            overran = time.monotonic() > until
            if ending is not None and overran:
                log.warning("solver_killed", task=task["do"])
                self.kill()
                return ending
            if ending is None and (overran or should_stop()):
                ending, until = "overran" if overran else "stopped", time.monotonic() + STOP_GRACE
                self._tell({"do": "stop", "number": self._number})
            answer = self._hear()
            if answer is None:
                continue
            if error := answer.get("error"):
                return _ERRORS[error]
            if ending is None:
                on_answer(answer)
            if answer.get("done"):
                return ending or "done"

    def _hear(self) -> dict[str, Any] | None:
        """The next answer to the present task, None if there is none within a tick; an error at the end."""
        try:
            answer = self._said.get(timeout=TICK)
        except Empty:
            return None
        if answer is None:
            return {"error": "crashed"}
        return answer if answer.get("number") == self._number else None

    def kill(self) -> None:
        """Ends the process at once. Nothing is lost but what it was doing."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what was still to be written cannot be
                    continue

    def _wait_until_ready(self, should_stop: Callable[[], bool]) -> bool:
        until = time.monotonic() + START_LASTS
        while not self._ready:
            try:
                said = self._said.get(timeout=TICK)
            except Empty:
                if time.monotonic() > until:
                    self.kill()
                    return False
                if should_stop():
                    return False
                continue
            if said is None:
                self.kill()
                return False
            self._ready = bool(said.get("ready"))
        return True

    def _tell(self, task: dict[str, Any]) -> bool:
        process = self._process
        if process is None or process.stdin is None:
            return False
        try:
            process.stdin.write(json.dumps(task) + "\n")
            process.stdin.flush()
        except (OSError, ValueError):
            return False
        return True


# A search is one thread; what libraries open besides only takes memory.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def _python_path() -> list[str]:
    path = os.environ.get("PYTHONPATH")
    return [path] if path else []


def _read(process: "subprocess.Popen[str]", said: "SimpleQueue[dict[str, Any] | None]") -> None:
    """The process's answers, and None at its end."""
    assert process.stdout is not None
    try:
        for line in process.stdout:
            said.put(json.loads(line))
    except ValueError:  # half a line, or the pipe was closed by kill
        pass
    said.put(None)
