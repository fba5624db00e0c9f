"""``spindel bank``, as a program of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def spindel(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SPINDEL_DATA_DIR": str(folder), **settings}
    command = [sys.executable, "-m", "app.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_bank_is_filled_up_to_what_was_asked_for_and_tells_no_deal(tmp_path: Path) -> None:
    first = spindel(tmp_path, "bank", "fill", "--deals", "2", "--suits", "1", "--json")
    assert first.returncode == 0, first.stderr
    document = json.loads(first.stdout)
    assert (document["made"], document["in_store"]) == ({"spider1": 2}, {"spider1": 2})
    again = json.loads(spindel(tmp_path, "bank", "fill", "--deals", "2", "--suits", "1", "--json").stdout)
    assert again["made"] == {"spider1": 0}
    shown = spindel(tmp_path, "bank", "show", "--json")
    assert json.loads(shown.stdout)["spider1"]["ready"] == 2
    assert "spider1-" not in first.stdout + shown.stdout


def test_a_number_of_suits_that_there_is_not_is_bad_input(tmp_path: Path) -> None:
    refused = spindel(tmp_path, "bank", "fill", "--suits", "3")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("command", [("fill", "--deals", "1"), ("show",)], ids=" ".join)
@pytest.mark.parametrize(
    "wrong",
    [
        {"SPINDEL_SOLVER_MEMORY_MB": "1"},
        {"SPINDEL_DATABASE_URL": "foo://bar"},
        {"SPINDEL_DATABASE_URL": "sqlite:////proc/x/y.db"},
    ],
    ids=str,
)
def test_settings_that_cannot_be_used_are_one_clear_line(
    tmp_path: Path, command: tuple[str, ...], wrong: dict[str, str]
) -> None:
    refused = spindel(tmp_path, "bank", *command, **wrong)
    assert refused.returncode in {1, 2}
    assert refused.stdout == ""
    assert refused.stderr.startswith("spindel: ")
    assert len(refused.stderr.splitlines()) == 1
