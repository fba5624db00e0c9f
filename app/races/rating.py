"""What a race does to ratings: a listener for its end."""

from sqlalchemy import Connection

from app.races.race import Race
from app.ranking import ratings


def rate(conn: Connection, race: Race) -> None:
    """Rates the accounts among its players, each by its place.

    Guests are not rated, nor is who had a game on the deal before. A race that was never run rates nobody.
    """
    places: dict[str, int] = {}
    for seat in race.seats:
        if seat.name is not None and seat.fresh and seat.result is not None:
            places.setdefault(seat.player_id, seat.result.place)
    ratings.rate(conn, race.patience.prefix, race.id, places, race.closed_at or race.created_at)
