"""The solver's commands: ``spindel solve | bench solver | perft | crown``."""

import lzma
import multiprocessing
import re
import signal
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cards.dealcode import NumberedCode
from app.cards.numbered import MOST_PYSOL
from app.cli_shared import AsJson, BadInput, Failure, emit, read_deal
from app.patience import registry
from app.patience.deals import Deal, deal_of, seed_deal
from app.solver import api
from app.solver.api import Budget, Solved, Unknown, Unsolvable, Verdict

if TYPE_CHECKING:
    from rich.progress import Progress

commands = typer.Typer(rich_markup_mode=None)
bench = typer.Typer(rich_markup_mode=None, help="Measure a part of the program.")
commands.add_typer(bench, name="bench")

Suits = Annotated[int, typer.Option(help="Suits in the pack: 1, 2 or 4.")]
Seconds = Annotated[float, typer.Option(min=0.01, max=86_400, help="What the search may take.")]
#: that one command solves
MOST_DEALS = 1_000_000
#: a file of lines that `xz` has packed
PACKED = ".xz"
_NUMBER = re.compile("[1-9][0-9]{0,19}")
#: what a run that was ended in the middle of writing leaves
_CUT_SHORT = re.compile(r"[1-9][0-9]{0,19}(\t[ -~]*)?")
Jobs = Annotated[int, typer.Option(min=1, max=256, help="Processes that search at the same time.")]


