"""The commands `import` and `catalogue`: what they print, write and exit with."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib
from typer.testing import CliRunner, Result

from assistant.cli import app

GOOD = "id,name,kind,accelerator memory [GB],sources\nx1,Card X1,GPU,80,https://example.org/x1\n"
BAD = GOOD + "x2,Card X2,GPU,-80,https://example.org/x2\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text(GOOD, encoding="utf-8")
    return path


def test_a_table_comes_out_as_turtle(table: Path) -> None:
    result = run("import", table, "--language", "en")
    assert result.exit_code == 0
    assert len(rdflib.Graph().parse(data=result.stdout, format="turtle")) >= 15
    assert "took 1 rows" in result.stderr


def test_turtle_goes_to_the_file_asked_for(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.ttl"
    assert run("import", table, "--out", out).stdout == ""
    assert out.read_text(encoding="utf-8") == run("import", table).stdout


def test_a_bad_table_gives_nothing_and_exits_with_1(table: Path, tmp_path: Path) -> None:
    table.write_text(BAD, encoding="utf-8")
    out = tmp_path / "mine.ttl"
    result = run("import", table, "--out", out, "--language", "zh")
    assert result.exit_code == 1
    assert not out.exists()
    assert "mine.csv，第 3 行，accelerator memory [GB] 列：“-80”不大于零" in result.stderr


def test_bad_rows_are_left_out_when_asked(table: Path) -> None:
    table.write_text(BAD, encoding="utf-8")
    result = run("import", table, "--skip-bad-rows", "--language", "en")
    assert result.exit_code == 0
    assert "device-x1" in result.stdout
    assert "device-x2" not in result.stdout
    assert "Skipped 1 rows" in result.stderr


def test_the_terminal_says_which_language(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "已导入" in run("import", table).stderr
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    assert "took" in run("import", table).stderr


def test_a_file_called_like_a_table_is_read_as_that(tmp_path: Path) -> None:
    path = tmp_path / "cloud-instances.csv"
    path.write_text("id,name,provider,vcpu,sources\nx1,X1,azure,8,boaviztapi-2-5-0-aws\n")
    assert "twd:cloud-x1" in run("import", path).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("import",),
        ("import", "mine.csv", "--table", "cars"),
        ("import", "mine.csv", "--language", "fr"),
        ("catalogue", "report", "--date", "tomorrow"),
        ("catalogue", "build", "no-such-folder"),
    ],
    ids=" ".join,
)
def test_misuse_exits_with_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_a_place_that_cannot_be_written_exits_with_2(table: Path, tmp_path: Path) -> None:
    result = run("import", table, "--out", tmp_path / "no" / "mine.ttl")
    assert result.exit_code == 2
    assert "no/mine.ttl" in result.stderr


def test_the_report_lists_single_sources_and_stale_prices() -> None:
    result = run("catalogue", "report", "--date", "2026-11-30", "--language", "en")
    assert result.exit_code == 0
    assert "Figures that rest on one source: " in result.stdout
    assert "Prices from before 2025-11-28, or without a date: " in result.stdout
    assert "\tundated" in result.stdout
