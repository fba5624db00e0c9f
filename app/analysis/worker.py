"""The main program of a solver process: ``python -m app.analysis.worker MODULE MEMORY_MB NICENESS``.

Tasks come in as lines of JSON on standard input, answers go out as such lines on standard output, each with
the number of its task. ``{"do": "stop", "number": n}`` ends task n early. When standard input closes, the
server has gone, and the process goes too, whatever it is doing.

It is polite: the lowest priority of the system, one thread, a bound on its memory. What goes wrong in a task
is an answer (``error``); when memory runs out the process says so and ends, and the next one starts afresh.
"""

import contextlib
import json
import os
import signal
import sys
import threading
import traceback
from importlib import import_module
from queue import SimpleQueue
from typing import Any, TextIO

from app.analysis.work import Solver, perform

LIBRARIES_MB = 110
"""What the compiler's libraries take beside the memory that can be bounded."""


def main(module: str, memory_mb: int, niceness: int) -> None:
    answers = _own_stdout()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's business
    be_polite(memory_mb, niceness)
    tasks: SimpleQueue[dict[str, Any]] = SimpleQueue()
    stopped = _Stopped()
    threading.Thread(target=_listen, args=(tasks, stopped), daemon=True).start()
    solver: Solver = import_module(module).SOLVER
    solver.warm()
    _send(answers, {"ready": True})
    while True:
        _work(solver, tasks.get(), stopped, answers)


class _Stopped:
    """The number of the last task that was told to stop: a late word must not stop the next one."""

    number = 0


def _work(solver: Solver, task: dict[str, Any], stopped: _Stopped, answers: TextIO) -> None:
    number = task["number"]
    try:
        for answer in perform(solver, task, lambda: stopped.number >= number):
            _send(answers, {"number": number, **answer})
    except MemoryError:
        _send(answers, {"number": number, "done": True, "error": "memory"})
        os._exit(3)
    except Exception:
        traceback.print_exc()
        _send(answers, {"number": number, "done": True, "error": "failed"})


def _listen(tasks: "SimpleQueue[dict[str, Any]]", stopped: _Stopped) -> None:
    """Reads standard input in a thread of its own, so that a stop is heard in the middle of a search."""
    for line in sys.stdin:
        task = json.loads(line)
        if task["do"] == "stop":
            stopped.number = task["number"]
        else:
            tasks.put(task)
    os._exit(0)


def _own_stdout() -> TextIO:
    """Standard output for answers alone: whatever a library prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _send(answers: TextIO, answer: dict[str, Any]) -> None:
    try:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    except BrokenPipeError:  # the server has gone
        os._exit(0)


def be_polite(memory_mb: int, niceness: int) -> None:
    """The web comes first, and a search that runs wild must not take the machine's memory with it."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(niceness)
    try:
        import resource
    except ImportError:  # Windows
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):
        # RLIMIT_AS would count what compilers only reserve; this counts what is written to.
        limit = (memory_mb - LIBRARIES_MB) * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
