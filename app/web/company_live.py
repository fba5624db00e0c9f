"""The stream of a game with company: its changes by their numbers, and who is there. Never cards.

A change is an event ``game``, numbered as the game counts its changes, so a stream that was cut off goes on
where it was. ``here`` and ``company`` are of the moment: who has a page open now, and that somebody came or
went. What the game looks like, a page fetches as it may see it.
"""

import json
from collections.abc import AsyncIterator

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from app.company.people import Here
from app.company.service import Companies
from app.games.errors import NotFound
from app.games.events import Changed
from app.games.service import Games, Seen
from app.races.hub import Event, Hub
from app.web import deps
from app.web.errors import Problem
from app.web.live import AS_STREAM, CLOSED, EventStream, Streams, enter, last_event_id, numbered, wire
from app.web.presence import Presence

router = APIRouter(prefix="/api/v1", tags=["v1"])


def install(hub: Hub, games: Games, companies: Companies) -> None:
    """Has what happens at a game with company told to its streams, after the commit."""

    def changed(change: Changed) -> None:
        if change.live:
            hub.publish(_game_event(change.game_id, change.number, change.ply, change.status, change.by))

    games.on_change.append(changed)
    companies.on_company = lambda game_id: hub.publish(Event(game_id, 0, "company", "{}"))
    companies.on_here = lambda game_id, here: hub.publish(_here_event(game_id, here))


def _game_event(game_id: str, number: int, ply: int, status: str, by: str | None) -> Event:
    return Event(game_id, number, "game", json.dumps({"ply": ply, "status": status, "by": by}))


def _here_event(game_id: str, here: Here) -> Event:
    data = json.dumps({"players": sorted(here.players), "watching": here.watching})
    return Event(game_id, 0, "here", data)


class _Reader:
    """One who reads the stream of a game: may they go on, and what is the whole for them?"""

    def __init__(self, request: Request, game_id: str, player_id: str | None) -> None:
        self._state = request.app.state
        self._game_id = game_id
        self._player_id = player_id
        self.plays: bool | None = None  # as it was at first

    def look(self) -> tuple[Seen, Here]:
        """The game as they may see it. Raises ``NotFound``. Call it in a thread."""
        games: Games = self._state.games
        companies: Companies = self._state.companies
        with self._state.db.read() as conn:
            seen = games.see(conn, self._game_id, self._player_id)
            return seen, companies.here(conn, [self._game_id]).get(self._game_id, Here())

    async def whole(self) -> tuple[int, bytes]:
        """Raises ``NotFound`` for one who may not read on, or is another by now: they look anew."""
        seen, here = await run_in_threadpool(self.look)
        if (seen.role != "watch") != self.plays:
            raise NotFound
        game = seen.game
        event = _game_event(game.id, game.number, game.ply, game.status, None)
        return game.number, wire(event) + wire(_here_event(game.id, here))

    async def check(self, event: Event) -> None:
        """Whether they may read on: who has gone may be they. Raises ``NotFound``."""
        if event.kind == "company":
            await self.whole()


@router.get("/games/{game_id}/events", **AS_STREAM)
async def game_events(request: Request, game_id: str) -> Response:
    """The events of a game with company, for all who may see it."""
    streams: Streams = request.app.state.streams
    presence: Presence = request.app.state.presence
    who = await run_in_threadpool(deps.identify, request)
    reader = _Reader(request, game_id, who.player.id if who else None)
    try:
        seen, _ = await run_in_threadpool(reader.look)
    except NotFound:
        raise Problem(404, "not_found") from None
    if not seen.game.live:
        raise Problem(409, "no_company")
    reader.plays = plays = seen.role != "watch"
    key = enter(request, streams, who)
    stream = streams.hub.subscribe(game_id)
    # Strangers at one address are counted by their streams.
    me = who.player.id if who else f"{key} {id(stream)}"
    begun = False

    def done() -> None:
        streams.hub.unsubscribe(game_id, stream)
        streams.leave(key)
        if begun:
            presence.depart(game_id, me, plays=plays)

    async def parts() -> AsyncIterator[bytes]:
        nonlocal begun
        begun = True
        presence.arrive(game_id, me, plays=plays)
        last_id = last_event_id(request)
        try:
            async for part in numbered(streams.hub, game_id, stream, reader.whole, last_id, reader.check):
                yield part
        except NotFound:
            yield CLOSED

    return EventStream(parts(), stream.close, done)
