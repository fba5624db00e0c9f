"""What share of a patience's deals can be won: every setting, deals of seeds 1, 2, …

    python -m benchmarks.solver_shares pyramid --deals 1000 --seconds 10

Times are processor time of the search, without start-up: other work on the machine does not count.
"""

import argparse
from statistics import median, quantiles
from time import process_time

from app.patience import registry
from app.patience.deals import seed_deal
from app.patience.holy_seven import HolySeven
from app.patience.hypyt import Hypyt
from app.patience.patience import Patience
from app.patience.pyramid import Pyramid
from app.solver.api import Budget, Solved, Unsolvable, solve

SOLVED_HERE: tuple[type[Patience], ...] = (Pyramid, HolySeven, Hypyt)
HEADER = "| setting | solved | unsolvable | unknown | within 1 s | median | 99 in 100 within | longest |"


def measure(patience: Patience, deals: int, seconds: float) -> str:
    """A row of the table."""
    solve(patience, seed_deal(patience, 0).start, Budget(seconds=seconds))
    verdicts, times = [], []
    for seed in range(1, deals + 1):
        start, began = seed_deal(patience, seed).start, process_time()
        verdicts.append(solve(patience, start, Budget(seconds=seconds)))
        times.append(process_time() - began)
    solved = sum(isinstance(verdict, Solved) for verdict in verdicts)
    unsolvable = sum(isinstance(verdict, Unsolvable) for verdict in verdicts)
    decided = sum(
        isinstance(verdict, Solved | Unsolvable) and time <= 1
        for verdict, time in zip(verdicts, times, strict=True)
    )
    p99 = quantiles(times, n=100)[98] if deals > 1 else times[0]
    cells = [
        patience.prefix,
        *(
            f"{100 * part / deals:.1f} %"
            for part in (solved, unsolvable, deals - solved - unsolvable, decided)
        ),
        *(f"{1000 * time:.1f} ms" for time in (median(times), p99, max(times))),
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("patience", choices=[kind.key for kind in SOLVED_HERE])
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    kind = next(kind for kind in SOLVED_HERE if kind.key == given.patience)
    print(HEADER)
    print("|---" * 8 + "|")
    for patience in registry.settings(kind):
        print(measure(patience, given.deals, given.seconds), flush=True)


if __name__ == "__main__":
    main()