@commands.command()
def solve(
    code: Annotated[str, typer.Argument(help="A deal code, or - for a layout document.")],
    seconds: Seconds = 10.0,
    shortest: Annotated[bool, typer.Option(help="Spend all of the time on shortening the line.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Another seed looks in another order.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Find out whether a deal can be won, and how."""
    deal = read_deal(code)
    with _told():
        api.warm()
        verdict = api.solve(deal.patience, deal.start, Budget(seconds=seconds, seed=seed, shortest=shortest))
    document = {"code": deal.code, **_document(verdict)}
    words = {"solved": "can be won", "unsolvable": "cannot be won", "unknown": "not found out"}
    reason = f" ({document['reason']})" if document["reason"] else ""
    text = f"{deal.code}: {words[document['verdict']]}{reason}"
    if document["moves"]:
        text += f", in {len(document['moves'])}:\n{' '.join(document['moves'])}"
    emit(document, text, as_json)


@bench.command("solver")
def bench_solver(
    suits: Suits = 4,
    first_seed: Annotated[int, typer.Option(min=0, help="The first of the seeds.")] = 1,
    deals: Annotated[int, typer.Option(min=1, max=MOST_DEALS, help="How many deals.")] = 100,
    seconds: Seconds = 10.0,
    jobs: Jobs = 1,
    shortest: Annotated[bool, typer.Option(help="Use the whole time for a short line.")] = False,
    as_json: AsJson = False,
) -> None:
    """Solve a block of deals, and tell how many, how quickly and in how many moves."""
    if suits not in (1, 2, 4):
        raise BadInput("Spider is played with 1, 2 or 4 suits")
    if first_seed + deals > 1 << 64:
        raise BadInput("the seeds go to 18446744073709551615")
    tasks = [_Task(("seed", suits, first_seed + n), seconds, shortest=shortest) for n in range(deals)]
    results = sorted(_run(tasks, jobs, "Solving"), key=lambda result: int(result["seed"]))
    document = _summary(results)
    text = (
        f"{document['solved']} solved, {document['unsolvable']} unsolvable, {document['unknown']} unknown "
        f"of {deals}; median {document['median_s']:.3f} s, 95 % within {document['p95_s']:.3f} s, "
        f"longest {document['max_s']:.3f} s; {document['median_moves']} moves in the median, "
        f"{document['mean_moves']} on average"
    )
    emit(document, text, as_json)


@commands.command()
def perft(
    code: Annotated[str, typer.Argument(help="A deal code.")],
    depth: Annotated[int, typer.Option(min=0, max=8, help="How many moves deep.")] = 2,
    as_json: AsJson = False,
) -> None:
    """Count the lines of so many moves, by the rules and by the kernel: the two must agree."""
    from app.solver.perft import by_kernel, by_rules, has_kernel

    deal = read_deal(code)
    if not has_kernel(deal.patience):
        raise BadInput("only Spider that collects at once is counted: no other rules are compiled too")
    counts = {"rules": by_rules(deal.patience, deal.start, depth), "kernel": by_kernel(deal, depth)}
    if counts["rules"] != counts["kernel"]:
        raise Failure(f"the rules count {counts['rules']} lines, the kernel {counts['kernel']}")
    emit({"code": deal.code, "depth": depth, "lines": counts["rules"]}, f"{counts['rules']}", as_json)


@commands.command()
def crown(
    lines: Annotated[Path, typer.Argument(help="The file of lines: read first, then added to.")],
    known: Annotated[list[Path] | None, typer.Option(help="Files with lines found before.")] = None,
    first: Annotated[int, typer.Option(min=1, help="First of PySolFC's numbers.")] = 1,
    last: Annotated[int, typer.Option(min=1, help="Last of them.")] = 32_000,
    suits: Suits = 4,
    only: Annotated[list[int] | None, typer.Option(min=1, help="Just these numbers.")] = None,
    seconds: Seconds = 60.0,
    nodes: Annotated[int | None, typer.Option(min=1, help="Positions to look at, in place of time.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed looks in another order.")] = 0,
    jobs: Jobs = 1,
    check: Annotated[bool, typer.Option(help="Search nothing: replay every line of the file.")] = False,
    show: Annotated[int | None, typer.Option(help="Search nothing: print the moves of this number.")] = None,
    as_json: AsJson = False,
) -> None:
    """Solve PySolFC's numbered deals, one line of the file for each; what is there already is left alone.

    A line holds the number, a tab, and the moves set apart by spaces; --show prints those of one number as
    ``spindel replay`` reads them. Several machines may each run a block of numbers; their files are put
    together by cat. A file packed by xz (FILE.xz) can be read, not added to.
    """
    if suits not in (1, 2, 4):
        raise BadInput("Spider is played with 1, 2 or 4 suits")
    if max([last, *(only or ())]) > MOST_PYSOL:
        raise BadInput(f"PySolFC's numbers go to {MOST_PYSOL}")
    if not only and last - first >= MOST_DEALS:
        raise BadInput(f"one command solves {MOST_DEALS} deals at most: choose by --first and --last")
    reads_only = check or show is not None
    found = _read_lines(lines) if reads_only or lines.exists() else {}
    if show is not None:
        if show not in found:
            raise BadInput(f"{lines} has no line for {show}")
        typer.echo("\n".join(found[show]))
        return
    if check:
        _check(suits, found, jobs, as_json)
        return
    if lines.suffix == PACKED:
        raise BadInput(f"{lines} is packed: name it with --known, and add to another file")
    for path in known or ():
        found |= _read_lines(path)
    wanted = sorted(set(only)) if only else list(range(first, last + 1))
    most = None if nodes else seconds
    tasks = [
        _Task(("pysol", suits, number), most, nodes=nodes, seed=seed)
        for number in wanted
        if number not in found
    ]
    left = []
    _cut_to_whole_lines(lines)
    with lines.open("a", encoding="ascii", newline="\n") as file:
        for result in _run(tasks, jobs, "Solving"):
            if result["verdict"] == "solved":
                file.write(f"{result['seed']}\t{' '.join(result['moves'])}\n")
                file.flush()
            else:
                left.append(
                    {"number": result["seed"], "verdict": result["verdict"], "reason": result["reason"]}
                )
    left.sort(key=lambda one: int(str(one["number"])))
    solved = len(wanted) - len(left)
    document = {"wanted": len(wanted), "solved": solved, "left": left}
    numbers = " ".join(str(one["number"]) for one in left)
    emit(document, f"{solved} of {len(wanted)} have a line; left over: {numbers or 'none'}", as_json)


def _check(suits: int, lines: dict[int, tuple[str, ...]], jobs: int, as_json: bool) -> None:
    """Replay every line by the rules, and name those that do not win."""
    tasks = [(suits, number, moves) for number, moves in sorted(lines.items())]
    bad = []
    with _told() as progress, _processes(jobs, searching=False) as pool:
        won = pool.map(_wins, *zip(*tasks, strict=True), chunksize=20)
        for (_, number, _), wins in zip(progress.track(tasks, description="Replaying"), won, strict=True):
            if not wins:
                bad.append(number)
    emit({"lines": len(lines), "bad": bad}, f"{len(lines)} lines, {len(bad)} bad: {bad}", as_json)
    raise typer.Exit(1 if bad else 0)


def _read_lines(path: Path) -> dict[int, tuple[str, ...]]:
    """A file's lines by number; a last line that was cut short is none. Raises BadInput."""
    known: dict[int, tuple[str, ...]] = {}
    try:
        raw = path.read_bytes()
        whole, _, last = (
            (lzma.decompress(raw) if path.suffix == PACKED else raw).decode("ascii").rpartition("\n")
        )
    except (OSError, UnicodeDecodeError, lzma.LZMAError, EOFError) as error:
        raise BadInput(f"{path} cannot be used: {getattr(error, 'strerror', None) or error}") from None
    if last and not _CUT_SHORT.fullmatch(last):  # it may be somebody's only copy of something else
        raise BadInput(f"the last line of {path} is not the beginning of a number and moves")
    for at, text in enumerate(whole.splitlines(), 1):
        number, tab, moves = text.partition("\t")
        if not (tab and _NUMBER.fullmatch(number) and moves):
            raise BadInput(f"line {at} of {path} holds no number and moves")
        known[int(number)] = tuple(moves.split(" "))
    return known


def _cut_to_whole_lines(path: Path) -> None:
    """Make the file if need be, and take off a last line that was cut short: it is found again."""
    try:
        with path.open("ab+") as file:
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be used: {error.strerror}") from None


def _wins(suits: int, number: int, moves: Iterable[str]) -> bool:
    deal = _numbered(suits, number)
    position = deal.start
    try:
        for move in moves:
            position = deal.patience.play(position, move).position
    except ValueError:
        return False
    return deal.patience.outcome(position).status == "won"


# The work, in this process or in others


@dataclass(frozen=True, slots=True)
class _Task:
    deal: tuple[str, int, int]  # "seed" or "pysol", suits, number
    seconds: float | None
    nodes: int | None = None
    shortest: bool = False
    seed: int = 0


def _run(tasks: list[_Task], jobs: int, what: str) -> Iterator[dict[str, Any]]:
    """Every task's result, in the order of their ending, with progress on standard error."""
    with _told() as progress:
        bar = progress.add_task(what, total=len(tasks))
        if jobs == 1:
            api.warm()
            for task in tasks:
                yield _do(task)
                progress.advance(bar)
            return
        with _processes(jobs) as pool:
            for done in as_completed([pool.submit(_do, task) for task in tasks]):
                yield done.result()
                progress.advance(bar)


@contextmanager
def _processes(jobs: int, *, searching: bool = True) -> Iterator[ProcessPoolExecutor]:
    """Processes that work at the same time. When that is broken off they are ended in the middle of it."""
    pool = ProcessPoolExecutor(jobs, initializer=_begin, initargs=(searching,))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown()


def _begin(searching: bool) -> None:
    # Ctrl-C goes to every process of a terminal; the first one hears it, and ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if searching:
        api.warm()


def _do(task: _Task) -> dict[str, Any]:
    kind, suits, number = task.deal
    deal = _numbered(suits, number) if kind == "pysol" else _seeded(suits, number)
    budget = Budget(task.seconds, task.nodes, task.seed, task.shortest)
    verdict = api.solve(deal.patience, deal.start, budget)
    return {"seed": number, "code": deal.code, **_document(verdict)}


def _seeded(suits: int, seed: int) -> Deal:
    return seed_deal(registry.get("spider", {"suits": suits}), seed)


def _numbered(suits: int, number: int) -> Deal:
    return deal_of(str(NumberedCode(f"spider{suits}", "pysol", number)))


def _document(verdict: Verdict) -> dict[str, Any]:
    """The verdict in the words of the contract."""
    match verdict:
        case Solved():
            word, reason, moves = "solved", None, list(verdict.line)
        case Unsolvable():
            word, reason, moves = "unsolvable", verdict.reason, []
        case Unknown():
            word, reason, moves = "unknown", verdict.out_of, []
    return {
        "verdict": word,
        "reason": reason,
        "moves": moves,
        "seconds": round(verdict.seconds, 4),
        "nodes": verdict.nodes,
    }


def _summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    seconds = sorted(result["seconds"] for result in results)
    moves = [len(result["moves"]) for result in results if result["verdict"] == "solved"]
    count = {word: sum(r["verdict"] == word for r in results) for word in ("solved", "unsolvable", "unknown")}
    return {
        "deals": len(results),
        **count,
        "median_s": median(seconds),
        "p95_s": seconds[min(len(seconds) - 1, int(0.95 * len(seconds)))],
        "max_s": seconds[-1],
        "median_moves": median(moves) if moves else None,
        "mean_moves": round(fmean(moves), 1) if moves else None,
        "results": [
            {
                "seed": result["seed"],
                "code": result["code"],
                "verdict": result["verdict"],
                "seconds": result["seconds"],
                "moves": len(result["moves"]) if result["verdict"] == "solved" else None,
            }
            for result in results
        ],
    }


def _told() -> "Progress":
    """A progress bar on standard error, drawn only where somebody looks."""
    # Here, so that a server that starts need not load it.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    )
