"""The templates' environment."""

import hashlib
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.i18n import templates as words
from app.settings import resource


def environment() -> Environment:
    """An environment for an application. While it runs, no template is looked for twice.

    Everything is escaped, whatever a template is called. Words, names and numbers come from ``app.i18n``;
    ``static("css/board.css")`` is the address of a static file.
    """
    env = Environment(
        loader=FileSystemLoader(resource("templates")),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words.install(env)
    env.globals["static"] = static
    return env


@cache
def static(path: str) -> str:
    """The address of a file in static/, which changes with its content, so that it may be kept for ever."""
    digest = hashlib.sha256((resource("static") / path).read_bytes()).hexdigest()
    return f"/static/{path}?v={digest[:10]}"
