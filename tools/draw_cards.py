"""Draws the card faces in static/cards: `python tools/draw_cards.py`.

For each suit a sheet, thirteen cells of 100 x 140 side by side with the art of ace to king, and the bare sign, which
stands beside the index and fills the compact face. The indices are no part of the art: they are text, because their
letters follow the language. So the top 38 units of a cell stay free for them. Everything here was drawn for Spindel.
"""

from pathlib import Path

OUT = Path(__file__).parent.parent / "static" / "cards"
W, H = 100, 140

SIGNS = {
    "S": '<path id="p" d="M50 3C57 21 93 42 93 67c0 15-11 24-23 24-7 0-13-3-17-10 1 8 5 13 12 16H35c7-3 11-8 12-16-4 7-10'
    ' 10-17 10C18 91 7 82 7 67 7 42 43 21 50 3z"/>',
    "H": '<path id="p" d="M50 95C45 78 6 60 6 32 6 16 17 6 30 6c9 0 16 5 20 14C54 11 61 6 70 6c13 0 24 10 24 26 0 28-39 46-44'
    ' 63z"/>',
    "D": '<path id="p" d="M50 2c8 18 21 36 36 48C71 62 58 80 50 98 42 80 29 62 14 50 29 38 42 20 50 2z"/>',
    "C": '<path id="p" d="M50 4a21 21 0 0 1 17 33 22 22 0 1 1-13 34c1 12 5 20 12 26H34c7-6 11-14 12-26a22 22 0 1 1-13-34A21 21'
    ' 0 0 1 50 4z"/>',
}
# ink, a second cloth, a light tint of the ink for the ground behind a court
COLOURS = {
    "S": ("#16202c", "#34506e", "#e9eef4"),
    "H": ("#c31f33", "#8c1d3f", "#fbeaea"),
    "D": ("#c31f33", "#b4552d", "#fcede4"),
    "C": ("#16202c", "#3c5a4a", "#e9f1ec"),
    "D4": ("#1462b5", "#2b4a86", "#e6f0fb"),
    "C4": ("#16793a", "#2f5a3c", "#e5f4ea"),
}
GOLD, GOLD_DARK, SKIN, SKIN_DARK, LINEN = "#e9b949", "#b98222", "#f3cfae", "#d9a37c", "#fffaf0"
HAIR = {"S": "#4a3526", "H": "#b8742c", "D": "#d8a548", "C": "#2d2420"}

LEFT, MID, RIGHT = 27, 50, 73
# where the signs stand, as (x, y); y below the middle is drawn upside down, as on any pack
PIPS = {
    2: [(MID, 56), (MID, 116)],
    3: [(MID, 54), (MID, 86), (MID, 118)],
    4: [(LEFT, 56), (RIGHT, 56), (LEFT, 116), (RIGHT, 116)],
    5: [(LEFT, 56), (RIGHT, 56), (MID, 86), (LEFT, 116), (RIGHT, 116)],
    6: [(LEFT, 54), (RIGHT, 54), (LEFT, 86), (RIGHT, 86), (LEFT, 118), (RIGHT, 118)],
    7: [(LEFT, 54), (RIGHT, 54), (MID, 70), (LEFT, 86), (RIGHT, 86), (LEFT, 118), (RIGHT, 118)],
    8: [(LEFT, 54), (RIGHT, 54), (MID, 70), (LEFT, 86), (RIGHT, 86), (MID, 102), (LEFT, 118), (RIGHT, 118)],
    9: [(x, y) for y in (51, 74, 98, 121) for x in (LEFT, RIGHT)] + [(MID, 86)],
    10: [(x, y) for y in (51, 74, 98, 121) for x in (LEFT, RIGHT)] + [(MID, 62), (MID, 110)],
}


def sign(x: float, y: float, size: float, *, turned: bool = False, fill: str | None = None) -> str:
    scale = f"{size / 100:g}"
    turn = " rotate(180)" if turned else ""
    paint = f' fill="{fill}"' if fill else ""
    return (
        f'<use href="#p" transform="translate({x:g} {y:g}){turn} scale({scale}) translate(-50 -50)"{paint}/>'
    )


def ace(suit: str) -> str:
    ring = f'<circle cx="50" cy="86" r="40" fill="none" stroke="{COLOURS[suit][0]}" stroke-width=".8" opacity=".35"/>'
    return ring + sign(50, 86, 56)


def pips(rank: int) -> str:
    size = 19 if rank > 8 else 22
    return "".join(sign(x, y, size, turned=y > 90) for x, y in PIPS[rank])


