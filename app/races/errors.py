"""Why something was refused in a race. Codes for programs; the words for people are made elsewhere."""


class RaceError(Exception):
    """Refused; nothing has changed. ``code`` is stable."""

    code = "race_error"

    def __init__(self) -> None:
        super().__init__(self.code)


class NoRace(RaceError):
    """There is no such race, or none of that code that can still be joined."""

    code = "not_found"


class RaceFull(RaceError):
    code = "race_full"


class RaceStarted(RaceError):
    """The count-down has begun, or the race runs: too late for this."""

    code = "race_started"


class RaceOver(RaceError):
    code = "race_over"


class NotInRace(RaceError):
    """Only those who take part may do that."""

    code = "not_in_race"


class NotHost(RaceError):
    """Only the host may do that."""

    code = "not_host"


class NotEnoughReady(RaceError):
    """A race needs two who are ready."""

    code = "not_enough_ready"


class NotYet(RaceError):
    """There is nothing of that kind to do now: it has not started, or nobody is gone."""

    code = "not_yet"


class TooManyRaces(RaceError):
    """The player sits in as many races that have not begun as one may."""

    code = "too_many_races"


class BadRace(RaceError):
    """Time or number of players outside their bounds."""

    code = "bad_race"
