"""Winnable deals on request: sees that the bank has one, before a game takes it."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from starlette.requests import Request

from app.analysis import service
from app.analysis.service import Analysis, Busy, NotPlayed, Off
from app.games.errors import NoWinnableDeal
from app.i18n import reasons
from app.patience.patience import Patience
from app.web import deps
from app.web.errors import Problem
from app.web.limits import limit, peer_of

T = TypeVar("T")

PAUSE = 0.01
"""Seconds before a deal is sought once more, where others were quicker to take it."""


def asker_of(request: Request) -> str:
    """Whose share of the engine a request uses: the player's, or a stranger's address's."""
    player = deps.player_of(request)
    return player.id if player else f"peer {peer_of(request)}"[:40]


def begin(request: Request, patience: Patience, create: Callable[[], T]) -> T:
    """What ``create()``, which takes a winnable deal, makes; has one dealt first, if there is none.

    Raises Problem 422, 429, 503.
    """
    limit(request, "engine")
    until = time.monotonic() + service.RESTOCK_WAIT
    while (left := until - time.monotonic()) > 0 and _restock(request, patience, left):
        with suppress(NoWinnableDeal):
            return create()
        time.sleep(PAUSE)
    raise Problem(503, "no_winnable_deal", headers={"Retry-After": "10"})


def _restock(request: Request, patience: Patience, seconds: float) -> bool:
    analysis: Analysis = request.app.state.analysis
    try:
        return analysis.restock(patience, asker=asker_of(request), seconds=seconds)
    except Off as error:
        raise Problem(422, "not_known_yet", reasons.problem(unavailable(error).code)) from None
    except Busy as error:
        raise unavailable(error) from None


def unavailable(error: Busy | Off) -> Problem:
    """Why the engine takes no question: not of this patience, not here, or not so many of them."""
    if isinstance(error, NotPlayed):
        return Problem(422, "not_supported")
    if isinstance(error, Off):
        return Problem(503, "engine_off")
    if error.own:
        return Problem(429, "engine_busy_own", headers={"Retry-After": "10"})
    return Problem(503, "engine_busy", headers={"Retry-After": "30"})
