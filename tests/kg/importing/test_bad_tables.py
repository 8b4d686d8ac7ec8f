"""Whatever is wrong with a table is named by file, row, column and reason, and nothing is taken."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assistant.normalisation import has_han
from kg import KnowledgeGraph
from kg.importing import ImportReport, csv_file, import_table, load_tables
from kg.importing.messages import messages

DATA = Path(__file__).parents[2] / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "bad_tables.json").read_text(encoding="utf-8"))
TABLES = load_tables()
PACKAGE = Path(csv_file.__file__).parent

GOOD = """id,name,class,vendor,line,memory_gb,sources
x1,X1,GPU,nvidia,,80,epoch-ml-hardware
x2,X2,GPU,nvdia,,80,epoch-ml-hardware
x3,X3,GPU,amd,,64,epoch-ml-hardware
x2--2,,,,,81,epoch-ml-hardware
"""


def imported(tmp_path: Path, graph: KnowledgeGraph, table: str, text: str | bytes) -> ImportReport:
    path = tmp_path / "mine.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return import_table(path, TABLES[table], graph)


def test_the_cases_are_read() -> None:
    assert len(CASES) >= 34


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_each_fault_is_named(
    shipped: KnowledgeGraph,
    tmp_path: Path,
    case: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    report = imported(tmp_path, shipped, case["table"], "\n".join(case["csv"]) + "\n")
    assert [(p.key, p.row, p.column) for p in report.problems] == [
        tuple(expected[:3]) for expected in case["problems"]
    ]
    for problem, (_, _, _, value, allowed) in zip(report.problems, case["problems"], strict=True):
        assert value is None or problem.value == value
        assert allowed is None or allowed in problem.allowed
    assert report.refused
    assert len(report.graph) == 0
    # RDFLib complains in its log of IRIs that are none.
    assert caplog.records == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_each_fault_is_told_in_both_languages(
    shipped: KnowledgeGraph, tmp_path: Path, case: dict[str, Any]
) -> None:
    report = imported(tmp_path, shipped, case["table"], "\n".join(case["csv"]) + "\n")
    for problem in report.problems:
        en, zh = problem.text("en"), problem.text("zh")
        assert has_han(zh)
        assert not has_han(en.replace(problem.value, ""))
        for text in (en, zh):
            assert text.startswith("mine.csv")
            assert problem.row is None or str(problem.row) in text
            assert problem.column is None or problem.column in text
            assert not problem.allowed or problem.allowed[0] in text


def test_every_fault_the_code_knows_has_a_message_and_a_case() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted(PACKAGE.glob("*.py")))
    keys = set(re.findall(r'(?:BadCell|Problem)\(\s*"([a-z-]+)"', code)) | {
        "missing-source",
        "empty",
    }
    assert len(keys) >= 25
    for key in keys:
        assert messages()(f"import-{key}", "en", value="", allowed="")
    tried = {problem[0] for case in CASES for problem in case["problems"]}
    # Faults of whole files have tests of their own below.
    assert keys - tried == {"file-encoding", "file-too-large", "file-unreadable", "too-many-rows"}


def test_a_file_that_is_not_utf8_is_refused_with_its_line(
    shipped: KnowledgeGraph, tmp_path: Path
) -> None:
    text = "id,name,class,vendor,sources\nx1,X1,GPU,nvidia,epoch-ml-hardware\nx2,昇腾,GPU,,\n"
    (problem,) = imported(tmp_path, shipped, "accelerators", text.encode("gb18030")).problems
    assert (problem.key, problem.value) == ("file-encoding", "3")
    assert "UTF-8" in problem.text("zh")


def test_a_spreadsheet_program_file_is_refused(shipped: KnowledgeGraph, tmp_path: Path) -> None:
    (problem,) = imported(tmp_path, shipped, "accelerators", b"PK\x03\x04\x14\x00").problems
    assert problem.key == "file-encoding"


def test_a_file_over_50_mb_is_refused_unread(shipped: KnowledgeGraph, tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(csv_file.LARGEST + 1)
    (problem,) = import_table(path, TABLES["accelerators"], shipped).problems
    assert (problem.key, problem.allowed) == ("file-too-large", ("50 MB",))


def test_a_file_of_too_many_rows_is_refused(
    shipped: KnowledgeGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_file, "MOST_ROWS", 2)
    (problem,) = imported(tmp_path, shipped, "accelerators", GOOD).problems
    assert (problem.key, problem.value, problem.allowed) == ("too-many-rows", "4", ("2",))


def test_a_file_that_is_not_there_is_named(shipped: KnowledgeGraph, tmp_path: Path) -> None:
    (problem,) = import_table(tmp_path / "no.csv", TABLES["accelerators"], shipped).problems
    assert (problem.key, problem.file) == ("file-unreadable", "no.csv")


def test_bad_rows_are_skipped_when_asked_and_counted(
    shipped: KnowledgeGraph, tmp_path: Path
) -> None:
    """A further reading of a row that is left out is left out too."""
    path = tmp_path / "mine.csv"
    path.write_text(GOOD, encoding="utf-8")
    report = import_table(path, TABLES["accelerators"], shipped, skip_bad_rows=True)
    assert not report.refused
    assert (report.rows, report.readings, report.skipped) == (2, 0, 2)
    assert [p.key for p in report.problems] == ["unknown-value", "reading-of-nothing"]
    assert "x1" in report.turtle()
    assert "accelerator-x2" not in report.turtle()
    assert "2" in report.text("en").splitlines()[-1]
    assert "2" in report.text("zh").splitlines()[-1]


def test_a_row_that_names_a_skipped_row_is_skipped(shipped: KnowledgeGraph, tmp_path: Path) -> None:
    """Nothing refers to what was not imported."""
    path = tmp_path / "lines.csv"
    path.write_text(
        "key,name,class,vendor,parent\na,A,GPU,nvdia,\nb,B,GPU,nvidia,a\nc,C,GPU,nvidia,b\n"
        "d,D,GPU,nvidia,\ne,E,GPU,nvidia,d\n",
        encoding="utf-8",
    )
    report = import_table(path, TABLES["lines"], shipped, skip_bad_rows=True)
    assert (report.rows, report.skipped) == (2, 3)
    assert "line-b" not in report.turtle()
