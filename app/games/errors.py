"""Why an entry was refused. Codes for programs and templates; the words for people are made elsewhere.

A text that is no move is ``app.patience.errors.MalformedMove``, one that is no deal code
``app.cards.dealcode.BadDealCode``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.games.game import Game


class GameError(Exception):
    """Refused; nothing has changed. ``code`` is stable."""

    code = "game_error"

    def __init__(self) -> None:
        super().__init__(self.code)


class NotFound(GameError):
    """No such game, or another player's: the two must not be told apart."""

    code = "not_found"


class WatchingOnly(GameError):
    """The game of another, which one may watch and not play."""

    code = "watching_only"


class NotOwner(GameError):
    """What only the one may do whose game it is."""

    code = "not_owner"


class BadScoring(GameError):
    """The patience has no such scoring."""

    code = "bad_scoring"


class DealMismatch(GameError):
    """The deal code is one of another patience, or of other parameters, than those asked for."""

    code = "deal_mismatch"


class DealIsWon(GameError):
    """The deal's layout is won already: there is nothing to play."""

    code = "deal_is_won"


class NoWinnableDeal(GameError):
    """A deal that can be won was asked for, and none is in store."""

    code = "no_winnable_deal"


class Refused(GameError):
    """An entry that the game does not take; ``game`` is the game as it stands."""

    code = "refused"

    def __init__(self, game: "Game") -> None:
        super().__init__()
        self.game = game


class StalePly(Refused):
    """The game is not at the ply for which the entry was meant."""

    code = "stale_ply"


class GameOver(Refused):
    """The game is won or given up."""

    code = "game_over"


class GameTooLong(Refused):
    """The log is full."""

    code = "game_too_long"


class UndoIsOff(Refused):
    """By its terms nothing is taken back in this game."""

    code = "undo_off"


class HelpIsOff(Refused):
    """By its terms nobody is told anything in this game: no hint, no verdict, no line."""

    code = "help_off"


class NothingToUndo(Refused):
    code = "nothing_to_undo"


class NothingToRedo(Refused):
    code = "nothing_to_redo"


class NothingToRestart(Refused):
    """The cards lie as they were dealt."""

    code = "nothing_to_restart"


class IllegalMove(Refused):
    """A move against the rules: ``reason`` names the rule, ``facts`` piles and cards (no hidden ones)."""

    code = "illegal_move"

    def __init__(self, game: "Game", reason: str, facts: dict[str, str | int]) -> None:
        super().__init__(game)
        self.reason = reason
        self.facts = facts