def head() -> str:
    """A face looking straight out, the middle of it at (50, 74)."""
    return (
        f'<path d="M44 82h12v12H44z" fill="{SKIN_DARK}"/>'
        f'<path d="M39 66h22v10c0 8-5 13-11 13s-11-5-11-13z" fill="{SKIN}"/>'
        '<g fill="#33241c"><circle cx="45" cy="74" r="1.3"/><circle cx="55" cy="74" r="1.3"/></g>'
        f'<path d="M50 75l-1.6 4.6h2.8" fill="none" stroke="{SKIN_DARK}" stroke-width="1"/>'
        '<path d="M42.6 71.400q2.4-1.5 4.8 0M52.6 71.400q2.4-1.5 4.8 0" fill="none" stroke="#33241c" stroke-width=".9"/>'
    )


def king(suit: str) -> str:
    ink, cloth, _ = COLOURS[suit]
    hair = HAIR[suit[0]]
    return (
        f'<path d="M36 66h28v18H36z" fill="{hair}"/>'
        f'<path d="M10 133c0-24 14-37 40-37s40 13 40 37z" fill="{ink}"/>'
        f'<path d="M34 98l16 35 16-35z" fill="{cloth}"/>'
        f'<path d="M23 107c6-9 14-14 27-14s21 5 27 14l-8 7c-5-6-11-9-19-9s-14 3-19 9z" fill="{LINEN}"/>'
        f'<g fill="{ink}"><circle cx="31" cy="106" r="1.3"/><circle cx="40" cy="100" r="1.3"/><circle cx="60" cy="100"'
        ' r="1.3"/><circle cx="69" cy="106" r="1.3"/></g>'
        + head()
        + f'<path d="M38 76c0 17 5 24 12 27 7-3 12-10 12-27-2 4-5 5-7 5-2-2-8-2-10 0-2 0-5-1-7-5z" fill="{hair}"/>'
        '<path d="M47 83.500q3 1.8 6 0" fill="none" stroke="#8c3b2e" stroke-width="1.3"/>'
        f'<path d="M35 66l-4-20 11 9 8-14 8 14 11-9-4 20z" fill="{GOLD}"/>'
        f'<path d="M35 61.500h30v5H35z" fill="{GOLD_DARK}"/>'
        f'<g fill="{cloth}"><circle cx="50" cy="58" r="2.3"/><circle cx="41" cy="64" r="1.4"/><circle cx="50" cy="64" r="1.4"/>'
        '<circle cx="59" cy="64" r="1.4"/></g>'
        f'<g fill="{GOLD_DARK}"><circle cx="31" cy="45" r="2.3"/><circle cx="50" cy="40.5" r="2.5"/><circle cx="69" cy="45"'
        ' r="2.3"/></g>' + sign(50, 121, 17, fill=GOLD)
    )


def queen(suit: str) -> str:
    ink, cloth, _ = COLOURS[suit]
    hair = HAIR[suit[0]]
    return (
        f'<path d="M50 56c-15 0-20 10-20 22 0 13-3 20-6 26h52c-3-6-6-13-6-26 0-12-5-22-20-22z" fill="{hair}"/>'
        f'<path d="M12 133c1-19 10-31 28-36l10 5 10-5c18 5 27 17 28 36z" fill="{cloth}"/>'
        f'<path d="M41 95c-2 6 2 18 9 18s11-12 9-18z" fill="{SKIN}"/>'
        f'<path d="M28 133c1-13 4-20 9-26 3 7 7 10 13 10s10-3 13-10c5 6 8 13 9 26z" fill="{ink}"/>'
        + head()
        + f'<path d="M38 75c-1-10 4-15 12-15s13 5 12 15c-2-6-6-9-12-9s-10 3-12 9z" fill="{hair}"/>'
        '<path d="M46.5 83.500q3.5 2.6 7 0-3.5-1.4-7 0z" fill="#b23a48"/>'
        f'<g fill="{LINEN}"><circle cx="42" cy="99" r="1.5"/><circle cx="45" cy="102.5" r="1.5"/><circle cx="50" cy="104" r="1.7"/>'
        '<circle cx="55" cy="102.5" r="1.5"/><circle cx="58" cy="99" r="1.5"/></g>'
        f'<path d="M36 62c1-5 0-9-2-13l8 5 8-9 8 9 8-5c-2 4-3 8-2 13-9-3-19-3-28 0z" fill="{GOLD}"/>'
        f'<g fill="{LINEN}" stroke="{GOLD_DARK}" stroke-width=".7"><circle cx="34" cy="48" r="2.2"/><circle cx="50" cy="44" r="2.5"/>'
        f'<circle cx="66" cy="48" r="2.2"/></g><circle cx="50" cy="55" r="2" fill="{cloth}"/>'
        + sign(50, 124, 14, fill=GOLD)
    )


