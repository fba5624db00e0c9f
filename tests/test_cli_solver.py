"""The solver's commands, as a person or a program types them."""

import json
import lzma
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.cards.dealcode import NumberedCode, SeedCode
from app.cli import main

CODE = "spider1-1H"


def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *args: str
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["spindel", *args])
    with pytest.raises(SystemExit) as exit_:
        main()
    out, err = capsys.readouterr()
    return int(exit_.value.code or 0), out, err


@pytest.fixture
def spindel(capsys, monkeypatch):
    return lambda *args: run(capsys, monkeypatch, *args)


@pytest.fixture
def code(spindel) -> str:
    return json.loads(spindel("deal", "--suits", "1", "--seed", "17", "--json")[1])["code"]


def test_solve_prints_the_contracts_document_and_its_line_replays(spindel, code, tmp_path):
    status, out, _ = spindel("solve", code, "--seconds", "20", "--json")
    document = json.loads(out)
    assert status == 0
    assert set(document) == {"code", "verdict", "reason", "moves", "seconds", "nodes"}
    assert (document["code"], document["verdict"], document["reason"]) == (code, "solved", None)
    moves = tmp_path / "moves"
    moves.write_text("\n".join(document["moves"]))
    replayed = json.loads(spindel("replay", code, str(moves), "--json")[1])
    assert replayed["won"]
    assert replayed["ply"] == len(document["moves"])


def test_bench_prints_the_contracts_document(spindel):
    status, out, _ = spindel("bench", "solver", "--suits", "1", "--first-seed", "5", "--deals", "3", "--json")
    document = json.loads(out)
    assert status == 0
    assert [result["seed"] for result in document["results"]] == [5, 6, 7]
    assert document["deals"] == document["solved"] == 3
    assert document["unknown"] == document["unsolvable"] == 0
    assert document["median_s"] <= document["p95_s"] <= document["max_s"]
    assert all(result["moves"] > 50 for result in document["results"])


def test_bench_by_several_processes_finds_the_same(spindel):
    args = ("bench", "solver", "--suits", "1", "--first-seed", "5", "--deals", "4", "--json")
    one, two = (json.loads(spindel(*args, "--jobs", jobs)[1]) for jobs in ("1", "2"))
    assert [(r["seed"], r["moves"]) for r in one["results"]] == [
        (r["seed"], r["moves"]) for r in two["results"]
    ]


def test_perft_counts_lines(spindel, code):
    status, out, _ = spindel("perft", code, "--depth", "2", "--json")
    assert status == 0
    assert json.loads(out)["lines"] > 1


def test_crown_resumes_and_its_file_is_checked(spindel, tmp_path):
    lines = tmp_path / "lines"
    assert json.loads(spindel("crown", str(lines), "--last", "2", "--json")[1]) == {
        "wanted": 2,
        "solved": 2,
        "left": [],
    }
    before = lines.read_text()
    with lines.open("a") as file:
        file.write("3\t1-2x1 4-")  # a line that was cut short is found again
    spindel("crown", str(lines), "--first", "2", "--last", "3")
    assert lines.read_text().startswith(before)
    assert [int(line.split("\t")[0]) for line in lines.read_text().splitlines()] == [1, 2, 3]
    assert spindel("crown", str(lines), "--check")[0] == 0
    lines.write_text(before.replace("deal", "1-2x1", 1))
    status, out, _ = spindel("crown", str(lines), "--check", "--json")
    assert status == 1
    assert len(json.loads(out)["bad"]) == 1


