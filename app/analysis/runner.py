"""What stands between the queue and the solver processes: a thread for each process.

It takes the most urgent job, has the process do it, keeps what comes of it, and takes the next. A job that
somebody waits for stops one that nobody waits for; that one goes back into the queue. A process that dies
gives its job back as unknown, so that the same job cannot kill one process after another.

Of the programs on one machine that share a data directory (the web's workers) one runs the processes, by a
lock.
"""

import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO
from zlib import crc32

import structlog

from app.analysis import results, store
from app.analysis.process import Command, How, SolverProcess
from app.analysis.store import IDLE, WAITING, Job
from app.db import Database

log = structlog.get_logger(__name__)

POLL = 0.25
"""Seconds between looks into the queue, and for answers, that another process has put there."""

LEASE_MS = 30_000
RENEW = 10.0
LOOK = 0.2
"""Seconds between looks at a job under way: was it taken back, is something more urgent waiting?"""

FLUSH = 0.25
"""Seconds for which answers are gathered into one write."""

RETIRE = 300.0
"""Seconds without work after which a process is ended; it would hold its memory for nothing."""

MOST_TRIES = 2
"""How many machines may lose a job before it is given back as unknown."""


class Runners:
    """The threads and their processes. ``when_idle`` puts jobs that nobody asked for into the queue."""

    def __init__(
        self,
        db: Database,
        processes: int,
        command: Command,
        *,
        clock: Callable[[], int],
        lock: Path | None = None,
        idle_after: float = 20.0,
        when_idle: Callable[[], None] = lambda: None,
    ) -> None:
        self._db, self._clock, self._lock_path = db, clock, lock
        self._idle_after, self._when_idle = idle_after, when_idle
        self._home = f"{socket.gethostname()[:30]}:{crc32(str(lock).encode()):08x}:"
        self.machine = f"{self._home}{os.getpid()}:{os.urandom(4).hex()}"
        self._stopping = False
        self._lock_file: TextIO | None = None
        self._change = threading.Condition()
        self._yielding = 0  # runners that are giving way
        self._free = 0  # runners that have nothing to do
        self._last_asked = time.monotonic()
        self.processes = [SolverProcess(command) for _ in range(processes)]
        self._threads = [
            threading.Thread(target=self._serve, args=(process,), name=f"solver-{number}", daemon=True)
            for number, process in enumerate(self.processes)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ends the processes and the threads; what they were doing goes back into the queue."""
        self._stopping = True
        self.announce()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        for process in self.processes:
            process.kill()
        if self._lock_file is not None:
            self._lock_file.close()
            self._lock_file = None

    def announce(self) -> None:
        """Something has changed in the queue or in what is known: whoever waits looks again."""
        with self._change:
            self._change.notify_all()

    def wait(self, seconds: float) -> None:
        """Waits for the next announcement."""
        with self._change:
            if not self._stopping:
                self._change.wait(seconds)

    # A runner's life

    def _serve(self, process: SolverProcess) -> None:
        rested = time.monotonic()
        while not self._stopping:
            try:
                job = self._next() if self._holds_lock() else None
                if job is not None:
                    self._do(process, job)
                    rested = time.monotonic()
                    continue
            except Exception:
                log.exception("solver_runner_failed")
            if time.monotonic() - rested > RETIRE:
                process.kill()
            with self._change:
                self._free += 1
                if not self._stopping:
                    self._change.wait(POLL)
                self._free -= 1

    def _next(self) -> Job | None:
        """The job whose turn it is, or one for idle times."""
        now = self._clock()
        with self._db.read() as conn:
            waiting = store.next_priority(conn, now)
        if waiting is None or waiting == IDLE:
            if time.monotonic() - self._last_asked < self._idle_after:
                return None
            if waiting is None:
                self._when_idle()
                return None
        with self._db.write() as conn:
            job = store.claim(conn, self.machine, now, LEASE_MS)
            if job is not None and job.tries > MOST_TRIES:
                results.give_back(conn, job, "crashed", now)
                return None
        if job is not None and job.priority < IDLE:
            self._last_asked = time.monotonic()
        return job

    def _do(self, process: SolverProcess, job: Job) -> None:
        watch = _Watch(self, job)
        try:
            self._have_done(process, job, watch)
        except Exception:
            process.kill()  # which may be at the job still
            raise
        finally:
            if watch.yielding:
                with self._change:
                    self._yielding -= 1
            self.announce()

    def _have_done(self, process: SolverProcess, job: Job, watch: "_Watch") -> None:
        keeper = _Keeper(self._db, job, self._clock, self.announce)
        with self._db.read() as conn:
            task = results.task_of(conn, job)
        how = process.run(task, keeper.take, watch.should_stop)
        keeper.flush()
        with self._db.write() as conn:
            if how == "stopped":
                store.release(conn, job.id, self.machine)
            elif how == "done":
                store.finish(conn, job.id)
            else:
                log.warning("solver_job_failed", how=how, task=job.task)
                results.give_back(conn, job, _REASONS[how], self._clock())

    def _holds_lock(self) -> bool:
        if self._lock_path is None or self._lock_file is not None:
            return True
        with self._change:
            has_got_it = False
            if self._lock_file is None:
                self._lock_file = _locked(self._lock_path)
                has_got_it = self._lock_file is not None
        if has_got_it:  # who held it before has gone: what that had taken need not wait for its lease to end
            with self._db.write() as conn:
                store.free(conn, self._home, but=self.machine)
        return self._lock_file is not None

    # Giving way

    def must_yield(self, priority: int) -> bool:
        """Whether a runner at a job of this priority should stop for a more urgent one that waits."""
        with self._db.read() as conn:
            waiting = store.count_more_urgent(conn, priority, self._clock())
        with self._change:
            if waiting <= self._free + self._yielding:
                return False
            self._yielding += 1
            return True

    @property
    def stopping(self) -> bool:
        return self._stopping

    def look(self, job: Job, *, renew: bool) -> int | None:
        """A job's priority by now, None if it was taken back; renews the lease if asked to."""
        if renew:
            with self._db.write() as conn:
                store.renew(conn, job.id, self.machine, self._clock() + LEASE_MS)
        with self._db.read() as conn:
            return store.priority_of(conn, job.id)


_REASONS: dict[How, str] = {"crashed": "crashed", "memory": "memory", "failed": "failed", "overran": "time"}


class _Watch:
    """Looks after a job under way."""

    def __init__(self, runners: Runners, job: Job) -> None:
        self._runners, self._job = runners, job
        self._look_at = time.monotonic() + LOOK
        self._renew_at = time.monotonic() + RENEW
        self.yielding = False

    def should_stop(self) -> bool:
        now = time.monotonic()
        if self._runners.stopping or now < self._look_at:
            return self._runners.stopping
        self._look_at = now + LOOK
        renew = now >= self._renew_at
        if renew:
            self._renew_at = now + RENEW
        priority = self._runners.look(self._job, renew=renew)
        if priority is None:
            return True
        self.yielding = priority > WAITING and self._runners.must_yield(priority)
        return self.yielding


class _Keeper:
    """Gathers a job's answers, and writes them every now and then."""

    def __init__(
        self, db: Database, job: Job, clock: Callable[[], int], announce: Callable[[], None]
    ) -> None:
        self._db, self._job, self._clock, self._announce = db, job, clock, announce
        self._answers: list[dict[str, Any]] = []
        self._flush_at = 0.0

    def take(self, answer: dict[str, Any]) -> None:
        self._answers.append(answer)
        if time.monotonic() >= self._flush_at:
            self.flush()

    def flush(self) -> None:
        if not self._answers:
            return
        with self._db.write() as conn:
            results.keep(conn, self._job, self._answers, self._clock())
        self._answers.clear()
        self._flush_at = time.monotonic() + FLUSH
        self._announce()


def _locked(path: Path) -> TextIO | None:
    """The lock's file, held; None if another process holds it."""
    try:
        import fcntl
    except ImportError:  # Windows: one web process at a time, then
        return path.open("a")
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
