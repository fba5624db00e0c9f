import contextlib
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from app.cli import main
from app.settings import Settings
from tests.support.server import ROOT, Server, free_port

pytestmark = pytest.mark.slow

GOLDEN = ROOT / "tests" / "golden"


class Done(NamedTuple):
    status: int
    out: str
    err: str


def spindel(*arguments: str, data: Path | None = None, stdin: str | bytes = "") -> Done:
    """Run the program in this process (the start of another takes a second, and there are many here)."""
    raw = stdin if isinstance(stdin, bytes) else stdin.encode()
    out, err = io.StringIO(), io.StringIO()
    with (  # noqa: PT012 - all of it is the run
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setattr(sys, "argv", ["spindel", *arguments])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        patch.setenv("SPINDEL_DATA_DIR", str(data or "/nonexistent"))
        main()
    assert isinstance(ended.value.code, int)
    return Done(ended.value.code, out.getvalue(), err.getvalue())


def document(*arguments: str, **more: Any) -> Any:
    """The one JSON document that a command prints."""
    done = spindel(*arguments, "--json", **more)
    assert (done.status, done.err) == (0, "")
    assert done.out.count("\n") == 1
    return json.loads(done.out)


def refused(*arguments: str, status: int = 2, **more: Any) -> str:
    """The one line of complaint of a command that fails, and nothing else."""
    done = spindel(*arguments, **more)
    assert (done.status, done.out) == (status, "")
    assert re.fullmatch(r"spindel: [^\n]+\n", done.err), done.err
    return done.err


# deal


def test_a_deal_by_its_seed_is_a_document() -> None:
    deal = document("deal", "--patience", "spider", "--suits", "4", "--seed", "17")
    assert list(deal) == ["code", "patience", "params", "layout"]
    assert deal["code"] == "spider4-H3"
    assert deal["patience"] == "spider"
    assert deal["params"]["suits"] == 4
    layout = deal["layout"]
    assert [len(column) for column in layout["columns"]] == [6] * 4 + [5] * 6
    assert layout["face_down"] == [5] * 4 + [4] * 6
    assert len(layout["stock"]) == 50
    cards = [card for column in layout["columns"] for card in column] + layout["stock"]
    assert len(cards) == 104
    assert all(cards.count(card) == 2 for card in cards)


def test_a_code_gives_the_deal_it_came_from() -> None:
    assert document("deal", " SPIDER4-h3 ") == document("deal", "--seed", "17")


def test_a_deal_is_drawn_for_people() -> None:
    done = spindel("deal", "--seed", "17")
    assert done.out.startswith("spider4-H3\n")
    assert len(done.out.splitlines()) == 1 + 12


def test_without_a_seed_every_deal_is_fresh() -> None:
    assert document("deal", "--suits", "1")["code"] != document("deal", "--suits", "1")["code"]


def test_a_layout_document_gets_a_code_that_means_it() -> None:
    layout = document("deal", "--seed", "17")["layout"]
    for sent in (layout, {"patience": "spider", "params": {"suits": 4}, "layout": layout}):
        deal = document("deal", "-", stdin=json.dumps(sent))
        assert deal["layout"] == layout
        assert document("deal", deal["code"]) == deal


@pytest.mark.parametrize(
    "arguments",
    [
        ["spider4-H4"], ["spider4-"], ["nonsense"], [""], ["x" * 5000], ["spider4-H\u0001"],
        ["spïder4-H3"],
        ["--patience", "canasta"], ["--suits", "3"], ["--suits", "x"], ["--suits", "1e3"],
        ["--param", "rows"],
        ["--param", "rows=sideways"], ["--param", "colour=red"], ["--seed", "-1"], ["--seed", str(1 << 64)],
        ["--seed", "0x10"], ["--seed", "1.0"], ["--seed", "1_0"],
        ["--seed", " 1"], ["--seed", "9" * 5000], ["spider4-H3", "--seed", "17"],
        ["spider4-H3", "--patience", "spider"], ["--suits", "1", "--param", "suits=2"],
        ["--param", "rows=full-only", "--param", "rows=onto-spaces"],
        ["--nonsense"], ["a", "b"],
    ],
    ids=range(27),
)  # fmt: skip
def test_a_bad_deal_is_refused_in_one_line(arguments: list[str]) -> None:
    refused("deal", *arguments)


@pytest.mark.parametrize(
    "sent",
    [
        "", "{", "[]", "null", "17", '{"columns": []}', '{"layout": 1}', '{"patience": 1, "layout": {}}',
        '{"patience": "canasta", "layout": {}}', "[" * 100_000, b"\xff\xfe", '"' + "x" * (2 << 20) + '"',
    ],
    ids=range(12),
)  # fmt: skip
def test_a_bad_document_is_refused_in_one_line(sent: str | bytes) -> None:
    refused("deal", "-", stdin=sent)


def test_a_pack_with_a_wrong_card_is_refused() -> None:
    layout = document("deal", "--seed", "17")["layout"]
    layout["stock"][0] = "AS" if layout["stock"][0] != "AS" else "AH"
    refused("deal", "-", stdin=json.dumps(layout))


# replay


@pytest.fixture(scope="module")
def won() -> tuple[str, list[str], dict[str, int]]:
    """A deal's code, a line that wins it, and its scores."""
    game = json.loads((GOLDEN / "won_games.json").read_text())[0]
    return layout_code(game["layout"]), game["moves"], game["scores"]


def layout_code(layout: Any) -> str:
    return str(document("deal", "-", stdin=json.dumps(layout))["code"])


def test_a_won_game_replays(won: Any, tmp_path: Path) -> None:
    code, moves, scores = won
    log = tmp_path / "moves"
    log.write_text("\n".join(moves))
    expected = document("replay", code, "-", stdin="\n".join(moves) + "\n\n")
    assert document("replay", code, str(log)) == expected
    assert list(expected) == ["legal", "won", "ply", "scores", "error"]
    assert expected["legal"] is True
    assert expected["won"] is True
    assert expected["ply"] == len(moves)
    assert expected["error"] is None
    assert expected["scores"] == scores
    assert scores["moves500"] == 500 + 800 - len(moves)


def test_undo_redo_and_restart_are_entries(won: Any) -> None:
    code, moves, _ = won
    log = [moves[0], "undo", "redo", "restart", "undo"]
    done = document("replay", code, "-", stdin="\n".join(log))
    assert (done["legal"], done["won"], done["ply"]) == (True, False, 5)
    assert done["scores"]["moves500"] == 495


@pytest.mark.parametrize(
    "entry", ["undo", "1-1x1", "4-4x0", "nonsense", "1-2x99", "11-1x1", "deal deal", "-", "\u0661-2x1"]
)
def test_a_log_is_legal_as_far_as_it_goes(won: Any, entry: str) -> None:
    code, moves, _ = won
    log = [moves[0], "undo", entry, moves[0]]
    done = document("replay", code, "-", stdin="\n".join(log))
    assert (done["legal"], done["won"], done["ply"]) == (False, False, 2)
    assert done["error"].startswith("entry 3: ")
    assert done["scores"]["moves500"] == 498


def test_nothing_comes_after_a_win(won: Any) -> None:
    code, moves, _ = won
    done = document("replay", code, "-", stdin="\n".join([*moves, "undo"]))
    assert (done["legal"], done["won"], done["ply"]) == (False, True, len(moves))


def test_entries_are_told_apart_by_line_ends_alone(won: Any) -> None:
    code, moves, _ = won
    told = document("replay", code, "-", stdin="\f".join(moves[:2]))
    assert (told["legal"], told["ply"]) == (False, 0)
    assert document("replay", code, "-", stdin="\r\n".join(moves[:2]))["ply"] == 2


def test_an_empty_log_is_the_opening() -> None:
    done = document("replay", "spider4-H3", "-")
    assert (done["legal"], done["won"], done["ply"]) == (True, False, 0)
    assert "not won after 0" in spindel("replay", "spider4-H3", "-").out


def test_a_log_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    refused("replay", "spider4-H4", "-")
    refused("replay", "spider4-H3")
    assert "cannot be read" in refused("replay", "spider4-H3", str(tmp_path / "none"))
    assert "cannot be read" in refused("replay", "spider4-H3", str(tmp_path))
    refused("replay", "spider4-H3", "-", stdin=b"\xff")
    refused("replay", "spider4-H3", "-", stdin="1-2x1\n" * 300_000)


# migrate


def test_migrate_says_what_it_did(tmp_path: Path) -> None:
    first = document("migrate", data=tmp_path)
    assert first["before"] is None
    assert first["after"]
    assert first["copy"] is None
    again = document("migrate", data=tmp_path)
    assert again == {"before": first["after"], "after": first["after"], "copy": None}
    back = document("migrate", "--to", "0001", data=tmp_path)
    assert Path(back["copy"]).is_file()
    assert "from 0001 to" in spindel("migrate", data=tmp_path).out
    assert "no revision 9999" in refused("migrate", "--to", "9999", data=tmp_path)


# serve


def test_serve_prints_its_address_and_stops_when_told(tmp_path: Path) -> None:
    server = Server(tmp_path / "data")
    server.start()
    assert httpx.get(f"{server.url}/healthz").status_code == 200
    assert server.stop() == -signal.SIGTERM, "it ends by the signal, as shells and systemd expect"
    assert server.url in server.log.read_text()
    assert "Traceback" not in server.log.read_text()


def test_serve_takes_a_free_port_for_none(tmp_path: Path) -> None:
    environment = {**os.environ, "SPINDEL_DATA_DIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "app.cli", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = re.search(r"http://127\.0\.0\.1:[0-9]+", process.stdout.readline())
            assert address is not None
            assert httpx.get(f"{address[0]}/healthz").status_code == 200
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0, "Ctrl+C is how one stops it"


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = str(holder.getsockname()[1])
        assert f"port {port}" in refused("serve", "--port", port, status=1, data=tmp_path)


def test_more_workers_than_sqlite_can_have_are_refused(tmp_path: Path) -> None:
    told = refused("serve", "--workers", "2", "--port", str(free_port()), data=tmp_path)
    assert "SPINDEL_DATABASE_URL" in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("PUBLIC_URL", "nonsense"), ("ARENA_HOURS", "6,25"), ("LOG_LEVEL", "loud"), ("BODY_LIMIT", "0")],
)
def test_a_setting_that_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"SPINDEL_{name}", value)
    assert f"SPINDEL_{name} cannot" in refused("serve", data=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("address", "status"), [("nonsense", 2), ("postgresql://localhost:1/spindel", 1), ("sqlite://", 2)]
)
def test_an_address_that_is_no_databases_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, status: int
) -> None:
    monkeypatch.setenv("SPINDEL_DATABASE_URL", address)
    assert "SPINDEL_DATABASE_URL" in refused("migrate", status=status, data=tmp_path)
    assert "SPINDEL_DATABASE_URL" in refused("serve", "--port", "0", status=status, data=tmp_path)


