"""Fields of a posted form, strictly: each once, as text, none longer than it can be."""

from collections.abc import Mapping

from starlette.requests import Request

from app.web.errors import Problem

LONGEST = 4096  # characters of one field; the guard bounds the whole
MOST = 32  # fields

Form = Mapping[str, str]


async def form_of(request: Request) -> Form:
    """The fields by name; a dependency, so that `def` endpoints have them. Raises Problem 400 `bad_form`."""
    async with request.form(max_files=0, max_fields=MOST) as data:
        fields = data.multi_items()
    form = {name: value for name, value in fields if isinstance(value, str)}
    if len(fields) > MOST or len(form) != len(fields) or any(len(value) > LONGEST for value in form.values()):
        raise Problem(400, "bad_form")
    return form
