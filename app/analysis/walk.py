"""A whole game analysed: from which of its plies could it still be won?

Few positions need a search, because a legal move carries a verdict along:

- whatever leads to a position that can be won can be won, by the move that leads there;
- whatever comes of a position that cannot be won cannot be won;
- every position on a line that was found is won by the rest of that line.

So a won game is settled by its own last moves, and in a lost one the searches close in on the ply at which
it was lost, a half at a time, whatever was undone and tried again. What no search settles stays unknown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.analysis.canonical import Canonical, canonical
from app.analysis.verdict import Verdict
from app.patience.patience import Patience
from app.patience.position import Position
from app.patience.replay import META, frames

ROUNDS_MS = (250, 1_000, 4_000)
"""How long one position may take in each round over those that are not settled."""

LEAST_MS = 50
"""With less than that no search is begun."""

WON, LOST, OPEN = "w", "l", "-"

Search = Callable[[Position, int], Verdict]
"""Searches a position for so many milliseconds."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an analysis has come.

    ``plies``: a letter for each ply from 0. ``to_go``: how many moves the best line known from each ply has.
    ``best``: the best line known from the opening. ``tried``: searches made.
    """

    plies: str
    to_go: tuple[int | None, ...]
    best: tuple[str, ...]
    tried: int


@dataclass(slots=True)
class _Node:
    """A position of the game, or of a line found; positions with one key are one node."""

    position: Position
    canonical: Canonical
    mark: str = OPEN
    to_go: int | None = None
    best: tuple[str, str] | None = None  # canonical move and next node of the best line known
    before: dict[str, str] = field(default_factory=dict)  # nodes a (canonical) move leads here from
    after: set[str] = field(default_factory=set)
    tried_ms: int = 0


class Walk:
    """The analysis of one game. ``known`` are verdicts by key, their lines in canonical columns."""

    def __init__(
        self,
        patience: Patience,
        start: Position,
        entries: Sequence[str],
        known: Mapping[str, Verdict] | None = None,
    ) -> None:
        self._patience = patience
        self._nodes: dict[str, _Node] = {}
        self._plies: list[str] = []
        self.tried = 0
        before: Canonical | None = None
        for frame in frames(patience, start, entries):
            now = self._node(frame.position)
            if frame.entry is not None and frame.entry not in META and before is not None:
                self._join(before, frame.entry, now)
            self._plies.append(now.key)
            before = now
        for key, verdict in (known or {}).items():
            if key in self._nodes:
                line = verdict.line and self._nodes[key].canonical.from_canonical(verdict.line)
                self._learn(key, replace(verdict, line=line))
                self._nodes[key].tried_ms = verdict.spent_ms if verdict.kind == "unknown" else 0

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the game's positions, each once, in order of the first ply."""
        return tuple(dict.fromkeys(self._plies))

    def progress(self) -> Progress:
        nodes = [self._nodes[key] for key in self._plies]
        return Progress(
            "".join([node.mark for node in nodes]),
            tuple([node.to_go for node in nodes]),
            self.line(0),
            self.tried,
        )

    def run(self, search: Search, budget_ms: int, clock: Callable[[], int]) -> Iterator[Progress]:
        """Searches until all is settled or the budget (ms, as the clock) is spent; yields what is known."""
        until = clock() + budget_ms
        yield self.progress()
        for round_ms in ROUNDS_MS:
            for key in self._in_halves():
                node = self._nodes[key]
                if node.mark != OPEN or node.tried_ms >= 0.9 * round_ms:
                    continue
                left = until - clock()
                if left < LEAST_MS:
                    return
                verdict = search(node.position, min(round_ms, left))
                if verdict.reason == "stopped":
                    return
                node.tried_ms = round_ms
                self.tried += 1
                self._learn(key, verdict)
                yield self.progress()

    def line(self, ply: int) -> tuple[str, ...]:
        """The best line known from a ply, put together of all that was found; empty if there is none."""
        node = self._nodes[self._plies[ply]]
        position, line = node.position, []
        while node.best is not None:
            move, then = node.best
            (own,) = canonical(self._patience, position).from_canonical([move])
            line.append(own)
            position = self._patience.play(position, own).position
            node = self._nodes[then]
        return tuple(line)

    def last_winnable(self) -> tuple[str, Verdict] | None:
        """The key of the last ply from which the game could be won, and that it can, by its best line.

        None if there is none, or if that is the win itself.
        """
        won = [ply for ply, key in enumerate(self._plies) if self._nodes[key].mark == WON]
        if not won or not (line := self.line(won[-1])):
            return None
        one = self._nodes[self._plies[won[-1]]].canonical
        return one.key, Verdict("solved", line=one.to_canonical(line))

    def _node(self, position: Position) -> Canonical:
        found = canonical(self._patience, position)
        if found.key not in self._nodes:
            node = self._nodes[found.key] = _Node(position, found)
            match self._patience.outcome(position).status:
                case "won":
                    node.mark, node.to_go = WON, 0
                case "lost":
                    node.mark = LOST
        return found

    def _join(self, before: Canonical, move: str, after: Canonical) -> None:
        """A legal move leads from one node to another."""
        (move,) = before.to_canonical([move])
        self._nodes[before.key].after.add(after.key)
        self._nodes[after.key].before.setdefault(before.key, move)
        if self._nodes[after.key].to_go is not None:
            self._carry_won(after.key)
        if self._nodes[before.key].mark == LOST:
            self._carry_lost(before.key)

    def _learn(self, key: str, verdict: Verdict) -> None:
        node = self._nodes[key]
        if verdict.kind == "unsolvable" and node.mark == OPEN:
            node.mark = LOST
            self._carry_lost(key)
        if verdict.kind == "solved" and verdict.line is not None:
            position, before = node.position, node.canonical
            for move in verdict.line:
                position = self._patience.play(position, move).position
                after = self._node(position)
                self._join(before, move, after)
                before = after

    def _carry_won(self, key: str) -> None:
        """What leads to a won node is won, by a line one move longer, unless a shorter one is known."""
        waiting = [key]
        while waiting:
            at = waiting.pop()
            to_go = self._nodes[at].to_go
            assert to_go is not None
            for before, move in self._nodes[at].before.items():
                node = self._nodes[before]
                if node.to_go is None or node.to_go > to_go + 1:
                    node.mark, node.to_go, node.best = WON, to_go + 1, (move, at)
                    waiting.append(before)

    def _carry_lost(self, key: str) -> None:
        waiting = [key]
        while waiting:
            for after in self._nodes[waiting.pop()].after:
                if self._nodes[after].mark == OPEN:
                    self._nodes[after].mark = LOST
                    waiting.append(after)

    def _in_halves(self) -> Iterator[str]:
        """The game's positions, each once: the last, the middle, the quarters, and so on."""
        keys = self.keys
        yield keys[-1]
        step = 1 << (len(keys) - 1).bit_length()
        while step > 1:
            yield from keys[step // 2 : -1 : step]
            step //= 2
        if len(keys) > 1:
            yield keys[0]
