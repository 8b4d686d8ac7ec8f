"""The command line answers, one JSON a line in a batch, and never shows a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from assistant import Answer, Assistant
from assistant.cli import app

ROOT = Path(__file__).parent.parent.parent
MINI_GUIDE = ROOT / "tests" / "data" / "mini_guide.txt"
QUESTION = "How much memory is the minimum?"
SHAPE = {f.name for f in fields(Answer)}

Run = Callable[..., Result]


@pytest.fixture
def run(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line with the session's assistant."""
    monkeypatch.setattr("assistant.cli._assistant", lambda: assistant)

    def invoke(*arguments: str, given: str | bytes = "") -> Result:
        result: Any = CliRunner().invoke(app, list(arguments), input=given)
        assert result.exception is None or isinstance(result.exception, SystemExit), repr(
            result.exception
        )
        assert "Traceback" not in result.output
        return result  # type: ignore[no-any-return]

    return invoke


def batch(path: Path, *lines: str | bytes) -> str:
    path.write_bytes(b"\n".join(x.encode() if isinstance(x, str) else x for x in lines) + b"\n")
    return str(path)


def json_lines(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.split("\n") if line]


def test_a_question_is_answered_as_text(run: Run) -> None:
    """The text comes first, then the sources by number."""
    result = run("ask", QUESTION)
    assert result.exit_code == 0
    first, *_ = result.stdout.splitlines()
    assert "128 GB" in first
    assert "\n[1] " in result.stdout
    assert "(S412a)" in result.stdout


def test_a_chinese_question_is_answered_in_chinese(run: Run) -> None:
    """Question and answer may be Chinese."""
    assert "内存至少要 128 GB" in run("ask", "内存至少要多大？").stdout


def test_json_gives_the_one_shape(run: Run) -> None:
    """--json prints one object on one line, with the fields of an answer."""
    (answer,) = json_lines(run("ask", "--json", QUESTION))
    assert set(answer) == SHAPE
    assert answer["kind"] == "answer"
    assert "S412a" in {c["statement"] for c in answer["citations"]}


def test_a_context_is_the_question_before(run: Run) -> None:
    """--context makes a follow-up of a question."""
    (answer,) = json_lines(run("ask", "--json", "那V100呢", "--context", "A100适合什么人用"))
    assert "S312b" in {c["statement"] for c in answer["citations"]}


def test_explain_shows_steps_and_query(run: Run) -> None:
    """--explain adds the steps, the template and a query."""
    output = run("ask", "--explain", QUESTION).stdout
    for part in ("link: ", "rank: ", "select: ", "template: ", "SELECT", " ms"):
        assert part in output
    assert "SELECT" not in run("ask", QUESTION).stdout


def test_a_prompt_answers_one_line_after_another(run: Run) -> None:
    """Without a question, lines are read until the input ends; each is the next one's context."""
    result = run("ask", "--json", given="A100适合什么人用\n\n那V100呢\n")
    first, second = json_lines(result)
    assert first["question"] == "A100适合什么人用"
    assert "S312b" in {c["statement"] for c in second["citations"]}


def test_a_prompt_without_input_ends(run: Run) -> None:
    """An empty input is no error."""
    assert run("ask").exit_code == 0


def test_a_batch_is_answered_line_by_line(run: Run, tmp_path: Path) -> None:
    """Each line has its answer in order, with its id; empty lines are passed over."""
    path = batch(
        tmp_path / "b.jsonl",
        json.dumps({"id": "a", "question": QUESTION, "context": None}),
        "",
        json.dumps({"id": 7, "question": "那V100呢", "context": "A100适合什么人用"}),
        json.dumps({"question": "内存至少要多大？"}),
    )
    result = run("ask", "--batch", path)
    assert result.exit_code == 0
    answers = json_lines(result)
    assert [a["id"] for a in answers] == ["a", 7, None]
    assert all(set(a) == SHAPE for a in answers)
    assert [a["language"] for a in answers] == ["en", "zh", "zh"]


def test_a_batch_may_come_from_stdin(run: Run) -> None:
    """- reads the batch from standard input."""
    (answer,) = json_lines(run("ask", "--batch", "-", given=json.dumps({"question": QUESTION})))
    assert answer["kind"] == "answer"


BROKEN = {
    "cut off": '{"question": "x',
    "no JSON": "How much memory?",
    "a list": "[1, 2]",
    "a string": '"question"',
    "null": "null",
    "no question": '{"id": "a"}',
    "question is null": '{"question": null}',
    "question is a number": '{"question": 5}',
    "context is a list": '{"question": "x", "context": ["y"]}',
    "deeply nested": "[" * 100_000,
    "a huge number": '{"question": ' + "9" * 5_000 + "}",
    "not UTF-8": b'{"question": \xff\xfe}',
}


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_line_says_so_and_the_rest_is_answered(
    run: Run, tmp_path: Path, line: str | bytes
) -> None:
    """A line that is not as it must be is an answer with its number; the next is answered."""
    good = json.dumps({"id": "good", "question": QUESTION})
    result = run("ask", "--batch", batch(tmp_path / "b.jsonl", good, line, good))
    assert result.exit_code == 0
    first, broken, last = json_lines(result)
    assert first["kind"] == last["kind"] == "answer"
    assert broken["kind"] == "needs_input"
    assert "2" in broken["text"]
    assert broken["citations"] == []


