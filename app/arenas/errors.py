"""Why something was refused in an arena. Codes for programs; the words for people are made elsewhere."""


class ArenaError(Exception):
    """Refused; nothing has changed. ``code`` is stable."""

    code = "arena_error"

    def __init__(self) -> None:
        super().__init__(self.code)


class NoArena(ArenaError):
    code = "not_found"


class ArenaOver(ArenaError):
    """Its time is up: nobody comes in any more."""

    code = "arena_over"


class NotInArena(ArenaError):
    code = "not_in_arena"


class BadArena(ArenaError):
    """Times or number of players outside their bounds."""

    code = "bad_arena"


class TooManyArenas(ArenaError):
    """The player has made as many arenas that are not over as one may."""

    code = "too_many_arenas"
