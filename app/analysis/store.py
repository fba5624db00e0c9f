"""Verdicts, jobs, lines, analyses and the bank in the database: the statements, and nothing of the rules."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, cast

from sqlalchemy import Connection, Row, Table, and_, case, delete, func, insert, or_, select, update

from app.analysis.canonical import Canonical
from app.analysis.tables import BankRow, GameAnalysisRow, JobRow, LineRow, VerdictRow
from app.analysis.verdict import Verdict
from app.analysis.walk import Progress
from app.db import hold

verdicts = cast("Table", VerdictRow.__table__)
jobs = cast("Table", JobRow.__table__)
lines = cast("Table", LineRow.__table__)
analyses = cast("Table", GameAnalysisRow.__table__)
bank = cast("Table", BankRow.__table__)

_WRITING = "analysis"
"""Held while rows are looked for and, if they are not there, added: by one at a time."""

WAITING, LOW, IDLE = 0, 1, 2
"""Priorities: a player waits for the answer; one asked and looks later; nobody asked."""


@dataclass(frozen=True, slots=True)
class Job:
    """A task for a solver process, as it waits in the queue."""

    task: str
    subject: str
    priority: int
    budget_ms: int
    document: dict[str, Any] = field(repr=False)
    asker: str | None = None
    id: int = 0
    tries: int = 0


# ---- verdicts


def verdict(conn: Connection, one: Canonical) -> Verdict | None:
    """What is known of a position, its line in the position's own columns."""
    row = conn.execute(select(verdicts).where(verdicts.c.key == one.key)).first()
    return None if row is None else _own(_verdict(row), one)


def verdicts_of(conn: Connection, keys: Iterable[str]) -> dict[str, Verdict]:
    """What is known of several positions; lines in canonical columns."""
    wanted, found = list(keys), {}
    for at in range(0, len(wanted), 500):
        rows = conn.execute(select(verdicts).where(verdicts.c.key.in_(wanted[at : at + 500])))
        found.update({row.key: _verdict(row) for row in rows})
    return found


def keep_verdict(conn: Connection, key: str, prefix: str, new: Verdict, now: int) -> None:
    """Keeps a verdict (line in canonical columns), unless a better one is kept already."""
    hold(conn, _WRITING)
    row = conn.execute(select(verdicts).where(verdicts.c.key == key)).first()
    values = {
        "verdict": new.kind,
        "reason": new.reason,
        "line": None if new.line is None else " ".join(new.line),
        "spent_ms": new.spent_ms,
        "nodes": new.nodes,
        "found_at": now,
    }
    if row is None:
        conn.execute(
            insert(verdicts).values(key=key, prefix=prefix, bound=new.bound, shortened_ms=0, **values)
        )
    elif _is_better(new, _verdict(row)):
        conn.execute(update(verdicts).where(verdicts.c.key == key).values(**values))


def add_shortened(conn: Connection, key: str, spent_ms: int, bound: int | None) -> None:
    """Notes how long a position's line was being shortened, and the greatest bound that was proved."""
    old: Any = verdicts.c.bound
    greater = old if bound is None else case((func.coalesce(old, 0) < bound, bound), else_=old)
    values = {"shortened_ms": verdicts.c.shortened_ms + spent_ms, "bound": greater}
    conn.execute(update(verdicts).where(verdicts.c.key == key).values(**values))


def shortened_ms(conn: Connection, key: str) -> int:
    return conn.execute(select(verdicts.c.shortened_ms).where(verdicts.c.key == key)).scalar() or 0


def _is_better(new: Verdict, old: Verdict) -> bool:
    if old.kind == "solved":
        return new.moves is not None and old.moves is not None and new.moves < old.moves
    if new.kind != "unknown":
        return old.kind == "unknown"
    return old.kind == "unknown" and new.spent_ms >= old.spent_ms


def _verdict(row: Row[Any]) -> Verdict:
    line = None if row.line is None else tuple(row.line.split())
    return Verdict(row.verdict, row.reason, line, row.spent_ms, row.nodes, row.bound)


def _own(found: Verdict, one: Canonical) -> Verdict:
    return found if found.line is None else replace(found, line=one.from_canonical(found.line))


# ---- jobs


