"""Thumbs are lines of JSON in one file, and stay whole when several writers add at once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path

import pytest

from assistant.feedback import Feedback, FeedbackFile

UP = Feedback(
    turn="t1",
    time="2026-01-01T00:00:00+00:00",
    rating="up",
    question="内存\n至少要多大？",
    context=None,
    language="zh",
    kind="answer",
    template="requirement_of_scenario",
)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_line_holds_the_thumb_and_the_question_and_nothing_else(tmp_path: Path) -> None:
    file = FeedbackFile(tmp_path / "deep" / "feedback.jsonl")
    file.add(UP)
    (line,) = lines(file.path)
    assert line["question"] == UP.question
    assert set(line) == {field.name for field in fields(Feedback)}


def test_later_lines_follow_earlier_ones(tmp_path: Path) -> None:
    file = FeedbackFile(tmp_path / "feedback.jsonl")
    file.add(UP)
    file.add(replace(UP, rating=None))
    assert [line["rating"] for line in lines(file.path)] == ["up", None]


def test_the_file_lies_in_the_home_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINWRIGHT_HOME", str(tmp_path))
    assert FeedbackFile.at_home().path == tmp_path / "feedback.jsonl"
    monkeypatch.delenv("TRAINWRIGHT_HOME")
    assert "trainwright" in FeedbackFile.at_home().path.parts


def test_many_writers_at_once_leave_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "feedback.jsonl"
    long = replace(UP, question="问" * 20_000)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: FeedbackFile(path).add(long), range(40)))
    assert len(lines(path)) == 40


def test_a_home_that_is_no_folder_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        FeedbackFile(tmp_path / "file" / "feedback.jsonl").add(UP)