def jack(suit: str) -> str:
    ink, cloth, _ = COLOURS[suit]
    hair = HAIR[suit[0]]
    return (
        f'<path d="M34 64h32v21c-2 5-5 6-8 6H42c-3 0-6-1-8-6z" fill="{hair}"/>'
        f'<path d="M14 133c0-22 12-35 36-35v35z" fill="{ink}"/><path d="M86 133c0-22-12-35-36-35v35z" fill="{cloth}"/>'
        f'<path d="M36 97l14 8 14-8-3-5H39z" fill="{LINEN}"/>'
        + head()
        + f'<path d="M38 75c0-5 1-9 3-11h18c2 2 3 6 3 11-2-5-4-7-6-8H44c-2 1-4 3-6 8z" fill="{hair}"/>'
        '<path d="M47 83.500q3 1.9 6 0" fill="none" stroke="#8c3b2e" stroke-width="1.3"/>'
        f'<path d="M33 66c-2-11 5-19 18-19 11 0 18 6 17 15-11 0-23 1-35 4z" fill="{ink}"/>'
        f'<path d="M32 68c0-3 1-4 3-5 11-3 23-4 34-3 1 2 1 4 0 6-12-2-25-1-37 2z" fill="{cloth}"/>'
        f'<path d="M60 58c-1-9 6-17 20-17 2 0 3 1 2 3-3 8-10 14-19 15z" fill="{GOLD}"/>'
        f'<path d="M61 58c4-7 10-11 18-14" fill="none" stroke="{GOLD_DARK}" stroke-width="1.2"/>'
        f'<g fill="{GOLD}"><circle cx="50" cy="110" r="1.7"/><circle cx="50" cy="126" r="1.7"/></g>'
        + sign(31, 121, 15, fill=GOLD)
        + sign(69, 121, 15, fill=GOLD)
    )


def court(suit: str, draw: str) -> str:
    tint = COLOURS[suit][2]
    figure = {"J": jack, "Q": queen, "K": king}[draw](suit)
    return (
        f'<rect x="9" y="38" width="82" height="95" rx="5" fill="{tint}"/><g clip-path="url(#frame)">{figure}</g>'
        f'<rect x="9" y="38" width="82" height="95" rx="5" fill="none" stroke="{COLOURS[suit][0]}" stroke-width=".9" opacity=".45"/>'
    )


def sheet(suit: str) -> str:
    cells = [ace(suit), *(pips(rank) for rank in range(2, 11)), *(court(suit, c) for c in "JQK")]
    body = "".join(f'<g transform="translate({W * n})">{cell}</g>' for n, cell in enumerate(cells))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W * len(cells)} {H}" width="{W * len(cells)}" height="{H}">'
        f'<defs>{SIGNS[suit[0]]}<clipPath id="frame"><rect x="9" y="38" width="82" height="95" rx="5"/></clipPath></defs>'
        f'<g fill="{COLOURS[suit][0]}">{body}</g></svg>\n'
    )


def bare_sign(suit: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="100" height="100">'
        f'<g fill="{COLOURS[suit][0]}">{SIGNS[suit[0]]}</g></svg>\n'
    )


def back() -> str:
    """A web of eight threads, spun twice, on dark cloth."""
    rays = "".join(
        f'<path d="M50 70L{x} {y}"/>'
        for x, y in [(50, -20), (126, 0), (150, 70), (126, 140), (50, 160), (-26, 140), (-50, 70), (-26, 0)]
    )
    rings = ""
    for r in (9, 19, 30, 42, 55, 69, 84):
        points = [
            (50 + r * dx, 70 + r * dy)
            for dx, dy in [
                (0, -1),
                (0.74, -0.68),
                (1, 0),
                (0.74, 0.68),
                (0, 1),
                (-0.74, 0.68),
                (-1, 0),
                (-0.74, -0.68),
            ]
        ]
        arcs = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
        for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1], strict=True):
            mx, my = (x1 + x2) / 2, (y1 + y2) / 2
            arcs += f"Q{50 + (mx - 50) * 0.86:.1f} {70 + (my - 70) * 0.86:.1f} {x2:.1f} {y2:.1f}"
        rings += f'<path d="{arcs}"/>'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 140" width="100" height="140" preserveAspectRatio="none"><defs><clipPath id="c">'
        '<rect x="6" y="6" width="88" height="128" rx="5"/></clipPath></defs>'
        '<rect width="100" height="140" rx="8" fill="#fbf7ee"/><rect x="5" y="5" width="90" height="130" rx="6" fill="#23406a"/>'
        f'<g clip-path="url(#c)" fill="none" stroke="#8fb0d8" stroke-width="1.1" opacity=".75">{rays}{rings}</g>'
        '<circle cx="50" cy="70" r="8" fill="#23406a"/><path fill="#e9b949" d="M50 61l7 9-7 9-7-9z"/>'
        '<rect x="8.5" y="8.5" width="83" height="123" rx="4" fill="none" stroke="#e9b949" stroke-width="1.2" opacity=".8"/></svg>\n'
    )


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    for suit in COLOURS:
        (OUT / f"{suit}.svg").write_text(sheet(suit), encoding="utf-8")
        (OUT / f"sign-{suit}.svg").write_text(bare_sign(suit), encoding="utf-8")
    (OUT / "back.svg").write_text(back(), encoding="utf-8")


if __name__ == "__main__":
    main()
