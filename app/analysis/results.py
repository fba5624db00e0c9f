"""From a job to the task of a process, and from the process's answers to what is kept."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from app.analysis import store
from app.analysis.canonical import canonical
from app.analysis.store import IDLE, LOW, Analysed, Job
from app.analysis.verdict import Verdict
from app.analysis.walk import OPEN, Progress, Walk
from app.analysis.work import as_json, from_json
from app.patience import deals
from app.patience.deals import Deal
from app.patience.patience import Patience
from app.patience.position import Position, decode, encode
from app.patience.registry import by_prefix

SHORTEN_MS = 10_000
"""How long the line of an opening is shortened in idle time, all in all."""

SHORTEN_BANKED_MS = 3_000
"""The same for a deal of the bank."""

Answer = dict[str, Any]


def solve_job(patience: Patience, position: Position, priority: int, budget_ms: int, asker: str) -> Job:
    document = {"prefix": patience.prefix, "position": encode(position)}
    return Job("solve", canonical(patience, position).key, priority, budget_ms, document, asker)


def shorten_job(patience: Patience, position: Position, budget_ms: int, priority: int = IDLE) -> Job:
    document = {"prefix": patience.prefix, "position": encode(position)}
    return Job("shorten", canonical(patience, position).key, priority, budget_ms, document)


def game_job(
    game_id: str,
    patience: Patience,
    start: Position,
    entries: Sequence[str],
    budget_ms: int,
    asker: str,
) -> Job:
    document = {"prefix": patience.prefix, "position": encode(start), "entries": list(entries)}
    return Job("game", game_id, LOW, budget_ms, document, asker)


def bank_job(patience: Patience, priority: int, budget_ms: int, asker: str | None = None) -> Job:
    return Job("bank", patience.prefix, priority, budget_ms, {"prefix": patience.prefix}, asker)


def task_of(conn: Connection, job: Job) -> dict[str, Any]:
    """What the process gets: for a game also what is known of its positions already."""
    task = {**job.document, "do": job.task, "budget_ms": job.budget_ms}
    if job.task == "shorten":
        one = canonical(by_prefix(task["prefix"]), decode(task["position"]))
        known = store.verdict(conn, one)
        task["line"] = list(known.line) if known and known.line else None
    if job.task == "game":
        walk = Walk(by_prefix(task["prefix"]), decode(task["position"]), task["entries"])
        verdicts = store.verdicts_of(conn, walk.keys)
        before = store.analysed(conn, job.subject)
        task["known"] = {key: as_json(one) for key, one in verdicts.items()}
        task["spent_ms"] = before.spent_ms if before else 0
        task["tried"] = before.progress.tried if before else 0
    return task


def keep(conn: Connection, job: Job, answers: Sequence[Answer], now: int) -> None:
    """Keeps what a process has answered."""
    for answer in answers:
        _KEEPERS[job.task](conn, job, answer, now)


def give_back(conn: Connection, job: Job, reason: str, now: int) -> None:
    """Ends a job whose process died, ran out of memory or failed: as unknown. It can be asked for again."""
    if job.task == "solve":
        store.keep_verdict(conn, job.subject, job.document["prefix"], Verdict("unknown", reason), now)
    if job.task == "game" and store.analysed(conn, job.subject) is None:
        plies = len(job.document["entries"]) + 1
        nothing = Progress(OPEN * plies, (None,) * plies, (), 0)
        store.keep_analysis(conn, job.subject, Analysed(False, nothing, 0), now)
    store.finish(conn, job.id)


def _keep_solved(conn: Connection, job: Job, answer: Answer, now: int) -> None:
    patience, position = by_prefix(job.document["prefix"]), decode(job.document["position"])
    verdict = from_json(answer["verdict"])
    _keep_own(conn, patience, position, verdict, now)
    if verdict.line is not None and job.priority == LOW:  # a deal that somebody wants to know of
        shorten_later(conn, patience, position, SHORTEN_MS, now)


def _keep_shortened(conn: Connection, job: Job, answer: Answer, now: int) -> None:
    patience, position = by_prefix(job.document["prefix"]), decode(job.document["position"])
    if "line" in answer:
        _keep_own(conn, patience, position, Verdict("solved", line=tuple(answer["line"])), now)
    else:
        store.add_shortened(conn, job.subject, answer["spent_ms"], answer["bound"])


def _keep_analysis(conn: Connection, job: Job, answer: Answer, now: int) -> None:
    prefix = job.document["prefix"]
    for found in answer.get("found", ()):
        store.keep_verdict(conn, found["key"], prefix, from_json(found["verdict"]), now)
    if "plies" in answer:
        progress = Progress(answer["plies"], tuple(answer["to_go"]), tuple(answer["best"]), answer["tried"])
        store.keep_analysis(conn, job.subject, Analysed(False, progress, answer["spent_ms"]), now)
    if answer.get("done"):
        made = store.analysed(conn, job.subject)
        if made is None:
            return
        store.keep_analysis(conn, job.subject, replace(made, done=True), now)
        patience, start = by_prefix(prefix), decode(job.document["position"])
        if made.progress.best:
            _keep_own(conn, patience, start, Verdict("solved", line=made.progress.best), now)
            shorten_later(conn, patience, start, SHORTEN_MS, now)


def _keep_banked(conn: Connection, _job: Job, answer: Answer, now: int) -> None:
    if answer["deal"] is None:
        return
    deal, verdict = deals.deal_of(answer["deal"]), from_json(answer["verdict"])
    keep_banked(conn, deal, verdict, answer["difficulty"], now)


def keep_banked(conn: Connection, deal: Deal, verdict: Verdict, difficulty: float, now: int) -> None:
    """Puts a winnable deal with its line into the bank."""
    patience = deal.patience
    assert verdict.line is not None
    row = {
        "deal": deal.code,
        "prefix": patience.prefix,
        "rules_version": patience.rules_version,
        "line": " ".join(verdict.line),
        "difficulty": difficulty,
        "made_at": now,
        "taken_at": None,
    }
    store.add_to_bank(conn, row)
    _keep_own(conn, patience, deal.start, verdict, now)
    shorten_later(conn, patience, deal.start, SHORTEN_BANKED_MS, now)


def shorten_later(conn: Connection, patience: Patience, start: Position, budget_ms: int, now: int) -> None:
    """Has an opening's line shortened in idle time, unless that has been done."""
    if store.shortened_ms(conn, canonical(patience, start).key) < 0.9 * budget_ms:
        store.add_job(conn, shorten_job(patience, start, budget_ms), now)


def _keep_own(conn: Connection, patience: Patience, position: Position, verdict: Verdict, now: int) -> None:
    one = canonical(patience, position)
    line = None if verdict.line is None else one.to_canonical(verdict.line)
    store.keep_verdict(conn, one.key, patience.prefix, replace(verdict, line=line), now)


_KEEPERS: dict[str, Callable[[Connection, Job, Answer, int], None]] = {
    "solve": _keep_solved,
    "shorten": _keep_shortened,
    "game": _keep_analysis,
    "bank": _keep_banked,
}
