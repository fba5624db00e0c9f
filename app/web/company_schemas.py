"""What the JSON API of company takes and gives. As in ``app.web.schemas``: taken strictly."""

from typing import Annotated, Literal

from pydantic import Field

from app.games.game import Role, Status
from app.web.race_schemas import Race
from app.web.schemas import Given, Taken

Token = Annotated[str, Field(min_length=1, max_length=100)]


class NewLink(Taken):
    """``role``: what one becomes by it."""

    role: Literal["play", "watch"]


class Watchable(Taken):
    watchable: bool


class Coming(Taken):
    """The token of a link."""

    token: Token


class Link(Given):
    role: Literal["play", "watch"]
    token: str
    url: str


class Person(Given):
    """``name`` is null for a guest; ``role`` is null for one who is there no more."""

    number: int
    player: str
    name: str | None
    role: Role | None
    here: bool


class Company(Given):
    """``you``: what the one who asks is there. ``links``: those that there are, for the owner alone."""

    game: str
    you: Role
    shared: bool
    watchable: bool
    links: list[Literal["play", "watch"]] | None
    people: list[Person]
    watching: int


class WatchedGame(Given):
    """A game that anybody may watch: counts, and whose it is (null for a guest)."""

    game: str
    patience: str
    params: dict[str, int | str]
    name: str | None
    status: Status
    scoring: str
    ply: int
    score: int
    progress: int
    watching: int
    created_at: int
    last_at: int


class Watch(Given):
    races: list[Race]
    games: list[WatchedGame]
