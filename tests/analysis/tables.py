"""Small tables that a stand-in for the solver can settle."""

from app.patience.spider import Spider
from tests.drawings import draw

SPIDER1 = Spider(1)
SPIDER4 = Spider(4)
SEVEN = "foundation: " + " ".join(f"{rank}S" for _ in range(7) for rank in "KQJT98765432A")

TWO_MOVES = draw(SPIDER1, f"""
    1: KS QS JS TS 9S 8S 7S
    2: 6S 5S 4S 3S
    3: 2S AS
    {SEVEN}
""")  # fmt: skip
"""Won in two moves: 3-2x2, 2-1x6 (or 2-1x4, 3-1x2). There are spaces, so one may wander about for long."""

TIGHT = draw(SPIDER4, """
    1: KS QS 2S 4D
    2: KH 3D
    3: KS 5S
    4: KH 6D
    5: KS 8S
    6: KH 8S
    7: KS TS
    8: KH TS
    9: KS QD
    10: KH QD
""")  # fmt: skip
"""A few moves, but no way to win."""

LOST = draw(SPIDER4, """
    1: KS 2S
    2: KH 2S
    3: KS 4S
    4: KH 4S
    5: KS 6S
    6: KH 6S
    7: KS 8S
    8: KH 8S
    9: KS TS
    10: KH TS
""")  # fmt: skip
"""No move at all."""

CANNOT = draw(SPIDER4, """
    1: KS QS 2S
    2: KH 3D
    3: KS 5S
    4: KH 5S
    5: KS 7S
    6: KH 7S
    7: KS 9S
    8: KH 9S
    9: KS JS
    10: KH JS
""")  # fmt: skip
"""Other moves, and no way to win either."""

BURIED = draw(SPIDER1, f"""
    1: KS QS JS TS 9S 8S 7S
    2: [AS] 6S 5S 4S 3S 2S
    {SEVEN}
""")  # fmt: skip
"""Won in two moves, 2-1x5 and 2-1x1, the second with a card that nobody sees before."""

STUCK = draw(SPIDER1, f"""
    1: QS 2S
    2: QS 2S
    3: KS 4S
    4: JS 4S
    5: JS 6S
    6: 9S 6S
    7: 5S 8S
    8: 5S 8S
    9: AS 3S TS 7S 3S 7S 9S TS
    10: KS AS
    foundation: {" ".join(f"{rank}S" for _ in range(6) for rank in "KQJT98765432A")}
""")  # fmt: skip
"""Whole runs, so that it has a deal code; the ace can move, and then nothing can."""