def test_a_packed_file_of_lines_is_checked_shown_and_gone_on_from(spindel, tmp_path):
    lines, packed = tmp_path / "lines", tmp_path / "lines.xz"
    spindel("crown", str(lines), "--last", "2")
    packed.write_bytes(lzma.compress(lines.read_bytes()))
    assert spindel("crown", str(packed), "--check", "--jobs", "2")[0] == 0
    moves = tmp_path / "moves"
    moves.write_text(spindel("crown", str(packed), "--show", "2")[1])
    code = str(NumberedCode("spider4", "pysol", 2))
    assert json.loads(spindel("replay", code, str(moves), "--json")[1])["won"]
    more = tmp_path / "more"
    spindel("crown", str(more), "--known", str(packed), "--last", "3")
    assert [line.split("\t")[0] for line in more.read_text().splitlines()] == ["3"]
    assert spindel("crown", str(packed), "--last", "3")[0] == 2
    assert spindel("crown", str(packed), "--show", "3")[0] == 2
    packed.write_bytes(packed.read_bytes()[:-9])
    assert spindel("crown", str(packed), "--check")[0] == 2


@pytest.mark.parametrize("number", ["0", "-1", "9" * 5000, "017"])
def test_a_line_without_a_number_of_a_deal_is_named(spindel, tmp_path, number):
    lines = tmp_path / "lines"
    lines.write_text(f"{number}\t1-2x1\n")
    status, _, err = spindel("crown", str(lines), "--check")
    assert status == 2
    assert "line 1 of" in err


def test_to_read_a_file_of_lines_changes_nothing_and_to_go_on_takes_off_a_cut_line_alone(spindel, tmp_path):
    lines = tmp_path / "lines"
    spindel("crown", str(lines), "--last", "3")
    whole = lines.read_bytes().replace(b"\n", b"\r\n")
    lines.write_bytes(whole + b"4\t1-2")
    for reading in (("--check",), ("--show", "3")):
        assert spindel("crown", str(lines), *reading)[0] == 0
    spindel("crown", str(tmp_path / "more"), "--known", str(lines), "--last", "3")
    assert lines.read_bytes() == whole + b"4\t1-2"
    spindel("crown", str(lines), "--last", "3")
    assert lines.read_bytes() == whole


def test_a_file_of_something_else_is_left_as_it_is(spindel, tmp_path):
    diary = tmp_path / "diary"
    diary.write_bytes(b"dear diary")
    assert spindel("crown", str(diary), "--last", "1")[0] == 2
    assert diary.read_bytes() == b"dear diary"


@pytest.mark.slow
@pytest.mark.parametrize(
    "search",
    [
        ("solve", "PySol 14934", "--seconds", "600"),
        ("crown", "lines", "--only", "14934", "--only", "1748", "--seconds", "600", "--jobs", "2"),
    ],
    ids=" ".join,
)
def test_a_search_that_is_broken_off_ends_at_once_and_says_nothing(search, tmp_path):
    program = (
        "import os, sys; from app.cli import main; from app.solver import api; api.warm();"
        f"os.chdir({str(tmp_path)!r}); sys.argv = {['spindel', *search]!r};"
        "print('warm', flush=True); main()"
    )
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "warm\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (130, "", "")


@pytest.mark.parametrize(
    "args",
    [
        ("solve", "nonsense"),
        ("solve", CODE, "--seconds", "0"),
        ("bench", "solver", "--suits", "3"),
        ("bench", "solver", "--deals", "0"),
        ("bench", "solver", "--first-seed", "18446744073709551615", "--deals", "2"),
        ("perft", CODE, "--depth", "99"),
        ("perft", str(SeedCode("pyramid3", 1))),
        ("perft", str(SeedCode("relaxed-spider4", 1))),
        ("perft", str(SeedCode("spider4h", 1))),
        ("crown", "/nowhere/at/all"),
        ("crown", str(Path(__file__))),
        ("crown", "/nowhere", "--check"),
        ("crown", "/nowhere", "--show", "1"),
        ("crown", "/dev/null", "--known", "/nowhere"),
        ("crown", "/dev/null", "--last", "9" * 18),
        ("crown", "/dev/null", "--only", "0"),
        ("crown", "/dev/null", "--only", "5", "--only", "9" * 26),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_clear_line(spindel, args):
    status, out, err = spindel(*args)
    assert status == 2
    assert out == ""
    assert err.startswith("spindel: ")
    assert err.count("\n") == 1
