"""How short Spider's lines get for a number of positions looked at, and which of two ways makes them shorter.

    python -m benchmarks.solver_short --suits 4 --deals 14 --nodes 4500000 --into before.json
    python -m benchmarks.solver_short --suits 4 --deals 14 --set wider=1.4 --against before.json

`--set` changes a field of `Haste`. Seeds from 40000 are for tuning, and no published figure uses them. The
deals of both runs are the same, so what is compared are the differences deal by deal. Counts only, no clock.
"""

import argparse
import json
import statistics
import time
from dataclasses import replace
from pathlib import Path

from app.patience import registry
from app.patience.deals import seed_deal
from app.solver.encode import encode, text_moves
from app.solver.meter import Budget, Meter
from app.solver.spider import search
from app.solver.spider_short import Haste, shorter_lines

Trace = list[tuple[int, int]]
"""(positions looked at, moves of the line found then) of each better line."""


def trace(suits: int, seed: int, nodes: int, haste: Haste) -> Trace:
    spider = registry.get("spider", {"suits": suits})
    opening, budget = seed_deal(spider, seed).start, Budget(None, nodes)
    meter = Meter(budget)
    first = search(spider, opening, budget, meter)
    if not isinstance(first, tuple):
        return []
    found = [(meter.nodes, len(first))]
    known = text_moves(first)
    lines = shorter_lines(encode(opening), meter, {}, budget.seed, len(known) - 1, known, haste)
    found.extend((meter.nodes, len(moves)) for moves in lines)
    return found


def moves_after(found: Trace, nodes: int) -> int:
    """Moves of the best line at that moment; of the first one before that."""
    return min((moves for at, moves in found if at <= nodes), default=found[0][1])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--suits", type=int, default=4)
    options.add_argument("--first-seed", type=int, default=40_000)
    options.add_argument("--deals", type=int, default=14)
    options.add_argument("--nodes", type=int, default=4_500_000)
    options.add_argument("--set", nargs="*", default=[], metavar="FIELD=JSON")
    options.add_argument("--into", type=Path)
    options.add_argument("--against", type=Path)
    chosen = options.parse_args()
    changes = dict(change.split("=") for change in chosen.set)
    haste = replace(
        Haste(), **{name: type(getattr(Haste(), name))(float(to)) for name, to in changes.items()}
    )
    traces: dict[str, Trace] = {}
    began = time.process_time()
    for seed in range(chosen.first_seed, chosen.first_seed + chosen.deals):
        traces[str(seed)] = trace(chosen.suits, seed, chosen.nodes, haste)
        if chosen.into:
            chosen.into.write_text(json.dumps(traces))
    print(f"{chosen.suits} suits, {len(traces)} deals, {time.process_time() - began:.0f} s {chosen.set}")
    other = json.loads(chosen.against.read_text()) if chosen.against else {}
    for nodes in (chosen.nodes // 4, chosen.nodes // 2, chosen.nodes * 3 // 4, chosen.nodes):
        report(traces, other, nodes)


def report(traces: dict[str, Trace], other: dict[str, Trace], nodes: int) -> None:
    both = [seed for seed in traces if traces[seed] and (not other or other.get(seed))]
    now = {seed: moves_after(traces[seed], nodes) for seed in both}
    text = f"  {nodes:>9,} positions: {statistics.mean(now.values()):6.2f} moves"
    if other:
        differences = [now[seed] - moves_after(other[seed], nodes) for seed in both]
        error = statistics.stdev(differences) / len(differences) ** 0.5
        text += f", {statistics.mean(differences):+.2f} ± {error:.2f}"
    print(text, flush=True)


if __name__ == "__main__":
    main()
