"""Glicko-2: how strong a player is, and how sure that is. Pure; it knows no games and no database.

After Mark E. Glickman, "Example of the Glicko-2 system" (http://www.glicko.net/glicko/glicko2.pdf); the steps
are numbered as there, and the worked example is a test.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log, pi, sqrt

SCALE = 173.7178
"""Between the rating that is shown and the one that is reckoned with."""

TAU = 0.5
"""How much the volatility may change: 0.3 to 1.2 are sensible."""

CONVERGED = 1e-6

START, START_DEVIATION, START_VOLATILITY = 1500.0, 350.0, 0.06
LARGEST_DEVIATION = 350.0

PROVISIONAL = 110.0
"""With a larger deviation than this a rating is provisional."""


@dataclass(frozen=True, slots=True)
class Rating:
    """``deviation``: the true strength lies within twice of it, with 95 per cent certainty."""

    rating: float = START
    deviation: float = START_DEVIATION
    volatility: float = START_VOLATILITY

    @property
    def provisional(self) -> bool:
        return self.deviation > PROVISIONAL


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result against an opponent as rated before the period: 1 won, 0.5 drawn, 0 lost."""

    opponent: Rating
    score: float


def rated(before: Rating, outcomes: Iterable[Outcome]) -> Rating:
    """The rating after one rating period. Without outcomes only the deviation grows (step 6)."""
    results = list(outcomes)
    mu, phi, sigma = (before.rating - START) / SCALE, before.deviation / SCALE, before.volatility
    if not results:
        return Rating(before.rating, _bounded(sqrt(phi**2 + sigma**2)), sigma)
    # Steps 3 and 4: the variance of the results, and the improvement that they point to.
    precision = improvement = 0.0
    for outcome in results:
        opponent_mu = (outcome.opponent.rating - START) / SCALE
        weight = _g(outcome.opponent.deviation / SCALE)
        expected = 1 / (1 + exp(-weight * (mu - opponent_mu)))
        precision += weight**2 * expected * (1 - expected)
        improvement += weight * (outcome.score - expected)
    variance = 1 / precision
    new_sigma = _volatility(phi, sigma, variance, variance * improvement)
    # Steps 6 to 8.
    phi_star = sqrt(phi**2 + new_sigma**2)
    new_phi = 1 / sqrt(1 / phi_star**2 + precision)
    return Rating(START + SCALE * (mu + new_phi**2 * improvement), _bounded(new_phi), new_sigma)


def expected_score(one: Rating, other: Rating) -> float:
    """The share that one is expected to take from another, by their ratings of now."""
    deviation = sqrt(one.deviation**2 + other.deviation**2) / SCALE
    return 1 / (1 + exp(-_g(deviation) * (one.rating - other.rating) / SCALE))


def of_places(ratings: list[Rating], places: list[int]) -> list[Rating]:
    """The ratings after a race: each is taken to have met every other once, in one rating period.

    A smaller place won, the same place drew. With one player alone nothing changes.
    """
    if len(ratings) != len(places):
        raise ValueError("a place for each rating")
    if len(ratings) < 2:
        return list(ratings)
    return [
        rated(
            mine,
            [
                Outcome(other, 0.5 if places[at] == place else float(places[at] < place))
                for against, (other, place) in enumerate(zip(ratings, places, strict=True))
                if against != at
            ],
        )
        for at, mine in enumerate(ratings)
    ]


def _g(phi: float) -> float:
    return 1 / sqrt(1 + 3 * phi**2 / pi**2)


def _bounded(phi: float) -> float:
    return min(phi * SCALE, LARGEST_DEVIATION)


def _volatility(phi: float, sigma: float, variance: float, delta: float) -> float:
    """Step 5: the new volatility, by the Illinois algorithm."""
    a = log(sigma**2)

    def f(x: float) -> float:
        e = exp(x)
        spread = phi**2 + variance + e
        return e * (delta**2 - spread) / (2 * spread**2) - (x - a) / TAU**2

    low = a
    if delta**2 > phi**2 + variance:
        high = log(delta**2 - phi**2 - variance)
    else:
        k = 1
        while f(a - k * TAU) < 0:
            k += 1
        high = a - k * TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > CONVERGED:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return exp(low / 2)
