"""The templates' environment, and pages made with it."""

import hashlib
from functools import cache, lru_cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from app.i18n import templates as words
from app.players.preferences import Preferences
from app.settings import resource
from app.web import deps

_CLASSES = {
    ("left_handed", "yes"): "left",
    ("clock", "hidden"): "noclock",
    ("double_tap", "off"): "single",
    ("four_colour", "yes"): "four",
    ("faces", "full"): "full",
    ("faces", "compact"): "compact",
    ("animation", "fast"): "fast",
    ("animation", "slow"): "slow",
    ("animation", "off"): "still",
    ("light", "light"): "light",
    ("light", "dark"): "dark",
    ("felt", "blue"): "felt-blue",
    ("felt", "wine"): "felt-wine",
    ("felt", "slate"): "felt-slate",
}


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
    # What the board's parts ask for and most pages leave out: they show cards, and are not played on.
    env.globals.update(static=static, live=False, oob="", ns="", lay=None)
    return env


@cache
def static(path: str) -> str:
    """The address of a file in static/, which changes with its content, so that it may be kept for ever."""
    digest = hashlib.sha256((resource("static") / path).read_bytes()).hexdigest()
    return f"/static/{path}?v={digest[:10]}"


def page(request: Request, template: str, status: int = 200, **context: object) -> HTMLResponse:
    """A whole page, with the looks that the one who asks prefers."""
    player, look = deps.player_of(request), deps.preferences_of(request)
    env: Environment = request.app.state.templates
    html = env.get_template(template).render(
        look=look,
        classes=classes(look),
        path=request.url.path,
        player_name=player.name if player else None,
        player_id=player.id if player else None,
        **context,
    )
    return HTMLResponse(html, status)


@lru_cache(maxsize=256)
def classes(look: Preferences) -> str:
    """The classes of the root element that give a page its looks."""
    chosen = look.chosen().items()
    return " ".join([_CLASSES[choice] for choice in chosen if choice in _CLASSES])
