"""The catalogues: ``locales/<language>/LC_MESSAGES/spindel.po``, read as they are when first needed.

There is no compiled form on the disk, so none can be out of date.
"""

import io
from functools import cache
from gettext import GNUTranslations
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LOCALES = Path(__file__).parent / "locales"


def path(language: str) -> Path:
    """Where the catalogue of a language lies."""
    return LOCALES / language / "LC_MESSAGES" / "spindel.po"


def read(language: str) -> Catalog:
    """The catalogue of a language as Babel reads it, with comments and places."""
    with path(language).open("rb") as file:
        return read_po(file, locale=language, domain="spindel")


@cache
def translations(language: str) -> GNUTranslations:
    """The translations of a language, read once a process.

    Fuzzy and empty entries count as missing, and what is missing is shown in English.
    """
    compiled = io.BytesIO()
    write_mo(compiled, read(language))
    compiled.seek(0)
    return GNUTranslations(compiled)