def add_job(conn: Connection, job: Job, now: int) -> None:
    """Puts a job into the queue; one that is there already becomes as urgent and as long as the new one.

    Its turn is one after the asker's last, but not before the turn that is being served: so one who asks for
    much waits for those who ask for little, of the same priority (start-time fair queueing).
    """
    hold(conn, _WRITING)
    same = and_(jobs.c.task == job.task, jobs.c.subject == job.subject)
    there = conn.execute(select(jobs).where(same)).first()
    if there is not None:
        shared = there.asker if there.asker == job.asker else None
        values = {"asker": shared, "priority": min(there.priority, job.priority)}
        if not there.lease_until and job.budget_ms > there.budget_ms:
            values |= {"budget_ms": job.budget_ms, "document": json.dumps(job.document)}
        conn.execute(update(jobs).where(same).values(**values))
        return
    equals = jobs.c.priority == job.priority
    served = conn.execute(select(func.coalesce(func.min(jobs.c.turn), 0)).where(equals)).scalar_one()
    own = conn.execute(select(func.max(jobs.c.turn)).where(jobs.c.asker == (job.asker or ""))).scalar()
    conn.execute(
        insert(jobs).values(
            task=job.task,
            subject=job.subject,
            asker=job.asker,
            priority=job.priority,
            turn=max(served, own or 0) + 1,
            budget_ms=job.budget_ms,
            document=json.dumps(job.document),
            asked_at=now,
            machine=None,
            lease_until=0,
            tries=0,
        )
    )


def count_jobs(conn: Connection, asker: str) -> tuple[int, int]:
    """How many jobs that somebody asked for there are, and how many of them are this one's."""
    mine = func.sum(case((jobs.c.asker == asker, 1), else_=0))
    row = conn.execute(select(func.count(), func.coalesce(mine, 0)).where(jobs.c.priority < IDLE)).one()
    return row[0], row[1]


def next_priority(conn: Connection, now: int) -> int | None:
    """The priority of the most urgent job that nobody has taken."""
    return conn.execute(select(func.min(jobs.c.priority)).where(jobs.c.lease_until < now)).scalar()


def count_more_urgent(conn: Connection, priority: int, now: int) -> int:
    """How many jobs that nobody has taken are more urgent than that."""
    return conn.execute(
        select(func.count()).where(jobs.c.lease_until < now, jobs.c.priority < priority)
    ).scalar_one()


def claim(conn: Connection, machine: str, now: int, lease_ms: int) -> Job | None:
    """Takes the job whose turn it is. Another machine can take it when the lease is over."""
    free = select(jobs).where(jobs.c.lease_until < now)
    # What another machine is taking at this moment is passed over.
    first = free.order_by(jobs.c.priority, jobs.c.turn, jobs.c.id).limit(1).with_for_update(skip_locked=True)
    row = conn.execute(first).first()
    if row is None:
        return None
    taken = {"machine": machine, "lease_until": now + lease_ms, "tries": row.tries + 1}
    conn.execute(update(jobs).where(jobs.c.id == row.id).values(**taken))
    return _job(row)


def renew(conn: Connection, job_id: int, machine: str, lease_until: int) -> None:
    mine = and_(jobs.c.id == job_id, jobs.c.machine == machine)
    conn.execute(update(jobs).where(mine).values(lease_until=lease_until))


def release(conn: Connection, job_id: int, machine: str, document: dict[str, Any] | None = None) -> None:
    """Puts a taken job back where it was in the queue."""
    values: dict[str, Any] = {"machine": None, "lease_until": 0, "tries": 0}
    if document is not None:
        values["document"] = json.dumps(document)
    conn.execute(update(jobs).where(jobs.c.id == job_id, jobs.c.machine == machine).values(**values))


def free(conn: Connection, machines: str, *, but: str) -> None:
    """Ends the leases of all machines whose names begin so, but for one."""
    theirs = and_(jobs.c.machine.startswith(machines, autoescape=True), jobs.c.machine != but)
    conn.execute(update(jobs).where(theirs).values(machine=None, lease_until=0))


def finish(conn: Connection, job_id: int) -> None:
    conn.execute(delete(jobs).where(jobs.c.id == job_id))


def cancel(conn: Connection, task: str, subject: str, asker: str) -> bool:
    """Takes back what only this one asked for."""
    mine = and_(jobs.c.task == task, jobs.c.subject == subject, jobs.c.asker == asker)
    return conn.execute(delete(jobs).where(mine)).rowcount == 1


