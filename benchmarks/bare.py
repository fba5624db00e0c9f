"""The endpoint that a move is measured against: what any such endpoint must do, and nothing else.

A form is parsed, one row updated and one inserted in one transaction by plain sqlite3 (WAL, synchronous
FULL), and as many bytes are answered from a template. Settings come from the environment: BARE_FOLDER, and
BARE_SIZES, for instance ``html:2900,json:4100``.
"""

import os
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment

from app.db.sqlite import sqlite_module

ROW = 100
TEMPLATE = """{% for card in cards %}<button class="card {{ card }}" name="move" value="{{ card }}" \
aria-label="{{ card }}">{{ card }}</button>
{% endfor %}{{ rest }}"""

sizes = {name: int(size) for name, size in (part.split(":") for part in os.environ["BARE_SIZES"].split(","))}
database = sqlite_module().connect(Path(os.environ["BARE_FOLDER"]) / "bare.db", isolation_level=None)
database.execute("PRAGMA journal_mode=WAL")
database.execute("PRAGMA synchronous=FULL")
database.execute("CREATE TABLE games (id TEXT PRIMARY KEY, ply INTEGER, head TEXT) WITHOUT ROWID")
database.execute(
    "CREATE TABLE log (game TEXT, ply INTEGER, text TEXT, PRIMARY KEY (game, ply)) WITHOUT ROWID"
)
template = Environment(autoescape=True).from_string(TEMPLATE)
app = FastAPI(openapi_url=None)


@app.get("/healthz")
async def alive() -> dict[str, str]:
    return {}


@app.post("/games/{game}")
async def new(game: str) -> dict[str, str]:
    database.execute("INSERT INTO games VALUES (?, 0, ?)", (game, "x" * 300))
    return {}


@app.post("/games/{game}/{kind}")
async def move(request: Request, game: str, kind: str) -> HTMLResponse:
    form = await request.form()
    ply, text = int(str(form["ply"])), str(form["move"])
    database.execute("BEGIN IMMEDIATE")
    head = "y" * 300
    database.execute("UPDATE games SET ply = ?, head = ? WHERE id = ?", (ply + 1, head, game))
    database.execute("INSERT INTO log VALUES (?, ?, ?)", (game, ply + 1, text))
    database.execute("COMMIT")
    size = sizes[kind]
    cards = [f"C{number:02}" for number in range(size // ROW)]
    return HTMLResponse(template.render(cards=cards, rest="." * (size % ROW)))
