"""The API against what its own description allows, and what it does not: no 5xx, and answers as described."""

from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from app.main import create_app
from app.settings import Settings
from tests.support.server import Server

CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]
SAID_NO = {"engine_off", "no_winnable_deal", "busy"}
pytestmark = pytest.mark.slow
EVERYTHING = list(HealthCheck)  # most of what is made is refused, which is what this is about


@dataclass
class Someone:
    """A player with a game, so that not all calls end at the door."""

    server: Server
    headers: dict[str, str]
    game: str
    calls: int = 0


@pytest.fixture(scope="module")
def someone(shared_server: Server) -> Someone:
    with httpx.Client(base_url=f"{shared_server.url}/api/v1") as http:
        headers = {"Authorization": f"Bearer {http.post('/guests').json()['token']}"}
        game = http.post("/games", json={"patience": "spider"}, headers=headers).json()["id"]
    return Someone(shared_server, headers, game)


SCHEMA = schemathesis.openapi.from_dict(create_app(Settings(secret="only for its description")).openapi())
OPERATIONS = [
    found
    for one in SCHEMA.get_all_operations()
    if not (found := one.ok()).path.endswith("/events")  # a stream has no end to wait for
]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_call_fails_and_every_answer_is_as_described(
    someone: Someone, operation: Any, mode: GenerationMode
) -> None:
    """``mode``: what the description allows, and what it does not."""

    @settings(max_examples=75, deadline=None, phases=[Phase.generate], suppress_health_check=EVERYTHING)
    @given(operation.as_strategy(generation_mode=mode))
    def call(case: Any) -> None:
        someone.calls += 1
        case.headers = {**(case.headers or {}), **(someone.headers if someone.calls % 4 else {})}
        if someone.calls % 3 and "game_id" in (case.path_parameters or {}):
            case.path_parameters["game_id"] = someone.game
        response = case.call(base_url=someone.server.url)
        # "Busy" and "not running here" are answers; anything else of that kind is a fault.
        assert response.status_code < 500 or response.json()["code"] in SAID_NO
        case.validate_response(response, checks=CHECKS)

    try:
        call()
    except Unsatisfiable:  # nothing of that kind can be sent there
        assert mode is GenerationMode.NEGATIVE
