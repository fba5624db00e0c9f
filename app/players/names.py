"""What a name may be, and when two names count as one.

A name is kept as its person typed it, in Unicode NFKC. Two names are the same when their keys are:
the key folds case, and takes the Cyrillic and Greek letters that look like Latin ones for these
(a small part of Unicode TS 39's confusables, enough against passing for another player).
"""

import re
import unicodedata

from app.players.errors import BadName

SHORTEST, LONGEST = 2, 24  # characters
PUNCTUATION = frozenset(" _-.'’")
RESERVED = frozenset(
    (
        "admin",
        "administrator",
        "anonymous",
        "deleted",
        "me",
        "moderator",
        "root",
        "spindel",
        "system",
    )
)
# What players without a name are called, in each language: bare, or with a number.
_GUESTS = re.compile(r"(?:guest|vieras|gäst|gæst|gość)[ _.'’-]*\d*[ _.'’-]*")
# Scripts that are written together; any other mixture inside one name is how look-alikes are made.
_TOGETHER = frozenset({"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})
_LOOK_ALIKES = str.maketrans("аеорсухіјѕһԁԛԝкмтвнαεορνικτυχ", "aeopcyxijshdqwkmtbhaeopviktux")
_MOST_MARKS = 2  # combining marks in a row: Vietnamese and Hebrew need two, more is a tower


def clean_name(text: str) -> str:
    """The name in its stored form; raises BadName(reason)."""
    if len(text) > 4 * LONGEST:  # normalising is not for free
        raise BadName("too_long")
    name = re.sub(" +", " ", unicodedata.normalize("NFKC", text)).strip(" ")
    if len(name) < SHORTEST:
        raise BadName("too_short")
    if len(name) > LONGEST:
        raise BadName("too_long")
    _check_characters(name)
    key = name_key(name)
    if key in RESERVED or _GUESTS.fullmatch(key):
        raise BadName("reserved")
    return name


def name_key(name: str) -> str:
    """The form under which names are compared and looked up. Any text has one, fit for the database."""
    # Neither a NUL nor half a surrogate pair can be a parameter; no name holds a question mark.
    name = name.replace("\0", "?").encode("utf-8", "replace").decode()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return folded.translate(_LOOK_ALIKES)


def _check_characters(name: str) -> None:
    marks = 0
    scripts = set()
    for character in name:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Mc") else 0
        if marks > _MOST_MARKS:
            raise BadName("bad_character")
        if category[0] == "L":
            described = unicodedata.name(character, "?")
            if "FILLER" in described:  # letters by category, and invisible
                raise BadName("bad_character")
            scripts.add(described.split(" ", 1)[0].split("-", 1)[0])
        elif not (marks or category == "Nd" or character in PUNCTUATION):
            raise BadName("bad_character")
    if unicodedata.category(name[0])[0] not in "LN":
        raise BadName("bad_character")
    if len(scripts) > 1 and not scripts <= _TOGETHER:
        raise BadName("mixed_scripts")