def test_a_broken_line_has_the_one_shape(run: Run) -> None:
    """Also the answer to a broken line has every field of an answer."""
    (answer,) = json_lines(run("ask", "--batch", "-", given="{"))
    assert set(answer) >= SHAPE


def test_a_line_with_a_broken_context_keeps_its_id(run: Run) -> None:
    """A line that can be read but not answered is told apart by its id."""
    given = json.dumps({"id": "a", "question": QUESTION, "context": 5})
    (answer,) = json_lines(run("ask", "--batch", "-", given=given))
    assert answer["id"] == "a"


ODD = {
    "a lone surrogate": rb'{"id": "a", "question": "memory \ud800"}',
    "a byte order mark": b'\xef\xbb\xbf{"id": "a", "question": "memory"}',
    "a line separator in a string": '{"id": "a", "question": "memory\u2028size"}'.encode(),
    "a next-line character in a string": '{"id": "a", "question": "memory\u0085size"}'.encode(),
    "CRLF": b'{"id": "a", "question": "memory"}\r\n',
    "a null character": rb'{"id": "a", "question": "memory \u0000"}',
    "20,000 characters": b'{"id": "a", "question": "' + b"x" * 20_000 + b'"}',
}


@pytest.mark.parametrize("given", ODD.values(), ids=ODD)
def test_an_odd_line_that_is_json_is_one_question(run: Run, given: bytes) -> None:
    """What JSON allows in a line is one question with one answer."""
    (answer,) = json_lines(run("ask", "--batch", "-", given=given))
    assert answer["id"] == "a"


def test_a_missing_batch_is_an_error_of_use(run: Run, tmp_path: Path) -> None:
    """A batch that is not there ends with code 2 and its name."""
    result = run("ask", "--batch", str(tmp_path / "nowhere.jsonl"))
    assert result.exit_code == 2
    assert "nowhere.jsonl" in result.stderr


def test_a_folder_is_no_batch(run: Run, tmp_path: Path) -> None:
    """A folder in a batch's place ends with code 2."""
    assert run("ask", "--batch", str(tmp_path)).exit_code == 2


def test_a_question_and_a_batch_are_too_much(run: Run, tmp_path: Path) -> None:
    """Either a question or a batch; both end with code 2."""
    result = run("ask", QUESTION, "--batch", str(tmp_path / "b.jsonl"))
    assert result.exit_code == 2
    assert "not both" in result.stderr


@pytest.mark.parametrize("question", ["", " ", "x" * 20_000, "\x1b[31m", "😀"], ids=ascii)
def test_a_bad_question_is_answered(run: Run, question: str) -> None:
    """Whatever the question, the command ends with code 0 and a text."""
    result = run("ask", "--", question)
    assert result.exit_code == 0
    assert result.stdout.strip()


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--nonsense"], id="unknown option"),
        pytest.param(["nonsense"], id="unknown command"),
        pytest.param(["guide", "verify"], id="file missing"),
    ],
)
def test_misuse_ends_with_code_2(run: Run, arguments: list[str]) -> None:
    """What the command line does not know ends with code 2 and a hint."""
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(None, "no such file", id="missing"),
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"a\0b", "is binary", id="binary"),
        pytest.param(b"\xff\xfe", "is not UTF-8", id="not UTF-8"),
    ],
)
def test_verify_refuses_what_is_no_text(
    run: Run, tmp_path: Path, content: bytes | None, says: str
) -> None:
    """A guide that cannot be read ends with code 1 and the reason."""
    path = tmp_path / "guide.txt"
    if content is not None:
        path.write_bytes(content)
    result = run("guide", "verify", str(path))
    assert result.exit_code == 1
    assert says in result.stderr


def test_verify_tells_what_differs(run: Run) -> None:
    """Another text than the guide ends with code 1; every statement is listed."""
    result = run("guide", "verify", str(MINI_GUIDE))
    assert result.exit_code == 1
    assert result.stdout.count("DIFFERS") == 53
    assert "0 of 53 statements match" in result.stdout


def test_verify_of_the_right_text_ends_well(
    run: Run, mini: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where every place holds its words the code is 0."""
    monkeypatch.setattr("kg.KnowledgeGraph.shipped", lambda: mini)
    result = run("guide", "verify", str(MINI_GUIDE))
    assert result.exit_code == 0
    assert result.stdout.count("same") == 4
    assert "4 of 4 statements match" in result.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["ask", "--help"], ["guide", "--help"]], ids=str)
def test_help_ends_well(run: Run, arguments: list[str]) -> None:
    """Each command explains itself."""
    result = run(*arguments)
    assert result.exit_code == 0
    assert "Usage" in result.stdout


@pytest.mark.slow
def test_the_whole_process_answers() -> None:
    """The command as people start it answers on standard output and writes nothing else."""
    done = subprocess.run(
        [sys.executable, "-m", "assistant.cli", "ask", "--json", QUESTION],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["kind"] == "answer"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        pytest.param("TRAINWRIGHT_GUIDE", "/nowhere/guide.txt", id="guide"),
        pytest.param("TRAINWRIGHT_ENCODER", "/nowhere/model", id="encoder"),
    ],
)
def test_a_setting_that_names_nothing_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """A setting that names a missing file ends with code 1 and its name."""
    monkeypatch.setenv(variable, value)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    done = subprocess.run(
        [sys.executable, "-m", "assistant.cli", "ask", QUESTION],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert value in done.stderr
    assert "Traceback" not in done.stderr
