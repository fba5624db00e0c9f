"""What each part of Spider's beam search is worth: one beam a deal, with that part switched off.

    python -m benchmarks.solver_parts --suits 4 --first-seed 60000 --deals 200 --width 60

Prints the share of deals that a single beam solves, and the positions it looked at. Counts only, no clock,
so the figures are the same on every machine.
"""

import argparse
from dataclasses import replace

from app.patience import registry
from app.patience.deals import seed_deal
from app.solver.encode import encode
from app.solver.meter import Budget, Meter
from app.solver.spider_beam import Attempt, Room, attempt
from app.solver.spider_weights import Taste, weights

WHOLE = Taste()
PARTS = {
    "everything on": WHOLE,
    "no bonus for the length of a run": replace(WHOLE, length=0),
    "no penalty for joins off suit": replace(WHOLE, off_suit=0, off_suit_rank=0),
    "off suit: worse for high ranks": replace(WHOLE, off_suit=-6, off_suit_rank=-17),
    "no penalty for broken joins": replace(WHOLE, broken=0),
    "no weight for face-down cards": replace(WHOLE, down=0, down_column=0),
    "no worth for spaces": replace(WHOLE, first_space=0, more_spaces=0),
    "a collected run worth its joins only": replace(WHOLE, collected=0),
    "no cost of a move": replace(WHOLE, move=0),
    "no noise": replace(WHOLE, noise=0),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--suits", type=int, default=4)
    options.add_argument("--first-seed", type=int, default=60_000)
    options.add_argument("--deals", type=int, default=200)
    options.add_argument("--width", type=int, default=60)
    chosen = options.parse_args()
    spider = registry.get("spider", {"suits": chosen.suits})
    seeds = range(chosen.first_seed, chosen.first_seed + chosen.deals)
    starts = [encode(seed_deal(spider, seed).start) for seed in seeds]
    rooms: dict[int, Room] = {}
    for part, taste in PARTS.items():
        meter, solved, moves = Meter(Budget(seconds=None)), 0, 0
        for seed, start in zip(seeds, starts, strict=True):
            line = attempt(start, Attempt(chosen.width, weights(taste), seed), meter, rooms)
            solved, moves = solved + (line is not None), moves + len(line or ())
        mean = moves / solved if solved else 0
        looked = meter.nodes / chosen.deals
        share = solved / chosen.deals
        print(f"{part:38} {share:6.1%} solved, {looked:7.0f} positions a deal, {mean:.0f} moves")


if __name__ == "__main__":
    main()
