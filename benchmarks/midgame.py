"""How often the solver knows the truth in mid-game: every tenth ply of random but sensible games.

    python -m benchmarks.midgame --games 100 --seconds 0.5

A third of the games each is played with four, two and one suits, from the deals of seeds --first-seed on.
The player sees what lies face up, and draws a move by lot among those that lead to a table new in this
game: one that joins cards in suit is twelve times as likely as one off suit, turning up a card or making a
space counts eight more. What breaks a run, or joins nothing, is tried one time in ten, or where nothing
else is left. He deals a row when he sees nothing sensible, and gives up after the last row when eight moves
on end have brought nothing. So most of his games are lost, often long before their end.

Times are processor time of one core: other work on the machine does not count. With --out each position is
written down with its verdict, a line of JSON each.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from time import process_time

from rich.progress import track

from app.patience import registry
from app.patience.deals import seed_deal
from app.patience.patience import Patience
from app.patience.position import Pile, Position, encode
from app.solver.api import Budget, Unsolvable, solve, warm

COLUMNS = 10
SENSIBLE = 1.0
#: plies between two positions that are asked about; the longest game; moves for nothing before giving up
STEP, LONGEST, ENOUGH = 10, 250, 8


def game(spider: Patience, seed: int) -> Iterator[Position]:
    """The positions of one game."""
    draw, position = random.Random(seed), seed_deal(spider, seed).start
    seen, for_nothing = {_table(position)}, 0
    for _ in range(LONGEST):
        yield position
        if spider.outcome(position).status != "playing":
            return
        moves = spider.legal_moves(position)
        tries = {move: spider.play(position, move).position for move in moves if move != "deal"}
        worth = {move: _worth(position, after) for move, after in tries.items() if _table(after) not in seen}
        sensible = {move: points for move, points in worth.items() if points >= SENSIBLE}
        if sensible and draw.random() < 0.9:
            worth = sensible
        elif "deal" in moves and not sensible:
            worth = {"deal": SENSIBLE}
        for_nothing = 0 if sensible else for_nothing + 1
        if not worth or for_nothing > ENOUGH:
            return
        move = draw.choices(list(worth), list(worth.values()))[0]
        position = spider.play(position, move).position
        seen.add(_table(position))


def _table(position: Position) -> frozenset[tuple[Pile, int]]:
    return frozenset(Counter(position.piles).items())


def _worth(before: Position, after: Position) -> float:
    """How likely a move is to be played, as a multiple of a plain join off suit."""
    pairs = zip(_looks(before), _looks(after), strict=True)
    turned, spaces, in_suit, joins = (now - then for then, now in pairs)
    if in_suit < 0 or (joins < 1 and not turned):
        return 0.1
    return SENSIBLE + 11 * (in_suit > 0) + 8 * (turned > 0) + 8 * (spaces > 0)


def _looks(position: Position) -> tuple[int, int, int, int]:
    """Minus the cards that lie face down, spaces, joins in suit and joins of any kind."""
    columns = position.piles[:COLUMNS]
    pairs = [pair for pile in columns for pair in pairwise(pile.face_up)]
    fits = [under.suit == over.suit for under, over in pairs if under.rank == over.rank + 1]
    # a collected run has taken its joins with it
    gone = 12 * len(position.piles[-1]) // 13
    down = sum(pile.face_down for pile in columns)
    return -down, sum(not pile for pile in columns), sum(fits) + gone, len(fits) + gone


def cases(games: int, first: int) -> Iterator[tuple[int, int, int, Position]]:
    """Suits, seed, ply and position."""
    for n in range(games):
        suits, seed = (4, 2, 1)[n % 3], first + n // 3
        spider = registry.get("spider", {"suits": suits})
        for ply, position in enumerate(game(spider, seed)):
            if ply and ply % STEP == 0 and spider.outcome(position).status == "playing":
                yield suits, seed, ply, position


def ask(suits: int, position: Position, seconds: float) -> dict[str, object]:
    """The verdict within so many seconds of processor time."""
    began = process_time()
    spider = registry.get("spider", {"suits": suits})
    verdict = solve(spider, position, Budget(None), should_stop=lambda: process_time() - began > seconds)
    reason = verdict.reason if isinstance(verdict, Unsolvable) else ""
    name = type(verdict).__name__.lower()
    return {"verdict": name, "reason": reason, "nodes": verdict.nodes, "took": process_time() - began}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--games", type=int, default=100)
    options.add_argument("--first-seed", type=int, default=500_000)
    options.add_argument("--seconds", type=float, default=0.5)
    options.add_argument("--out", type=Path)
    chosen = options.parse_args()
    warm()
    lines = []
    for suits, seed, ply, position in track(list(cases(chosen.games, chosen.first_seed))):
        rows = len(position.piles[COLUMNS]) // COLUMNS
        where = {"suits": suits, "seed": seed, "ply": ply, "rows": rows, "down": -_looks(position)[0]}
        lines.append(where | ask(suits, position, chosen.seconds) | {"position": encode(position)})
    if chosen.out:
        chosen.out.write_text("".join(json.dumps(line) + "\n" for line in lines))
    print("| suits | rows left | positions | solved | unsolvable | unknown | decided |")
    print("|---" * 7 + "|")
    for suits in (4, 2, 1):
        of_suits = [line for line in lines if line["suits"] == suits]
        for rows in range(5, -1, -1):
            report(str(suits), str(rows), [line for line in of_suits if line["rows"] == rows])
        report(str(suits), "all", of_suits)
    report("all", "all", lines)


def report(suits: str, rows: str, lines: list[dict[str, object]]) -> None:
    count = Counter(line["verdict"] for line in lines)
    verdicts = " | ".join(str(count[name]) for name in ("solved", "unsolvable", "unknown"))
    if lines:
        decided = 1 - count["unknown"] / len(lines)
        print(f"| {suits} | {rows} | {len(lines)} | {verdicts} | {decided:.1%} |")


if __name__ == "__main__":
    main()
