"""/openapi.json: what FastAPI says of the API, with our problems for its own errors, and how to sign in."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from app.web import schemas
from app.web.cookies import COOKIE

_REF = "#/components/schemas/{model}"
_PROBLEM = {"application/problem+json": {"schema": {"$ref": _REF.format(model="Problem")}}}
_OPEN = (
    "/api/v1/guests",
    "/api/v1/patiences",
    "/api/v1/leaderboards/{table}",
    "/api/v1/lobby/events",
    "/api/v1/ratings/{table}",
    "/api/v1/watch",
)
"""Paths that anyone may ask, without a token."""


def install(app: FastAPI) -> None:
    """Lets ``app`` describe itself by ``document``."""

    def openapi() -> dict[str, Any]:
        if not app.openapi_schema:
            app.openapi_schema = document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of the JSON API."""
    made = get_openapi(title=app.title, version=app.version, routes=app.routes)
    components = made["components"]
    _, problem = models_json_schema([(schemas.Problem, "serialization")], ref_template=_REF)
    components["schemas"] |= problem["$defs"]
    for name in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(name, None)
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": COOKIE},
    }
    for path, operations in made["paths"].items():
        for operation in operations.values():
            operation["responses"] = _responses(operation["responses"])
            if path not in _OPEN:
                operation["security"] = [{"token": []}, {"cookie": []}]
    return made


def _responses(found: dict[str, Any]) -> dict[str, Any]:
    """Ours: every refusal is a problem, those that are not listed too."""
    kept = {
        status: response if status < "400" else {"description": "A problem.", "content": _PROBLEM}
        for status, response in found.items()
        if "HTTPValidationError" not in str(response)
    }
    return kept | {"default": {"description": "A problem.", "content": _PROBLEM}}
