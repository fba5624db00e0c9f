"""What can be wrong with a move, a log, a layout or a patience's name.

Malformed and illegal are two things: a malformed move is no move at all, an illegal one breaks a rule
in this position. Errors carry codes and facts; the words for people are made elsewhere.
"""


class PatienceError(ValueError):
    """The base of this package's errors: a stable ``reason`` and the facts that go with it."""

    def __init__(self, reason: str, **facts: str | int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.facts = facts

    def __str__(self) -> str:
        return " ".join([self.reason, *(f"{name}={fact}" for name, fact in self.facts.items())])


class MalformedMove(PatienceError):
    """The text is no move of this patience."""


class IllegalMove(PatienceError):
    """A move that the rules forbid in this position; ``reason`` is the rule."""


class BadLog(PatienceError):
    """A log with an entry that cannot be; the fact ``ply`` counts from 1."""


class BadLayout(PatienceError):
    """A layout document that is no position of this patience."""


class UnknownPatience(PatienceError):
    """No patience has that name."""


class BadParams(PatienceError):
    """Parameters that the patience does not have; the fact ``name`` says which."""
