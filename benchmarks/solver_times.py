"""How soon Spider's deals are solved, in processor time of one core: other work on the machine counts less.

    python -m benchmarks.solver_times --suits 4 --first-seed 90000 --deals 1000 --seconds 60

`spindel bench solver` measures the same by the clock. Prints the shares within some times, the median, and
the seeds that took longest; with --shortest only how short the lines got when all of the time was spent.
"""

import argparse
from statistics import fmean, median, stdev
from time import process_time

from rich.progress import track

from app.patience import registry
from app.patience.deals import seed_deal
from app.patience.patience import Patience
from app.solver.api import Budget, Solved, improve, solve, warm

WITHIN = (0.5, 1.0, 3.0, 10.0, 60.0)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--suits", type=int, default=4)
    options.add_argument("--first-seed", type=int, default=90_000)
    options.add_argument("--deals", type=int, default=1000)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--shortest", action="store_true")
    chosen = options.parse_args()
    warm()
    spider = registry.get("spider", {"suits": chosen.suits})
    if chosen.shortest:
        shortest(spider, range(chosen.first_seed, chosen.first_seed + chosen.deals), chosen.seconds)
        return
    took: dict[int, float] = {}
    moves = []
    for seed in track(range(chosen.first_seed, chosen.first_seed + chosen.deals)):
        end = process_time() + chosen.seconds
        start = seed_deal(spider, seed).start
        verdict = solve(spider, start, Budget(None), should_stop=lambda end=end: process_time() > end)
        if isinstance(verdict, Solved):
            took[seed] = process_time() - end + chosen.seconds
            moves.append(len(verdict.line))
    print(f"{len(took)} of {chosen.deals} solved, in {fmean(moves):.1f} moves on average")
    print(f"median {median(took.values()) * 1000:.0f} ms, mean {fmean(took.values()) * 1000:.0f} ms")
    for seconds in WITHIN:
        solved = sum(time <= seconds for time in took.values())
        print(f"within {seconds:g} s: {solved} ({solved / chosen.deals:.2%})")
    slowest = sorted(took, key=lambda seed: -took[seed])[:8]
    print("longest:", ", ".join(f"{seed} {took[seed]:.1f} s" for seed in slowest))
    print("not solved:", sorted(set(range(chosen.first_seed, chosen.first_seed + chosen.deals)) - set(took)))


def shortest(spider: Patience, seeds: range, seconds: float) -> None:
    moves = []
    for seed in track(seeds):
        end = process_time() + seconds
        start = seed_deal(spider, seed).start
        lines = improve(spider, start, Budget(None), should_stop=lambda end=end: process_time() > end)
        moves.append(min(len(solved.line) for solved in lines))
    error = stdev(moves) / len(moves) ** 0.5
    print(f"{len(moves)} deals: {fmean(moves):.1f} moves on average (standard error {error:.1f})")
    print(*moves)


if __name__ == "__main__":
    main()
