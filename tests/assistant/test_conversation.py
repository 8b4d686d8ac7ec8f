"""A follow-up leans on the question before it; a question of its own does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant import Assistant
from assistant.conversation import Reader
from assistant.guide_index import GuideIndex
from assistant.linking import Linker
from kg import KnowledgeGraph

FOLLOW_UPS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "questions" / "follow_ups.json").read_text(encoding="utf-8")
)
LEAST_SHARE = 0.8


@pytest.fixture(scope="module")
def names(shipped: KnowledgeGraph, shipped_linker: Linker) -> Callable[..., set[str]]:
    """Return the last parts of the IRIs that a question is read to be about."""
    reader = Reader(shipped_linker, GuideIndex.of(shipped))

    def read(question: str, context: str | None = None) -> set[str]:
        nodes = reader.read(question, context).linked.nodes
        return {str(n).replace("#", "/").rsplit("/", 1)[-1] for n in nodes}

    return read


def test_most_follow_ups_are_answered(assistant: Assistant) -> None:
    """At least four in five follow-ups cite every statement that was meant."""
    assert len(FOLLOW_UPS) >= 50
    missed = [
        f"{i['context']} / {i['question']}"
        for i in FOLLOW_UPS
        if not set(i["statements"])
        <= {c.statement for c in assistant.ask(i["question"], i["context"]).citations}
    ]
    assert 1 - len(missed) / len(FOLLOW_UPS) >= LEAST_SHARE, "\n".join(missed)


@pytest.mark.parametrize(
    ("context", "question", "expected", "dropped"),
    [
        pytest.param("A100适合什么人用", "那V100呢", "nvidia-v100", "nvidia-a100", id="product zh"),
        pytest.param(
            "What is the A100 good for?",
            "And the V100?",
            "nvidia-v100",
            "nvidia-a100",
            id="product en",
        ),
        pytest.param("小项目用什么显卡", "硬盘呢", "Storage", "GPU", id="part"),
    ],
)
def test_a_new_thing_takes_the_place_of_the_old(
    names: Callable[..., set[str]], context: str, question: str, expected: str, dropped: str
) -> None:
    """What the follow-up names replaces the thing of its kind in the question before."""
    found = names(question, context)
    assert expected in found
    assert dropped not in found


def test_what_is_not_said_again_is_kept(names: Callable[..., set[str]]) -> None:
    """The scenario of the question before still holds where the follow-up names only a part."""
    before = names("中型企业要多少内存")
    after = names("硬盘呢", "中型企业要多少内存")
    assert after & before


@pytest.mark.parametrize("context", [None, "", "   "], ids=["none", "empty", "spaces"])
def test_without_a_question_before_nothing_is_added(
    names: Callable[..., set[str]], context: str | None
) -> None:
    """An empty context is none."""
    assert names("那V100呢", context) == names("那V100呢")


def test_a_question_of_its_own_is_left_alone(assistant: Assistant) -> None:
    """A full question has the same answer, whatever was asked before it."""
    question = (
        "For distributed training over several servers, which network technologies does the "
        "guide propose and why?"
    )
    alone = assistant.ask(question)
    assert assistant.ask(question, "What is the A100 good for?").citations == alone.citations


STORY = (
    "We are a team that ran out of patience: last spring a power supply failed and we lost a "
    "week. My colleague swears by liquid cooling, and our old servers have slow mechanical disks "
    "and a weak network. How much memory should we buy?"
)


def test_a_long_story_is_reduced_to_what_it_asks(
    names: Callable[..., set[str]], assistant: Assistant
) -> None:
    """Of a long text the sentence that asks counts, not every thing mentioned on the way."""
    assert not names(STORY) & {"liquid-cooling", "PowerSupply", "Network", "mechanical-disk"}
    assert assistant.ask(STORY).citations[0].statement == "S412a"


def test_a_product_of_the_story_is_not_taken_over(names: Callable[..., set[str]]) -> None:
    """Of the sentences that do not ask, only whom and what it is for is kept."""
    assert "nvidia-v100" not in names(STORY.replace("our old servers", "our old V100 servers"))
