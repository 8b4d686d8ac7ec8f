"""`trainwright sparql` and `trainwright describe`: results on stdout, reasons on stderr."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from assistant.cli import app
from assistant.sparql_cli import table
from kg.results import QueryResult

MINI = Path(__file__).parent.parent / "data" / "mini.ttl"
COMMAND = [sys.executable, "-m", "assistant.cli", "sparql"]
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"


def run(*arguments: str, given: str | bytes = "") -> Result:
    result: Any = CliRunner().invoke(app, list(arguments), input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(
        result.exception
    )
    assert "Traceback" not in result.output
    return result  # type: ignore[no-any-return]


def test_a_query_gives_a_table() -> None:
    """IRIs are short, literals plain, columns as in the query."""
    result = run("sparql", 'SELECT * { VALUES (?z ?a) { (tw:Statement "x y") (UNDEF 7) } }')
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "z             a",
        "------------  ---",
        "tw:Statement  x y",
        "              7",
    ]


def test_a_query_comes_from_a_file_or_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "a.rq"
    file.write_text("\ufeffASK { ?s a tw:Statement }", encoding="utf-8")
    assert run("sparql", "-f", str(file)).stdout == "yes\n"
    assert run("sparql", given="ASK { <urn:a> ?p ?o }").stdout == "no\n"
    assert run("sparql", "-f", "-", given="ASK { }").stdout == "yes\n"


@pytest.mark.parametrize(
    ("form", "query", "start"),
    [
        ("csv", "SELECT ('x' AS ?a) { }", "a\r\nx"),
        ("tsv", "SELECT ('x' AS ?a) { }", '?a\n"x"'),
        ("json", "ASK { }", '{"head"'),
        ("xml", "ASK { }", "<?xml"),
        ("turtle", "CONSTRUCT { tw:a a tw:b } { }", "@prefix"),
        ("jsonld", "CONSTRUCT { tw:a a tw:b } { }", "["),
        ("nt", "CONSTRUCT { <urn:a> <urn:b> 1 } { }", "<urn:a> <urn:b> "),
        ("rdfxml", "CONSTRUCT { tw:a a tw:b } { }", "<?xml"),
        ("table", "CONSTRUCT { tw:a a tw:b } { }", "subject"),
    ],
)
def test_a_result_has_many_formats(form: str, query: str, start: str) -> None:
    result = run("sparql", query, "--format", form)
    assert result.exit_code == 0
    assert result.stdout_bytes.decode().startswith(start)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT * { SERVICE <http://example.org/> { } }", "line 1, column 12: SERVICE would"),
        ("DROP ALL", "line 1, column 1: DROP is an update"),
        ("SELECT *\n{ ?s ?p }", "line 2, column 9: expected a term"),
        (ENDLESS, "stopped after 0.2 s"),
    ],
)
def test_a_reason_stands_on_stderr(query: str, reason: str) -> None:
    """What is refused, fails or takes too long exits with 1 and prints nothing else."""
    result = run("sparql", query, "--timeout", "0.2")
    assert (result.exit_code, result.stdout) == (1, "")
    assert reason in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["ASK { }", "-f", "x.rq"],
        ["-f", "none.rq"],
        ["ASK { }", "--format", "turtle"],
        ["ASK { }", "--format", "pdf"],
        ["ASK { }", "--timeout", "0"],
        ["ASK { }", "--limit", "-1"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    result = run("sparql", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr


def test_bytes_that_are_no_text_are_wrong_usage() -> None:
    assert run("sparql", given=b"ASK { \xff }").exit_code == 2


def test_a_cut_result_says_so() -> None:
    result = run("sparql", "SELECT * { ?s ?p ?o }", "--limit", "3", "--format", "csv")
    assert len(result.stdout.splitlines()) == 4
    assert "cut at 3 rows" in result.stderr
    assert result.exit_code == 0


def test_a_wide_character_takes_two_columns() -> None:
    result = QueryResult("select", ("a", "b"), sent=[[["内存", None, "zh"], ["x", None, None]]])
    assert table(result).splitlines() == ["a     b", "----  -", "内存  x"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("A100", "excels at: FP16 performance"),
        ("显存", "rdfs:label: 显存"),
        ("tw:Statement", "skos:definition"),
        ("https://w3id.org/trainwright/data/nvidia-a100", "skos:altLabel: A100"),
        ("S312a", "twd:guide-S312a"),
    ],
)
def test_a_thing_is_described_by_any_of_its_names(name: str, shown: str) -> None:
    result = run("describe", name)
    assert result.exit_code == 0
    assert shown in result.stdout


def test_a_description_tells_who_points_at_the_thing() -> None:
    assert "\n  <- is about: guide statement S311a" in run("describe", "A100").stdout


def test_a_description_has_graph_formats() -> None:
    found = json.loads(run("describe", "A100", "--format", "jsonld").stdout)
    assert any(node["@id"].endswith("nvidia-a100") for node in found)
    assert run("describe", "A100", "--format", "csv").exit_code == 2


def test_an_unknown_name_is_not_found() -> None:
    """The reason is on stderr, with names that are near; the name is never part of a query."""
    result = run("describe", "A1")
    assert result.exit_code == 1
    assert "near it: A10" in result.stderr
    assert run("describe", '" } INSERT DATA { } #').exit_code == 1
    assert run("describe", "urn:a> } DROP ALL #").exit_code == 1


@pytest.mark.slow
def test_the_whole_process_is_quick() -> None:
    """From start to end in under 1.5 s; if others use the processors, in as much of their time."""
    times: list[float] = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        subprocess.run(
            [*COMMAND, "SELECT ?s { ?s a tw:Statement }"], check=True, capture_output=True
        )
        wall = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        times.append(min(wall, used))
        print(f"trainwright sparql: {wall:.2f} s, {used:.2f} s of processor time")
    assert min(times) < 1.5


@pytest.mark.slow
def test_ctrl_c_ends_it_at_once() -> None:
    process = subprocess.Popen([*COMMAND, ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(2.5)
    started = time.perf_counter()
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=5)
    assert time.perf_counter() - started < 1
    assert process.returncode == 130
    assert b"Traceback" not in errors
