"""Holding a stored game against its log. The log is the truth; everything else in the row is a cache of it.

Nothing here uses what ``service`` plays with: the log is replayed from its beginning by
``app.patience.replay``, and times are added up anew.
"""

import hashlib
from collections.abc import Iterator
from itertools import pairwise

from app.games.game import PAUSE_CAP, Entry
from app.games.service import Replay
from app.patience.deals import deal_of
from app.patience.errors import BadLog
from app.patience.replay import META, replay
from app.patience.scoring import VERSIONS, score


def verify(found: Replay) -> tuple[str, ...]:
    """What of a stored game does not follow from its deal and log, by name; nothing if all is well."""
    return tuple(_differences(found))


def _differences(found: Replay) -> Iterator[str]:
    game, entries = found.game, found.entries
    deal = deal_of(game.code)
    rules = deal.patience
    if rules != game.patience and rules.prefix != game.patience.prefix:
        yield "patience"
    if game.sealed:
        sealed = hashlib.sha256(f"{game.code}\n{game.sealing}".encode()).hexdigest()
        if sealed != game.commitment:
            yield "commitment"
    if (game.rules_version, game.scoring_version) != (rules.rules_version, VERSIONS[game.scoring]):
        yield "version"  # of another time: it cannot be judged by today's rules
        return
    try:
        last = replay(rules, deal.start, [entry.text for entry in entries])
    except BadLog:
        yield "log"
        return
    outcome = rules.outcome(last.position)
    status = "given_up" if game.status == "given_up" and outcome.status != "won" else outcome.status
    follows = {
        "ply": (game.ply, len(entries)),
        "plies": (tuple(entry.ply for entry in entries), tuple(range(1, len(entries) + 1))),
        "head": (game.position, last.position),
        "steps": (game.steps, len(last.line.steps)),
        "undone": (game.undone, len(last.line.undone)),
        "undos": (game.undos, sum(entry.text in META for entry in entries)),
        "score": (game.score, score(game.scoring, rules, deal.start, last.position, last.ply)),
        "status": (game.status, status),
        "ranked_ms": (game.ranked_ms, _ranked_ms(entries)),
        "first_at": (game.first_at, entries[0].at if entries else None),
        "shared": (game.shared or all(entry.player_id == game.player_id for entry in entries), True),
        "ended_at": (game.ended_at is not None, game.status in ("won", "given_up")),
    }
    yield from (name for name, (stored, computed) in follows.items() if stored != computed)


def _ranked_ms(entries: tuple[Entry, ...]) -> int:
    return sum(min(later.at - earlier.at, PAUSE_CAP) for earlier, later in pairwise(entries))
