"""What all commands share: how input is read, how an answer is printed, how a mistake is told."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from app.i18n import reasons
from app.patience import registry
from app.patience.deals import Deal, deal_of, document_deal
from app.patience.errors import BadLayout, BadParams, PatienceError, UnknownPatience
from app.settings import Settings

MAX_DOCUMENT = 1 << 20
"""Largest layout document or log that is read, in bytes."""

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


class BadInput(Exception):
    """Input that cannot be used; the message is one line for the one who typed it."""


class Failure(Exception):
    """Something outside the input failed; the message is one line."""


def whole_number(text: str) -> int:
    """A number as people write it, in digits alone. Raises typer.BadParameter."""
    if not re.fullmatch("[0-9]{1,20}", text):
        raise typer.BadParameter("a whole number is wanted, in digits")
    return int(text)


def read_settings(**given: Any) -> Settings:
    """The settings of the environment, but for those given. Raises BadInput."""
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]).upper()  # what follows is a place in its value
        raise BadInput(f"the setting SPINDEL_{name} cannot be used: {first['msg']}") from None


def bring_up_to_date(settings: Settings, revision: str = "head") -> Any:
    """Migrate the database, and say what was done. Raises BadInput, Failure."""
    from app.migrate import BadTarget, MigrationError, migrate

    try:
        return migrate(settings, revision)
    except BadTarget as error:
        raise BadInput(str(error)) from None
    except MigrationError as error:
        raise Failure(str(error)) from None


def emit(document: Any, text: str, as_json: bool) -> None:
    """Print the answer: the document as one line of JSON, or the text for people. Raises Failure."""
    if sys.stdout is None:
        raise Failure("there is no standard output to write the answer to")
    typer.echo(json.dumps(document, ensure_ascii=False) if as_json else text)


def read_deal(code: str) -> Deal:
    """The deal of a code, or, for ``-``, of the layout document on standard input. Raises BadInput."""
    if code != "-":
        with bad_input():
            return deal_of(code)
    try:
        document = json.loads(read_text("-"))
    except (ValueError, RecursionError):
        raise BadInput("standard input holds no JSON document") from None
    with bad_input():
        return document_deal(document)


@contextmanager
def bad_input() -> Iterator[None]:
    """Turn the errors of deals and rules into BadInput, in words."""
    try:
        yield
    except UnknownPatience:
        raise BadInput(f"no such patience; there are: {', '.join(registry.keys())}") from None
    except BadParams as error:
        name = error.facts["name"]
        said = "the patience has no such parameter" if name == "?" else f"{name} cannot have that value"
        raise BadInput(said) from None
    except BadLayout as error:
        raise BadInput(reasons.bad_layout(error.reason, error.facts)) from None
    except PatienceError as error:
        raise BadInput(reasons.refusal(error.reason, error.facts)) from None
    except ValueError as error:
        raise BadInput(reasons.bad_deal(getattr(error, "reason", "malformed"))) from None


def read_text(name: str) -> str:
    """The text of a file, or of standard input for ``-``."""
    try:
        if name == "-":
            if sys.stdin is None:
                raise BadInput("there is no standard input to read")
            raw = sys.stdin.buffer.read(MAX_DOCUMENT + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(MAX_DOCUMENT + 1)
    except (OSError, ValueError) as error:
        raise BadInput(f"{name!r} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(raw) > MAX_DOCUMENT:
        raise BadInput(f"the input is longer than {MAX_DOCUMENT} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("the input is not UTF-8 text") from None
