"""Why something about the company of a game was refused. Codes for programs; the words are made elsewhere."""


class CompanyError(Exception):
    """Refused; nothing has changed. ``code`` is stable."""

    code = "company_error"

    def __init__(self) -> None:
        super().__init__(self.code)


class NoInvitation(CompanyError):
    """No link that leads anywhere: made up, or withdrawn."""

    code = "no_invitation"


class NotShareable(CompanyError):
    """A game of a race or of a day: there everyone plays for themselves, and unseen."""

    code = "not_shareable"


class HasEnded(CompanyError):
    """The game has ended: its replay is there for everyone."""

    code = "game_over"


class TableFull(CompanyError):
    """So many have come already."""

    code = "table_full"