def priority_of(conn: Connection, job_id: int) -> int | None:
    """How urgent a job is by now; None if it was taken back."""
    return conn.execute(select(jobs.c.priority).where(jobs.c.id == job_id)).scalar()


def waits(conn: Connection, task: str, subject: str) -> int | None:
    """How many jobs come before this one; None if there is no such job. One being worked on is at 0."""
    row = conn.execute(select(jobs).where(jobs.c.task == task, jobs.c.subject == subject)).first()
    if row is None:
        return None
    sooner = or_(
        jobs.c.priority < row.priority, and_(jobs.c.priority == row.priority, jobs.c.turn < row.turn)
    )
    return 0 if row.lease_until else conn.execute(select(func.count()).where(sooner)).scalar_one()


def _job(row: Row[Any]) -> Job:
    document = json.loads(row.document)
    return Job(row.task, row.subject, row.priority, row.budget_ms, document, row.asker, row.id, row.tries + 1)


# ---- the lines that hints follow


def line(conn: Connection, game_id: str) -> tuple[str, tuple[str, ...]] | None:
    """The position (encoded) from which a game's line was found, and its moves."""
    row = conn.execute(select(lines.c.start, lines.c.moves).where(lines.c.game_id == game_id)).first()
    return None if row is None else (row.start, tuple(row.moves.split()))


def keep_line(conn: Connection, game_id: str, start: str, moves: Iterable[str], now: int) -> None:
    hold(conn, f"line {game_id}")
    conn.execute(delete(lines).where(lines.c.game_id == game_id))
    conn.execute(insert(lines).values(game_id=game_id, start=start, moves=" ".join(moves), found_at=now))


# ---- analyses of games


@dataclass(frozen=True, slots=True)
class Analysed:
    """An analysis as far as it has come."""

    done: bool
    progress: Progress
    spent_ms: int


def analysed(conn: Connection, game_id: str) -> Analysed | None:
    row = conn.execute(select(analyses).where(analyses.c.game_id == game_id)).first()
    if row is None:
        return None
    to_go = tuple(None if part == "-" else int(part) for part in row.to_go.split())
    progress = Progress(row.plies, to_go, tuple(row.best.split()), row.tried)
    return Analysed(row.state == "done", progress, row.spent_ms)


def keep_analysis(conn: Connection, game_id: str, made: Analysed, now: int) -> None:
    values = {
        "state": "done" if made.done else "running",
        "plies": made.progress.plies,
        "to_go": " ".join("-" if moves is None else str(moves) for moves in made.progress.to_go),
        "best": " ".join(made.progress.best),
        "tried": made.progress.tried,
        "spent_ms": made.spent_ms,
        "changed_at": now,
    }
    hold(conn, _WRITING)
    if not conn.execute(update(analyses).where(analyses.c.game_id == game_id).values(**values)).rowcount:
        conn.execute(insert(analyses).values(game_id=game_id, **values))


# ---- the bank


def add_to_bank(conn: Connection, row: dict[str, Any]) -> None:
    conn.execute(insert(bank).values(**row))


def take_from_bank(conn: Connection, prefix: str, rules_version: int, now: int) -> str | None:
    """The oldest deal in store, never to be given out again."""
    untaken = (bank.c.prefix == prefix, bank.c.rules_version == rules_version, bank.c.taken_at.is_(None))
    oldest = select(bank.c.deal).where(*untaken).order_by(bank.c.made_at).limit(1)
    deal = conn.execute(oldest.with_for_update(skip_locked=True)).scalar()
    if deal is None:
        return None
    conn.execute(update(bank).where(bank.c.deal == deal).values(taken_at=now))
    return str(deal)


def banked(conn: Connection, deal: str) -> Row[Any] | None:
    return conn.execute(select(bank).where(bank.c.deal == deal)).first()


def in_store(conn: Connection) -> dict[tuple[str, int], int]:
    """How many deals are left of each prefix and version of its rules."""
    kind = (bank.c.prefix, bank.c.rules_version)
    counted = select(*kind, func.count()).where(bank.c.taken_at.is_(None)).group_by(*kind)
    return {(row[0], row[1]): row[2] for row in conn.execute(counted)}


def difficulties(conn: Connection, prefix: str) -> list[float]:
    """The difficulties of all deals of a prefix that were ever banked, in order."""
    chosen = select(bank.c.difficulty).where(bank.c.prefix == prefix).order_by(bank.c.difficulty)
    return list(conn.execute(chosen).scalars())
