"""The command line: ``spindel serve | migrate | deal | replay | ...``.

With ``--json`` a command prints one JSON document on standard output; what goes wrong is one line on standard
error. Exit status: 0 done, 2 bad input, 1 failure.
"""

import os
import socket
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, NoReturn

import typer

from app import __version__, logs
from app.cards.shuffle import fresh_seed
from app.cli_shared import (
    AsJson,
    BadInput,
    Failure,
    bad_input,
    bring_up_to_date,
    emit,
    read_deal,
    read_settings,
    read_text,
    whole_number,
)
from app.i18n import reasons
from app.patience import registry
from app.patience.deals import Deal, deal_of, seed_deal
from app.patience.errors import BadLog
from app.patience.patience import Params
from app.patience.replay import Frame, frames
from app.patience.scoring import score
from app.settings import VENDORED, Settings, resource

app = typer.Typer(
    name="spindel",
    help="Play patience: serve the site, and work with deals and games from the command line.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> NoReturn:
    """What the program ``spindel`` runs: the commands, with every mistake told in one line."""
    logs.configure("WARNING")
    try:
        status = app(standalone_mode=False, prog_name="spindel")
    except BadInput as error:
        _complain(str(error), 2)
    except Failure as error:
        _complain(str(error), 1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone; there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""  # else a stream, as a full disk's
        _complain(f"{place}{error.strerror or error}", 1)
    except Exception as error:
        message = getattr(error, "format_message", None)  # every error of Typer's own has one
        if message is None:
            raise
        _complain(message(), 2)
    sys.exit(status if isinstance(status, int) else 0)


def _complain(message: str, status: int) -> NoReturn:
    print(f"spindel: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201
    sys.exit(status)


# Serving


@app.command("serve")
def serve_command(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes any free one.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that answer.")] = 1,
) -> None:
    """Bring the database up to date and serve the site."""
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    settings = read_settings(**given)
    if workers > 1 and settings.is_sqlite:
        raise BadInput(
            f"--workers {workers} needs a database server: set SPINDEL_DATABASE_URL to a PostgreSQL address "
            "(and SPINDEL_REDIS_URL); SQLite serves one worker"
        )
    if workers > 1 and os.name == "nt":
        raise BadInput(
            "--workers needs a system whose processes can share a socket; Windows serves one worker"
        )
    logs.configure(settings.log_level, as_json=settings.log_json)
    _check_files()
    with _listen(settings) as listener:
        settings = read_settings(**{**given, "port": listener.getsockname()[1]})
        bring_up_to_date(settings)
        _serve(settings, listener, workers)


def _serve(settings: Settings, listener: socket.socket, workers: int) -> None:
    from app.serving import Workers, serve

    def begun() -> None:
        typer.echo(f"Spindel {__version__} is served at {settings.public_url} (Ctrl+C stops it)")

    if workers == 1:
        serve(settings, listener, begun)
    elif not Workers(settings, listener, workers).run(begun):
        raise Failure("a worker ended before it could serve; its last lines say why")


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise Failure(
            f"cannot listen on {settings.host}, port {settings.port}: {error.strerror}; "
            "choose another by --host and --port (make run HOST=... PORT=...)"
        ) from None
    listener.set_inheritable(True)
    return listener


def _check_files() -> None:
    missing = [name for name in VENDORED if not (resource("static") / name).is_file()]
    if missing:
        raise Failure(f"static/{missing[0]} is missing: run `make setup`, which fetches it")


@app.command("migrate")
def migrate_command(
    to: Annotated[str, typer.Option(help="Revision to go to; an older one takes columns away.")] = "head",
    as_json: AsJson = False,
) -> None:
    """Bring the database to this version's form; a copy is set aside first."""
    done = bring_up_to_date(read_settings(), to)
    copy = str(done.copy) if done.copy else None
    document = {"before": done.before, "after": done.after, "copy": copy}
    words = (
        f"from {done.before or 'nothing'} to {done.after or 'nothing'}" if done.changed else "nothing to do"
    )
    emit(document, f"{words}; a copy is at {copy}" if copy else words, as_json)


# Deals and games


@app.command()
def deal(
    code: Annotated[str | None, typer.Argument(help="A deal code, or - for a layout document.")] = None,
    patience: Annotated[str | None, typer.Option(help="Key of the patience; else spider.")] = None,
    suits: Annotated[int | None, typer.Option(parser=whole_number, help="Suits in the pack.")] = None,
    seed: Annotated[
        int | None, typer.Option(parser=whole_number, help="0 to 18446744073709551615; else a fresh one.")
    ] = None,
    param: Annotated[list[str] | None, typer.Option(help="A parameter of the patience, NAME=VALUE.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a deal: by its code, by a seed, or by a layout document on standard input."""
    if code is not None:
        if any(given is not None for given in (patience, suits, seed)) or param:
            raise BadInput(
                "a code or a document says all: --patience, --suits, --seed and --param do not go with it"
            )
        found = read_deal(code)
    else:
        params = _params(suits, param or [])
        found = _seeded(patience or "spider", params, fresh_seed() if seed is None else seed)
    emit(deal_document(found), _drawn(found), as_json)


def _params(suits: int | None, texts: list[str]) -> Params:
    params: dict[str, int | str] = {} if suits is None else {"suits": suits}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadInput("a parameter is written NAME=VALUE")
        if name in params:
            raise BadInput(f"the parameter {name} is given twice")
        params[name] = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else value
    return params


def _seeded(key: str, params: Params, seed: int) -> Deal:
    if seed >= 1 << 64:
        raise BadInput("a seed is a number from 0 to 18446744073709551615")
    with bad_input():
        return seed_deal(registry.get(key, params), seed)


def deal_document(found: Deal) -> dict[str, Any]:
    """The deal as the contract's document: code, patience, params and layout."""
    patience = found.patience
    return {
        "code": found.code,
        "patience": patience.key,
        "params": dict(patience.params),
        "layout": patience.to_layout(found.start),
    }


def _drawn(found: Deal) -> str:
    """The code, then a line for each pile: face-down cards in brackets, the end of the pile last."""
    lines = [found.code]
    for spec, pile in zip(found.patience.piles, found.start.piles, strict=True):
        names = [card.text for card in pile.cards]
        hidden = [f"[{name}]" for name in names[: pile.face_down]]
        lines.append(f"{spec.id:>10}  {' '.join([*hidden, *names[pile.face_down :]])}".rstrip())
    return "\n".join(lines)


@app.command()
def replay(
    code: Annotated[str, typer.Argument(help="The deal code.")],
    moves: Annotated[str, typer.Argument(metavar="MOVES-FILE", help="One log entry a line; - reads them.")],
    as_json: AsJson = False,
) -> None:
    """Play a log on its deal, and tell how far it is legal, whether it wins, and what it scores."""
    with bad_input():
        found = deal_of(code)
    entries = [line.strip() for line in read_text(moves).split("\n") if line.strip()]
    patience, error = found.patience, None
    stages: list[Frame] = []
    try:
        stages.extend(frames(patience, found.start, entries))
    except BadLog as bad:
        error = f"entry {bad.facts['ply']}: {reasons.refusal(bad.reason, bad.facts)}"
    last = stages[-1]
    won = patience.outcome(last.position).status == "won"
    scores = {name: score(name, patience, found.start, last.position, last.ply) for name in patience.scorings}
    document = {"legal": error is None, "won": won, "ply": last.ply, "scores": scores, "error": error}
    told = ", ".join(f"{name} {points}" for name, points in scores.items())
    words = f"{'legal' if error is None else error}; {'won' if won else 'not won'} after {last.ply}; {told}"
    emit(document, words, as_json)


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(f"spindel {__version__}")


for _part in ("app.cli_solver", "app.cli_bank"):
    if find_spec(_part):
        app.add_typer(import_module(_part).commands)


if __name__ == "__main__":
    main()
