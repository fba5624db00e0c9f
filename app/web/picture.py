"""The preview picture of a deal's link, 1200 x 630: its opening as a player sees it, drawn with Pillow."""

import io
from collections.abc import Sequence
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from app.cards.card import Card
from app.games.game import deal_of
from app.i18n import using
from app.i18n.cards import card_index
from app.i18n.names import game_name
from app.patience.view import PileView, view
from app.web.presentation import Look, look_of

WIDTH, HEIGHT = 1200, 630
SCALE = 2  # drawn larger and made smaller: Pillow's shapes have hard edges
CARD_WIDTH, CARD_HEIGHT, GAP, LEFT, TOP = 94, 134, 14, 66, 150
DOWN, UP = 20, 44
ROOM = HEIGHT - TOP - CARD_HEIGHT - 84  # for all but the last card of a column
FELT, EDGE, PAPER, BACK, LINE, GOLD = "#2a7a56", "#14442f", "#fffdf7", "#23406a", "#8fb0d8", "#e9b949"
INK = {"S": "#16202c", "C": "#16202c", "H": "#c31f33", "D": "#c31f33"}
LONGEST_CODE = 40

Draw = ImageDraw.ImageDraw


@lru_cache(maxsize=128)
def png(code: str) -> bytes:
    """The picture of a canonical deal code, as PNG. Raises ``BadDealCode``."""
    deal = deal_of(code)
    image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), FELT)
    draw = ImageDraw.Draw(image)
    _box(draw, 0, 0, WIDTH, 104, EDGE)
    _text(draw, LEFT, 26, "Spindel", 46, "#fff")
    with using("en"):  # one picture for all: previews are fetched by machines
        _text(draw, LEFT + 220, 36, game_name(deal.patience.key, deal.patience.params), 34, GOLD)
        look, piles = look_of(deal.patience), view(deal.patience, deal.start).piles
        if look.columns:
            for number, pile in enumerate(pile for pile in piles if pile.role == "tableau"):
                _column(draw, LEFT + number * (CARD_WIDTH + GAP), pile)
        else:
            _lines(draw, look, piles)
    if len(code) <= LONGEST_CODE:
        _text(draw, LEFT, HEIGHT - 62, code, 34, "#fff")
    small = image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    small.quantize(96).save(file, "PNG", optimize=True)
    return file.getvalue()


def _lines(draw: Draw, look: Look, piles: Sequence[PileView]) -> None:
    """The tableau line by line, overlapping as far as there is no room for whole lines."""
    tableau = [pile for pile in piles if pile.role == "tableau"]
    lines = [
        line[at : at + look.wide] for line in look.arranged(tableau) for at in range(0, len(line), look.wide)
    ]
    lines = [line for line in lines if line]
    pitch = min(CARD_HEIGHT + GAP, (HEIGHT - TOP - CARD_HEIGHT - 76) / max(len(lines) - 1, 1))
    step = min(CARD_WIDTH + GAP, (WIDTH - 2 * GAP - CARD_WIDTH) / max(look.wide - 1, 1))
    for number, line in enumerate(lines):
        left = (WIDTH - CARD_WIDTH - step * (len(line) - 1)) / 2
        for at, pile in enumerate(line):
            x, y = left + at * step, TOP - 24 + number * pitch
            if pile.cards:
                _face(draw, x, y, pile.cards[-1])
            elif pile.count:
                _back(draw, x, y)


def _column(draw: Draw, x: int, pile: PileView) -> None:
    long = DOWN * pile.face_down + UP * max(0, len(pile.cards) - 1)
    tight = min(1, ROOM / long) if long else 1
    y: float = TOP
    for _ in range(pile.face_down):
        _back(draw, x, y)
        y += DOWN * tight
    for card in pile.cards:
        _face(draw, x, y, card)
        y += UP * tight


def _back(draw: Draw, x: float, y: float) -> None:
    _box(draw, x, y, CARD_WIDTH, CARD_HEIGHT, PAPER, 8, "#b9b4a6")
    _box(draw, x + 5, y + 5, CARD_WIDTH - 10, CARD_HEIGHT - 10, BACK, 6)
    for step in range(0, CARD_WIDTH - 22, 12):
        _line(draw, x + 11 + step, y + 9, x + 17 + step, y + 17, LINE)
        _line(draw, x + 17 + step, y + 17, x + 23 + step, y + 9, LINE)


def _face(draw: Draw, x: float, y: float, card: Card) -> None:
    _box(draw, x, y, CARD_WIDTH, CARD_HEIGHT, PAPER, 8, "#b9b4a6")
    ink = INK[card.suit]
    _text(draw, x + 8, y + 4, card_index(card.text), 38, ink)
    _sign(draw, x + CARD_WIDTH - 36, y + 10, 28, card.suit)
    _sign(draw, x + CARD_WIDTH / 2 - 26, y + 64, 52, card.suit)


def _sign(draw: Draw, x: float, y: float, size: float, suit: str) -> None:
    """A suit's sign in a square."""
    ink = INK[suit]

    def disc(cx: float, cy: float, r: float) -> None:
        draw.ellipse(_ellipse(x, y, size, cx, cy, r), fill=ink)

    def shape(*points: tuple[float, float]) -> None:
        draw.polygon([(SCALE * (x + size * px), SCALE * (y + size * py)) for px, py in points], fill=ink)

    match suit:
        case "D":
            shape((0.5, 0), (0.86, 0.5), (0.5, 1), (0.14, 0.5))
        case "H":
            disc(0.27, 0.3, 0.25)
            disc(0.73, 0.3, 0.25)
            shape((0.07, 0.44), (0.5, 0.98), (0.93, 0.44), (0.73, 0.3), (0.27, 0.3))
        case "S":
            disc(0.27, 0.6, 0.24)
            disc(0.73, 0.6, 0.24)
            shape((0.07, 0.47), (0.5, 0), (0.93, 0.47), (0.73, 0.62), (0.27, 0.62))
            shape((0.5, 0.5), (0.66, 1), (0.34, 1))
        case _:
            disc(0.5, 0.23, 0.22)
            disc(0.25, 0.58, 0.22)
            disc(0.75, 0.58, 0.22)
            shape((0.4, 0.3), (0.6, 0.3), (0.56, 0.6), (0.66, 1), (0.34, 1), (0.44, 0.6))


def _ellipse(
    x: float, y: float, size: float, cx: float, cy: float, r: float
) -> tuple[float, float, float, float]:
    left, top, radius = x + size * cx, y + size * cy, size * r
    return SCALE * (left - radius), SCALE * (top - radius), SCALE * (left + radius), SCALE * (top + radius)


def _box(
    draw: Draw,
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str,
    radius: int = 0,
    line: str | None = None,
) -> None:
    corners = (SCALE * x, SCALE * y, SCALE * (x + width), SCALE * (y + height))
    draw.rounded_rectangle(corners, SCALE * radius, fill=fill, outline=line, width=SCALE)


def _line(draw: Draw, x1: float, y1: float, x2: float, y2: float, fill: str) -> None:
    draw.line((SCALE * x1, SCALE * y1, SCALE * x2, SCALE * y2), fill=fill, width=SCALE)


def _text(draw: Draw, x: float, y: float, text: str, size: int, fill: str) -> None:
    font = ImageFont.load_default(SCALE * size)
    draw.text((SCALE * x, SCALE * y), text, fill=fill, font=font, stroke_width=1, stroke_fill=fill)
