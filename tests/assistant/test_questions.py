"""The shares of questions that are answered as they should be, by `benchmarks.held_out`.

`regression.json` holds questions that have been read while the product was made,
`held_out.json` ones that have not. Their writers did not see each other's, so a few
questions stand in both; as held out they do not count.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from assistant import Answer
from benchmarks.held_out import reasons

QUESTIONS = Path(__file__).parent.parent / "questions"
REGRESSION, HELD_OUT = "regression.json", "held_out.json"
SETS = {REGRESSION: 0.95, HELD_OUT: 0.90}
MOST_APART = 0.02
# Two samples of some hundred questions differ by chance alone: two standard errors of the
# difference of two shares, at the share that both have together.
STANDARD_ERRORS = 2.0

Verdicts = dict[str, list[tuple[dict[str, Any], list[str]]]]


@cache
def load(name: str) -> tuple[dict[str, Any], ...]:
    """Return the questions of a set; of the held-out ones those that nobody has read."""
    items = json.loads((QUESTIONS / name).read_text(encoding="utf-8"))
    if name == HELD_OUT:
        read = {i["question"] for i in load(REGRESSION)}
        items = [i for i in items if i["question"] not in read]
    return tuple(items)


@pytest.fixture(scope="module")
def verdicts(ask: Callable[[str, str | None], Answer]) -> Verdicts:
    """For each set its questions with the reasons why they fail, none if they pass."""
    return {
        name: [(i, reasons(i, ask(i["question"], i["context"]))) for i in load(name)]
        for name in SETS
    }


@pytest.mark.parametrize("name", SETS)
def test_a_set_is_whole(name: str) -> None:
    """A set has at least 200 questions with ids of their own, about half in either language."""
    items = load(name)
    assert len(items) >= 200
    assert len({i["id"] for i in items}) == len(items)
    assert len({(i["question"], i["context"]) for i in items}) >= 0.99 * len(items)
    chinese = sum(i["language"] == "zh" for i in items)
    assert 0.45 <= chinese / len(items) <= 0.55
    assert {i["kind"] for i in items} == {"answer", "wrong_premise", "not_stated", "out_of_scope"}


def test_few_held_out_questions_have_been_read() -> None:
    """At most 5 % of the held-out questions stand in the other set word for word."""
    whole = json.loads((QUESTIONS / HELD_OUT).read_text(encoding="utf-8"))
    assert len(load(HELD_OUT)) >= 0.95 * len(whole)


@pytest.mark.parametrize(("name", "share"), SETS.items(), ids=SETS)
def test_enough_questions_pass(verdicts: Verdicts, name: str, share: float) -> None:
    """At least 95 % of the questions that have been read pass, and 90 % of the others."""
    failures = [f"{i['id']} {i['question']}: {why}" for i, why in verdicts[name] if why]
    assert 1 - len(failures) / len(verdicts[name]) >= share, "\n".join(failures)


@pytest.mark.parametrize("name", SETS)
def test_both_languages_are_served_alike(verdicts: Verdicts, name: str) -> None:
    """The two languages' shares differ by no more than 2 points and what chance allows."""
    passed: dict[str, list[bool]] = defaultdict(list)
    for item, why in verdicts[name]:
        passed[item["language"]].append(not why)
    zh, en = (sum(passed[k]) / len(passed[k]) for k in ("zh", "en"))
    together = sum(map(sum, passed.values())) / sum(map(len, passed.values()))
    error = sqrt(together * (1 - together) * sum(1 / len(p) for p in passed.values()))
    assert abs(zh - en) <= MOST_APART + STANDARD_ERRORS * error, f"zh {zh:.1%}, en {en:.1%}"
