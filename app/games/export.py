"""A player's games as they take them along: what they know of each, and its log. Times in milliseconds."""

from sqlalchemy import Connection

from app.games import store


def games_of(conn: Connection, player_id: str) -> list[dict[str, object]]:
    """JSON values. The deal of a sealed game is None until the game has ended."""
    return [
        {
            "id": game.id,
            "patience": game.patience.key,
            "params": dict(game.params),
            "rules_version": game.rules_version,
            "scoring": game.scoring,
            "scoring_version": game.scoring_version,
            "deal": game.deal,
            "commitment": game.commitment,
            "salt": game.salt,
            "status": game.status,
            "score": game.score,
            "created_at": game.created_at,
            "ended_at": game.ended_at,
            "log": [
                {"ply": entry.ply, "text": entry.text, "at": entry.at}
                for entry in store.entries(conn, game.id)
            ],
        }
        for game in store.all_of(conn, player_id)
    ]
