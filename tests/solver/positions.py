"""Positions for the solver's tests: from random games, and small ones that a naive search can exhaust."""

import random
from collections.abc import Iterator

from app.cards.card import SUITS, cards
from app.patience import registry
from app.patience.building import ends_in_complete_run
from app.patience.deals import seed_deal
from app.patience.patience import Patience
from app.patience.position import Pile, Position
from tests.builders import golden

COLUMNS = 10
RANKS = "KQJT98765432A"


def random_game(spider: Patience, seed: int, plies: int) -> Iterator[Position]:
    """The positions of a game of random moves from a seed's deal, rows dealt now and then."""
    draw, position = random.Random(seed), seed_deal(spider, seed).start
    for _ in range(plies):
        yield position
        moves = spider.legal_moves(position)
        if not moves:
            return
        move = "deal" if moves[-1] == "deal" and draw.random() < 0.1 else draw.choice(moves)
        position = spider.play(position, move).position


def won_games(suits: int) -> Iterator[Position]:
    """Every position of the golden won games with so many suits. Runs are collected in these."""
    rules = spider(suits)
    for game in golden("won_games.json"):
        if game["suits"] == suits:
            position = rules.from_layout(game["layout"])
            for move in game["moves"]:
                yield position
                position = rules.play(position, move).position


def small(draw: random.Random, runs: int, columns: int = COLUMNS, rows: int = 0) -> Position:
    """A random position with a few runs left, on some of the columns, some cards face down."""
    suits = [draw.choice(SUITS[:2]) for _ in range(runs)]
    left = [c for suit in suits for c in cards(" ".join(rank + suit for rank in RANKS))]
    while True:
        draw.shuffle(left)
        stock, table = left[: COLUMNS * rows], left[COLUMNS * rows :]
        shares: list[list] = [[] for _ in range(columns)]
        for n, c in enumerate(table):
            shares[n if n < columns else draw.randrange(columns)].append(c)
        piles = [Pile(tuple(share), draw.randrange(len(share))) for share in shares if share]
        piles += [Pile()] * (COLUMNS - len(piles))
        if not any(ends_in_complete_run(pile) for pile in piles):
            break
    gone = cards(" ".join(rank + "S" for _ in range(8 - runs) for rank in RANKS))
    return Position((*piles, Pile(tuple(stock), len(stock)), Pile(gone)))


def near_blocked(draw: random.Random, runs: int, rows: int, most_moves: int) -> Position:
    """A random position with few legal moves: a naive search has a chance to exhaust it."""
    while True:
        position = small(draw, runs, rows=rows)
        if len(spider().legal_moves(position)) <= most_moves:
            return position


def naive_verdict(spider: Patience, start: Position, most: int) -> int | None:
    """Length of the shortest win by the rules alone; -1: there is none; None: more than `most` positions."""
    seen, level, depth = {start}, [start], 0
    while level:
        depth += 1
        after = []
        for position in level:
            for move in spider.legal_moves(position):
                child = spider.play(position, move).position
                if child in seen:
                    continue
                if spider.outcome(child).status == "won":
                    return depth
                seen.add(child)
                after.append(child)
                if len(seen) > most:
                    return None
        level = after
    return -1


def spider(suits: int = 4, **params: str) -> Patience:
    return registry.get("spider", {"suits": suits, **params})
