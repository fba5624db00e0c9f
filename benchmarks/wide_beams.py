"""Attack numbered deals that resist the solver with very wide beams, until each has a line.

    python -m benchmarks.wide_beams OUT 1748 14934 --widths 8000 40000 --seed 78

Every round draws one width and tries each open deal once at it, with weights of its own. A line found is
added to OUT as `spindel crown` writes it (the number, a tab, the moves), and replayed by the rules first. A
beam of 40,000 needs about 350 MB. Several processes with other seeds may share OUT.
"""

import argparse
import random
from dataclasses import replace
from pathlib import Path

from app.cards.dealcode import NumberedCode
from app.patience.deals import Deal, deal_of
from app.solver.encode import encode, move_texts
from app.solver.meter import Budget, Meter
from app.solver.spider_beam import Attempt, Room, attempt
from app.solver.spider_weights import Taste, weights


def drawn(draw: random.Random, width: int) -> Attempt:
    """A beam whose weights are jittered; six in ten care less for cards face down and for spaces."""
    taste = Taste().jittered(draw)
    if draw.random() < 0.6:
        taste = replace(
            taste,
            down=taste.down * draw.uniform(0.2, 0.9),
            first_space=taste.first_space * draw.random(),
            more_spaces=taste.more_spaces * draw.random(),
        )
    return Attempt(width, weights(taste), draw.getrandbits(32), draw.choice((5, 8)))


def wins(deal: Deal, line: tuple[str, ...]) -> bool:
    position = deal.start
    for move in line:
        position = deal.patience.play(position, move).position
    return deal.patience.outcome(position).status == "won"


def solved(out: Path) -> set[int]:
    return {int(line.partition("\t")[0]) for line in out.read_text().splitlines()} if out.exists() else set()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("out", type=Path)
    options.add_argument("numbers", type=int, nargs="+")
    options.add_argument("--suits", type=int, choices=(1, 2, 4), default=4)
    options.add_argument("--widths", type=int, nargs=2, default=(8_000, 40_000))
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    deals = {n: deal_of(str(NumberedCode(f"spider{chosen.suits}", "pysol", n))) for n in chosen.numbers}
    starts = {n: encode(deal.start) for n, deal in deals.items()}
    looked = dict.fromkeys(deals, 0)
    draw, (low, high) = random.Random(chosen.seed), chosen.widths
    while left := [n for n in deals if n not in solved(chosen.out)]:
        width = round(low * (high / low) ** draw.random())
        rooms: dict[int, Room] = {}
        for n in left:
            meter = Meter(Budget(None))
            moves = attempt(starts[n], drawn(draw, width), meter, rooms)
            looked[n] += meter.nodes
            if moves is not None:
                line = move_texts(moves)
                assert wins(deals[n], line)
                with chosen.out.open("a") as file:
                    file.write(f"{n}\t{' '.join(line)}\n")
                print(f"{n} is won, {len(line)} moves, by a beam of {width:,}", flush=True)
        print(" ".join(f"{n}: {nodes // 1_000_000} M" for n, nodes in looked.items()), flush=True)


if __name__ == "__main__":
    main()
