"""Games as JSON values. Cards come from ``app.patience.view`` alone."""

from collections.abc import Collection, Mapping
from typing import Any

from app.company.people import Person
from app.games.game import Action, Entry, Game, Role
from app.games.service import Replay
from app.patience.view import CONCEALED, View, view
from app.ranking.service import Leaderboard, Statistics

Document = dict[str, Any]


def game_head(game: Game) -> Document:
    """What is known of a game besides its cards."""
    return {
        "id": game.id,
        "patience": game.patience.key,
        "params": dict(game.params),
        "deal": game.deal,
        "commitment": game.commitment,
        "salt": game.salt,
        "scoring": game.scoring,
        "status": game.status,
        "reason": game.reason,
        "ply": game.ply,
        "score": game.score,
        "clean": game.clean,
        "assisted": game.assisted,
        "shared": game.shared,
        "watchable": game.watchable,
        "created_at": game.created_at,
        "first_at": game.first_at,
        "last_at": game.last_at,
        "ended_at": game.ended_at,
        "ranked_ms": game.ranked_ms,
    }


OWNERS: frozenset[Action] = frozenset({"restart", "give-up"})
"""What one who plays along may not do."""


def game_document(game: Game, role: Role = "owner") -> Document:
    """A game as one may see it who is this there; who looks on has nothing to play."""
    seen = view(game.patience, game.position)
    plays = role != "watch"
    legal_moves = game.legal_moves() if plays else ()
    actions = game.actions(legal_moves) if plays else ()
    if role == "play":
        actions = tuple([action for action in actions if action not in OWNERS])
    return {
        **game_head(game),
        "actions": actions,
        "piles": piles(seen),
        "facts": dict(seen.facts),
        "legal_moves": legal_moves,
        "can_undo": plays and game.can_undo,
        "can_redo": plays and game.can_redo,
    }


def piles(seen: View) -> list[Document]:
    """The piles of a view."""
    return [
        {"id": pile.id, "role": pile.role, "count": pile.count}
        if pile.role in CONCEALED
        else {
            "id": pile.id,
            "role": pile.role,
            "face_down": pile.face_down,
            "cards": [card.text for card in pile.cards],
        }
        for pile in seen.piles
    ]


def log_entries(entries: Collection[Entry], movers: Mapping[str, Person]) -> list[Document]:
    """A log; with ``movers``, the players of a shared game, its entries say whose they are."""
    documents = [{"ply": entry.ply, "text": entry.text, "at": entry.at} for entry in entries]
    if movers:
        for document, entry in zip(documents, entries, strict=True):
            mover = movers.get(entry.player_id)
            document |= {"player": entry.player_id, "name": mover.name if mover else None}
    return documents


def replay_document(replay: Replay, movers: Mapping[str, Person]) -> Document:
    """A game from its opening on. All cards are there only once nobody can gain by them any more."""
    game = replay.game
    return {
        **game_head(game),
        "rules_version": game.rules_version,
        "scoring_version": game.scoring_version,
        "start": piles(view(game.patience, game.start)),
        "layout": game.patience.to_layout(game.start) if game.told else None,
        "entries": log_entries(replay.entries, movers),
    }


def leaderboard(found: Leaderboard) -> Document:
    """A page of a leaderboard; a guest has no name."""
    return {
        "table": found.prefix,
        "scoring": found.scoring,
        "scoring_version": found.scoring_version,
        "deals": found.deals,
        "since": found.since,
        "page": found.page,
        "more": found.more,
        "rows": [
            {
                "rank": place.rank,
                "player": place.name,
                "game": place.game_id,
                "deal": place.deal,
                "score": place.score,
                "ply": place.ply,
                "ranked_ms": place.ranked_ms,
                "ended_at": place.ended_at,
                "clean": place.clean,
            }
            for place in found.places
        ],
    }


def tally(one: Statistics) -> Document:
    """A line of a player's statistics."""
    return {
        "table": one.prefix,
        "scoring": one.scoring,
        "ended": one.ended,
        "won": one.won,
        "best_score": one.best_score,
        "fewest_ply": one.fewest_ply,
        "best_ms": one.best_ms,
        "streak": one.streak,
        "longest_streak": one.longest_streak,
    }
