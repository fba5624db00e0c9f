"""Points of an arena: what a race brings, and what all of them come to. Pure; it knows no database.

Each opponent who comes later is worth a point, and to be first alone of all is worth one more: so of two the
first has 2 and the last 0, as in lichess's arenas; of four 4, 2, 1 and 0. Who share a place share its points,
the half ones lost. One who made no entry comes last and has nothing.

Two races won in a row set a player on fire: from then on every race counts double, up to and with the first
that is not won. A race is won by being first alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

BURNS_FROM = 2
"""Races won in a row, after which races count double."""


@dataclass(frozen=True, slots=True)
class Finish:
    """How a race came out for one player: their place, 1 for the first, and whether they made an entry."""

    place: int
    played: bool


@dataclass(frozen=True, slots=True)
class Score:
    """What a player has so far. ``streak``: races won in a row, up to now."""

    points: int = 0
    races: int = 0
    wins: int = 0
    streak: int = 0

    @property
    def on_fire(self) -> bool:
        return self.streak >= BURNS_FROM

    def after(self, gained: int, *, won: bool) -> "Score":
        """The score after a race more. ``gained``: what it brings without fire."""
        return Score(
            points=self.points + gained * (2 if self.on_fire else 1),
            races=self.races + 1,
            wins=self.wins + won,
            streak=self.streak + 1 if won else 0,
        )


Race = Mapping[int, Finish]
"""How a race came out, by player's number."""


def places(race: Race) -> dict[int, int]:
    """The places as they count here: behind all who made an entry come those who made none.

    Races place them so themselves by now; in older ones who did nothing may stand before who tried in vain.
    """
    keys = {player: (not finish.played, finish.place) for player, finish in race.items()}
    return {player: 1 + sum(other < key for other in keys.values()) for player, key in keys.items()}


def gained(race: Race) -> dict[int, int]:
    """What a race brings to each of its players, without fire."""
    size, placed = len(race), places(race)
    ladder = [size - place + (place == 1 < size) for place in range(1, size + 1)]
    found = {}
    for player, place in placed.items():
        shared = ladder[place - 1 : place - 1 + list(placed.values()).count(place)]
        found[player] = sum(shared) // len(shared) if race[player].played else 0
    return found


def winner(race: Race) -> int | None:
    """The player who was first alone; None if nobody was, or only by doing nothing."""
    first = [player for player, place in places(race).items() if place == 1]
    return first[0] if len(first) == 1 and len(race) > 1 and race[first[0]].played else None


def score_of(scores: Mapping[int, Score], race: Race) -> dict[int, Score]:
    """The scores of a race's players after it."""
    points, first = gained(race), winner(race)
    return {player: scores.get(player, Score()).after(points[player], won=player == first) for player in race}


def scores(races: Iterable[Race]) -> dict[int, Score]:
    """What races come to, in the order in which they began."""
    found: dict[int, Score] = {}
    for race in races:
        found |= score_of(found, race)
    return found


def ranks(scores: Sequence[Score]) -> list[int]:
    """The rank of each: by points, then by races won, then by having needed fewer races; equals share one."""
    keys = [(-score.points, -score.wins, score.races) for score in scores]
    return [1 + sum(other < key for other in keys) for key in keys]
