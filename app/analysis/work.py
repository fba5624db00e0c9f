"""What a solver process does with a task. Pure functions of the task, the solver and a word when to stop.

A task and its answers are JSON objects, so that they can go through a pipe. Positions are encoded; they hold
hidden cards, and stay between the server and its own processes.
"""

import secrets
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from app.analysis import walk
from app.analysis.canonical import canonical
from app.analysis.verdict import Verdict
from app.patience import deals
from app.patience.patience import Patience
from app.patience.position import Position, decode
from app.patience.registry import by_prefix

Task = dict[str, Any]
Answer = dict[str, Any]
Stop = Callable[[], bool]
Line = tuple[str, ...]


class Solver(Protocol):
    """As much of ``app.solver.api`` as is used here; tests have a stand-in."""

    def warm(self) -> object: ...
    def verdict(
        self, patience: Patience, position: Position, seconds: float, seed: int, stop: Stop
    ) -> Verdict: ...
    def shorten(
        self, patience: Patience, position: Position, seconds: float, known: Line | None, stop: Stop
    ) -> Iterator[Line]:
        """Ever shorter lines, all of them shorter than the known one."""

    def bound(self, patience: Patience, position: Position) -> int | None: ...
    def difficulty(self, patience: Patience, position: Position, stop: Stop) -> float: ...


def perform(solver: Solver, task: Task, stop: Stop) -> Iterator[Answer]:
    """The answers to a task; the last one has ``"done": true``."""
    yield from _TASKS[task["do"]](solver, task, stop)


def _solve(solver: Solver, task: Task, stop: Stop) -> Iterator[Answer]:
    patience, position = by_prefix(task["prefix"]), decode(task["position"])
    verdict = _search(solver, patience, position, task["budget_ms"], stop, task.get("seed", 0))
    yield {"done": True, "verdict": as_json(verdict)}


def _shorten(solver: Solver, task: Task, stop: Stop) -> Iterator[Answer]:
    patience, position = by_prefix(task["prefix"]), decode(task["position"])
    began = _now_ms()
    known = None if task["line"] is None else tuple(task["line"])
    for line in solver.shorten(patience, position, task["budget_ms"] / 1000, known, stop):
        check(patience, position, line)
        yield {"line": list(line)}
    spent = _now_ms() - began
    yield {"done": True, "spent_ms": spent, "bound": solver.bound(patience, position), "stopped": stop()}


def _game(solver: Solver, task: Task, stop: Stop) -> Iterator[Answer]:
    patience, start = by_prefix(task["prefix"]), decode(task["position"])
    known = {key: from_json(verdict) for key, verdict in task["known"].items()}
    found: list[Answer] = []

    def search(position: Position, budget_ms: int) -> Verdict:
        verdict = _search(solver, patience, position, budget_ms, stop)
        one = canonical(patience, position)
        line = verdict.line and one.to_canonical(verdict.line)
        if verdict.reason != "stopped":
            found.append({"key": one.key, "verdict": {**as_json(verdict), "line": line and list(line)}})
        return verdict

    steps = walk.Walk(patience, start, task["entries"], known)
    began, before = _now_ms(), task["spent_ms"]
    for progress in steps.run(search, max(task["budget_ms"] - before, 0), _now_ms):
        yield {
            "plies": progress.plies,
            "to_go": progress.to_go,
            "best": list(progress.best),
            "tried": progress.tried + task["tried"],
            "spent_ms": before + _now_ms() - began,
            "found": found[:],
        }
        found.clear()
    # One plays on from there, against the line told of that ply, which no search need have found whole.
    if last := steps.last_winnable():
        found.append({"key": last[0], "verdict": as_json(last[1])})
    yield {"done": True, "stopped": stop(), "found": found}


def _bank(solver: Solver, task: Task, stop: Stop) -> Iterator[Answer]:
    """A winnable deal of a seed from the system's random source, or none if it was not solved."""
    patience = by_prefix(task["prefix"])
    deal = deals.seed_deal(patience, secrets.randbits(64))
    verdict = _search(solver, patience, deal.start, task["budget_ms"], stop)
    if verdict.line is None:
        yield {"done": True, "deal": None}
        return
    difficulty = solver.difficulty(patience, deal.start, stop)
    yield {"done": True, "deal": deal.code, "verdict": as_json(verdict), "difficulty": difficulty}


_TASKS: dict[str, Callable[[Solver, Task, Stop], Iterator[Answer]]] = {
    "solve": _solve,
    "shorten": _shorten,
    "game": _game,
    "bank": _bank,
}


def _search(
    solver: Solver, patience: Patience, position: Position, budget_ms: int, stop: Stop, seed: int = 0
) -> Verdict:
    try:
        verdict = solver.verdict(patience, position, budget_ms / 1000, seed, stop)
    except MemoryError:
        return Verdict("unknown", "memory")
    if verdict.line is not None:
        check(patience, position, verdict.line)
    return verdict


def _now_ms() -> int:
    return round(1000 * time.monotonic())


def check(patience: Patience, position: Position, line: tuple[str, ...]) -> None:
    """Plays a line by the rules themselves. Raises if it is not legal, or does not win."""
    for move in line:
        position = patience.play(position, move).position
    if patience.outcome(position).status != "won":
        raise AssertionError("the line does not win")


def as_json(verdict: Verdict) -> Answer:
    return {
        "kind": verdict.kind,
        "reason": verdict.reason,
        "line": None if verdict.line is None else list(verdict.line),
        "spent_ms": verdict.spent_ms,
        "nodes": verdict.nodes,
        "bound": verdict.bound,
    }


def from_json(answer: Answer) -> Verdict:
    line = answer["line"]
    return Verdict(
        answer["kind"],
        answer["reason"],
        None if line is None else tuple(line),
        answer["spent_ms"],
        answer["nodes"],
        answer["bound"],
    )
