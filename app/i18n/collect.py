"""Brings the catalogues up to date with templates and code (``make catalogues``).

Every message found goes into every catalogue. A translation stays as long as its English is the same; one
whose English is gone goes too. The files come out the same wherever they are made: messages in the order
of the source, no dates and no line numbers.
"""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.plurals import get_plural
from babel.messages.pofile import write_po

from app.i18n import catalogue
from app.i18n.languages import LANGUAGES, SOURCE
from app.settings import resource

APP = Path(__file__).parent.parent
METHODS = [("**.py", "python"), ("**.html", "jinja2"), ("**.svg", "jinja2"), ("**.txt", "jinja2")]
OPTIONS = {
    pattern: {"silent": "false", "trimmed": "true"} for pattern, method in METHODS if method == "jinja2"
}
KEYWORDS = {**DEFAULT_KEYWORDS, "marked": None, "marked_pair": (1, 2)}
COMMENT_TAGS = ("i18n:",)
HEADER = """\
# Spindel in {name}.
# docs/languages.md says how this file is kept.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals={plurals}; plural={rule};\\n"

"""


def messages() -> Catalog:
    """Every message of the templates and the code, with the files that it stands in."""
    found = Catalog()
    for directory in (resource("templates"), APP):
        for place, line, message, comments, context in _extracted(directory):
            found.add(
                message,
                locations=[(f"{directory.name}/{place}", line)],
                auto_comments=comments,
                context=context,
            )
    return found


def updated(language: str, found: Catalog) -> Catalog:
    """The catalogue of a language with exactly the messages found. The source's own are filled in."""
    result, old = Catalog(locale=language), None
    if catalogue.path(language).exists():
        old = catalogue.read(language)
    for message in found:
        if not message.id:
            continue
        kept = old.get(message.id, message.context) if old else None
        string = message.id if language == SOURCE else _translation(kept, message, result.num_plurals)
        result.add(
            message.id,
            string,
            # One line a file: where in the file it stands changes too often to be worth keeping.
            locations=sorted({(place, 0) for place, _ in message.locations}),
            flags=message.flags | (kept.flags & {"fuzzy"} if kept else set()),
            auto_comments=list(dict.fromkeys(message.auto_comments)),
            user_comments=kept.user_comments if kept else (),
            context=message.context,
        )
    return result


def to_text(result: Catalog, language: str) -> str:
    """A catalogue as the text of its file."""
    body = io.BytesIO()
    write_po(body, result, width=110, omit_header=True, include_lineno=False, ignore_obsolete=True)
    plural = get_plural(language)
    header = HEADER.format(
        name=LANGUAGES[language], language=language, plurals=plural.num_plurals, rule=plural.plural_expr
    )
    return header + body.getvalue().decode("utf-8")


def main() -> None:
    """Writes all catalogues, and says how complete each is."""
    found = messages()
    for language in LANGUAGES:
        result = updated(language, found)
        path = catalogue.path(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(to_text(result, language), encoding="utf-8")
        done = sum(is_translated(message) for message in result if message.id)
        sys.stdout.write(f"{language}: {done} of {len(result)} messages\n")


def is_translated(message: Message) -> bool:
    """Whether every form of a message is there and none of it is in doubt."""
    forms = message.string if isinstance(message.string, (tuple, list)) else (message.string,)
    return all(forms) and not message.fuzzy


def _extracted(directory: Path) -> Iterator[tuple[str, int, str | tuple[str, ...], list[str], str | None]]:
    return extract_from_dir(
        directory, METHODS, OPTIONS, keywords=KEYWORDS, comment_tags=COMMENT_TAGS, strip_comment_tags=True
    )


def _translation(kept: Message | None, message: Message, plurals: int) -> str | tuple[str, ...]:
    if kept is not None and bool(kept.pluralizable) == bool(message.pluralizable) and kept.string:
        return kept.string if isinstance(kept.string, str) else tuple(kept.string)
    return ("",) * plurals if message.pluralizable else ""


if __name__ == "__main__":
    main()
