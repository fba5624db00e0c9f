"""The catalogues hold every message of templates and code, and nothing in them can break a page."""

import ast
import re
from functools import cache

import pytest
from babel.messages.catalog import Message
from jinja2 import Environment

from app.i18n import LANGUAGES, catalogue, collect
from app.settings import resource

COMPLETE = ("en", "fi")
PLACEHOLDER = re.compile(r"%\((\w+)\)s|\{(\w+)\}")

found = cache(collect.messages)
read = cache(catalogue.read)


def keys(messages):
    return {(message.context, message.id) for message in messages if message.id}


def forms(message: Message) -> tuple[str, ...]:
    return tuple(message.string) if isinstance(message.string, (tuple, list)) else (message.string,)


def sources(message: Message) -> tuple[str, ...]:
    return tuple(message.id) if isinstance(message.id, (tuple, list)) else (message.id,)


def test_messages_are_found_in_templates_and_code():
    ids = {message.id for message in found()}
    assert "There is nothing to undo." in ids
    assert "Skip to the content" in ids
    assert ("%(num)s suit", "%(num)s suits") in ids


def test_every_call_with_a_message_is_found():
    """The collector does not see what stands in an f-string, for one."""
    ids = {form for message in found() for form in sources(message)}
    said = [
        (path.name, node.args[0].value)
        for path in collect.APP.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"gettext", "ngettext", "marked", "marked_pair"}
        and isinstance(node.args[0], ast.Constant)
    ]
    assert len(said) > 100
    assert [one for one in said if one[1] not in ids] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_message_stands_in_the_catalogue_and_no_other(code):
    have, want = keys(read(code)), keys(found())
    assert have == want, "run `make catalogues`"


@pytest.mark.parametrize("code", COMPLETE)
def test_english_and_finnish_are_complete(code):
    missing = [message.id for message in read(code) if message.id and not collect.is_translated(message)]
    assert missing == []


def test_english_says_what_the_source_says():
    assert [message.id for message in read("en") if message.id and forms(message) != sources(message)] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_placeholders_are_those_of_the_source(code):
    """All of them in every form; only a form for the number one alone may leave the number out."""
    for message in read(code):
        if not message.id or not all(forms(message)):
            continue
        allowed = {name for source in sources(message) for name in _placeholders(source)}
        required = set(_placeholders(sources(message)[-1]))
        for index, form in enumerate(forms(message)):
            names = set(_placeholders(form))
            optional = {"num", "count"} if message.pluralizable and index == 0 else set()
            assert names <= allowed, (message.id, form)
            assert required - names <= optional, (message.id, form)
            assert "%" not in PLACEHOLDER.sub("", form).replace("%%", ""), (message.id, form)


def _placeholders(text: str) -> list[str]:
    return [name or braced for name, braced in PLACEHOLDER.findall(text)]


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_message_holds_markup(code):
    """Messages are trusted on a page, so a catalogue must not be able to change more than words."""
    for message in read(code):
        for text in (*sources(message), *forms(message)) if message.id else ():
            assert not re.search(r"[<>&]", text), text


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        *((code, {1: 0, 2: 1, 5: 1, 0: 1, 22: 1, 101: 1}) for code in ("en", "fi", "sv", "da")),
        ("pl", {1: 0, 2: 1, 4: 1, 5: 2, 0: 2, 11: 2, 12: 2, 14: 2, 22: 1, 25: 2, 101: 2, 102: 1, 112: 2}),
    ],
)
def test_plural_forms_are_the_language_s(code, expected):
    words = catalogue.translations(code)
    assert {number: words.plural(number) for number in expected} == expected
    assert read(code).num_plurals == max(expected.values()) + 1


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_file_is_as_the_collector_writes_it(code):
    """Headers, order and wrapping never differ between machines, so changes are easy to read."""
    text = catalogue.path(code).read_text(encoding="utf-8")
    assert collect.to_text(read(code), code) == text


def test_a_fuzzy_translation_is_no_translation(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "LOCALES", tmp_path)
    file = tmp_path / "fi" / "LC_MESSAGES" / "spindel.po"
    file.parent.mkdir(parents=True)
    file.write_text(
        '#, fuzzy\nmsgid "Undo"\nmsgstr "Epävarma"\n\nmsgid "Redo"\nmsgstr "Uudelleen"\n', encoding="utf-8"
    )
    words = catalogue.translations.__wrapped__("fi")
    assert words.gettext("Undo") == "Undo"
    assert words.gettext("Redo") == "Uudelleen"


def test_a_translation_stays_while_its_english_does(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "LOCALES", tmp_path)
    file = tmp_path / "fi" / "LC_MESSAGES" / "spindel.po"
    file.parent.mkdir(parents=True)
    file.write_text(
        'msgid "There is nothing to undo."\nmsgstr "A"\n\nmsgid "Nowhere"\nmsgstr "B"\n', encoding="utf-8"
    )
    result = collect.updated("fi", found())
    assert result["There is nothing to undo."].string == "A"
    assert result["There is nothing to redo."].string == ""
    assert "Nowhere" not in result


TEMPLATES = sorted(
    path.relative_to(resource("templates")).as_posix() for path in resource("templates").rglob("*.html")
)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_holds_no_bare_words(name):
    """What a person reads is marked for translation: no letters in the text or in a spoken attribute.

    Only the names of programs and the beginning of a deal code are the same in every language.
    """
    source = (resource("templates") / name).read_text(encoding="utf-8")
    source = re.sub(r"{%-?\s*trans\b.*?endtrans\s*-?%}", " ", source, flags=re.DOTALL)
    data = [value for _, kind, value in Environment().lex(source) if kind == "data"]
    html = re.sub(r"<(script|style|code|kbd)\b.*?</\1>", " ", "\0".join(data), flags=re.DOTALL)
    spoken = re.findall(r'\b(?:aria-label|title|alt|placeholder)="([^"]*)"', html)
    text = re.sub(r"<[^>]*>|&#?\w+;", " ", re.sub(r'[\w-]+="[^"]*"', "", html))
    words = [word for part in (text, *spoken) for word in re.findall(r"[^\W\d_]{2,}", part)]
    assert [word for word in words if word not in {"Spindel", "PySol", "spider"}] == []