def test_a_place_where_no_data_can_lie_is_told(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("in the way")
    assert str(place) in refused("migrate", status=1, data=place)
    assert str(place) in refused("serve", "--port", "0", status=1, data=place)
    assert place.read_text() == "in the way"


def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "spindel.db"
    file.write_bytes(b"no database at all" * 100)
    assert "not a database" in refused("serve", "--port", "0", status=1, data=tmp_path)
    assert file.read_bytes() == b"no database at all" * 100


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["serve", "--workers", "0"], ["serve", "--port", "99999"]]
)
def test_a_bad_command_is_refused_in_one_line(arguments: list[str]) -> None:
    refused(*arguments)


def test_help_and_version_are_there() -> None:
    assert "replay" in spindel("--help").out
    assert spindel("version").out.startswith("spindel 0")


def test_the_program_runs_as_a_process_of_its_own() -> None:
    line = [sys.executable, "-m", "app.cli", "deal", "--suits", "3"]
    done = subprocess.run(line, check=False, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "status"),
    [("deal - <&-", 2), ("deal spider4-H3 --json >&-", 1), ("deal spider4-H3 --json >/dev/full", 1)],
)
def test_closed_or_full_streams_are_told_in_one_line(line: str, status: int) -> None:
    done = subprocess.run(
        f"{sys.executable} -m app.cli {line}",
        shell=True, check=False, capture_output=True, text=True, cwd=ROOT, timeout=60,
    )  # fmt: skip
    assert done.returncode == status
    assert re.fullmatch(r"spindel: [^\n]+\n", done.stderr), done.stderr


def test_a_reader_that_goes_away_is_no_crash() -> None:
    line = f"{sys.executable} -m app.cli deal --seed 17 | true"
    done = subprocess.run(line, shell=True, check=False, capture_output=True, cwd=ROOT, timeout=60)
    assert done.stderr == b""


def test_killed_server_keeps_its_database(start_server: Callable[..., Server]) -> None:
    server = start_server()
    server.restart()
    assert httpx.get(f"{server.url}/readyz").status_code == 200
    assert Settings(data_dir=server.data_dir).secret_key
