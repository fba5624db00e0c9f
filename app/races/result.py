"""Who came first: computed from the deal and the logs, and from nothing else that is stored.

Those who won come first, in the order in which they did. Then by how much is done, as the patience counts
it, then by score, then by the time of the last entry. Who is equal in all of them shares a place. Who made no
entry comes last: where every entry costs a point, doing nothing would beat trying in vain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.games.game import Entry
from app.patience.deals import deal_of
from app.patience.replay import replay
from app.patience.scoring import LOWEST_FIRST, score
from app.races.race import Result


@dataclass(frozen=True, slots=True)
class _Run:
    """What one log comes to."""

    won: bool
    runs: int
    score: int
    ply: int
    time_ms: int


def results(
    code: str, scoring: str, starts_at: int, logs: Mapping[int, Sequence[Entry]]
) -> dict[int, Result]:
    """The result of each seat, from its log. Raises ``BadLog`` for a log that cannot be."""
    runs = {seat: _run(code, scoring, starts_at, entries) for seat, entries in logs.items()}
    keys = {seat: _key(run, scoring) for seat, run in runs.items()}
    return {
        seat: Result(
            place=1 + sum(other < keys[seat] for other in keys.values()),
            won=run.won,
            runs=run.runs,
            score=run.score,
            ply=run.ply,
            time_ms=run.time_ms,
        )
        for seat, run in runs.items()
    }


def _run(code: str, scoring: str, starts_at: int, entries: Sequence[Entry]) -> _Run:
    deal = deal_of(code)
    rules = deal.patience
    last = replay(rules, deal.start, [entry.text for entry in entries])
    return _Run(
        won=rules.outcome(last.position).status == "won",
        runs=rules.progress(last.position),
        score=score(scoring, rules, deal.start, last.position, last.ply),
        ply=last.ply,
        time_ms=max(entries[-1].at - starts_at, 0) if entries else 0,
    )


def _key(run: _Run, scoring: str) -> tuple[int, ...]:
    """The smallest is the first."""
    if run.won:
        return (0, run.time_ms)
    points = run.score if scoring in LOWEST_FIRST else -run.score
    return (1, -run.runs, points, run.time_ms) if run.ply else (2,)
