"""What a question asserts is held against the graph: wrong is pointed out, right is not.

`tests/questions/wrong_premises.json` holds questions that assert something wrong,
`tests/data/true_premises.json` ones that assert something right, by "right?" or 对吧.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant import Assistant

TESTS = Path(__file__).parent.parent
WRONG: list[dict[str, Any]] = json.loads(
    (TESTS / "questions" / "wrong_premises.json").read_text(encoding="utf-8")
)
TRUE: list[dict[str, Any]] = json.loads(
    (TESTS / "data" / "true_premises.json").read_text(encoding="utf-8")
)
LEAST_FLAGGED = 0.7


def test_there_are_enough_of_both() -> None:
    """Both lists hold at least 30 questions, of both languages."""
    for items in (WRONG, TRUE):
        assert len(items) >= 30
        assert {i["language"] for i in items} == {"zh", "en"}


def test_most_wrong_premises_are_pointed_out(assistant: Assistant) -> None:
    """At least seven in ten questions with a wrong premise are corrected."""
    missed = [
        i["question"]
        for i in WRONG
        if (premise := assistant.ask(i["question"], i["context"]).premise) is None or premise.holds
    ]
    assert 1 - len(missed) / len(WRONG) >= LEAST_FLAGGED, "\n".join(missed)


@pytest.mark.parametrize("item", TRUE, ids=lambda item: str(item["question"]))
def test_a_true_premise_is_not_corrected(assistant: Assistant, item: dict[str, Any]) -> None:
    """A question that asserts what the guide says gets the statement and no correction."""
    answer = assistant.ask(item["question"])
    assert answer.premise is None
    assert answer.kind == "answer"
    assert set(item["statements"]) <= {c.statement for c in answer.citations}


def test_a_correction_is_said_and_cited(assistant: Assistant) -> None:
    """The text opens with the correction, and the correction cites a statement."""
    corrected = [a for i in WRONG if (a := assistant.ask(i["question"], i["context"])).premise]
    assert corrected
    for answer in corrected:
        assert answer.premise is not None
        assert answer.text.startswith(answer.premise.correction)
        assert "[1]" in answer.premise.correction


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        pytest.param("小型研究项目用12块3090，对吧？", "S51a", id="12 cards"),
        pytest.param("中型企业要48块GPU，对吧？", "S52a", id="48 cards"),
        pytest.param(
            "The small project uses 12 RTX 3090s, right?", "S51a", id="12 cards in English"
        ),
    ],
)
def test_a_damaged_number_is_given_both_ways(
    assistant: Assistant, question: str, statement: str
) -> None:
    """Of a number that the guide's text has lost a dash from, both readings are said."""
    answer = assistant.ask(question)
    assert statement in {c.statement for c in answer.citations}
    literal, reading = {"S51a": ("12", "1-2"), "S52a": ("48", "4-8")}[statement]
    assert literal in answer.text
    assert reading in answer.text
