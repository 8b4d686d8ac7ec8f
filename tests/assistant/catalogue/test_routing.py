"""Who answers: the guide what it speaks of, the catalogue what is measured, or both."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant import Answer, Assistant

QUESTIONS = Path(__file__).parents[2] / "questions" / "catalogue.json"
LEAST_SHARE = 0.9


def is_of_catalogue(answer: Answer) -> bool:
    return (answer.template or "").startswith("catalogue-")


@pytest.mark.parametrize(
    "question",
    [
        "A100适合什么人用",
        "What is the A100 good for?",
        "小项目用什么显卡",
        "Why does storage speed matter for AI training?",
        "云服务器有哪些好处",
        "A100 和 V100 怎么选",
        "大规模分布式用什么网络",
        "最少要多大内存",
    ],
)
def test_what_the_guide_speaks_of_stays_with_the_guide(
    ask: Callable[[str, str | None], Answer], question: str
) -> None:
    answer = ask(question, None)
    assert answer.kind == "answer"
    assert not is_of_catalogue(answer)
    assert all(c.statement for c in answer.citations)


@pytest.mark.parametrize(
    "question",
    [
        "H100 SXM 功耗多少",
        "How many watts is an H100 SXM?",
        "显存带宽最高的 GPU 是哪款",
        "H200 SXM 比 H100 SXM 多多少显存",
        "cheapest place to rent an H100 SXM in the cloud",
        "4090 支持 FP8 吗",
        "AWS 上有哪些 A100 实例",
    ],
)
def test_figures_of_devices_come_from_the_catalogue(
    ask: Callable[[str, str | None], Answer], question: str
) -> None:
    answer = ask(question, None)
    assert answer.kind == "answer"
    assert is_of_catalogue(answer)
    assert not any(c.statement for c in answer.citations)


@pytest.mark.parametrize(
    "question",
    [
        "指南和目录对 A100 的显存说法一致吗",
        "Does the guide agree with the catalogue on the A100's memory?",
        "对比指南与目录里 V100 的说法",
    ],
)
def test_the_guide_is_set_against_the_catalogue(
    ask: Callable[[str, str | None], Answer], question: str
) -> None:
    """Both are cited, in one count."""
    answer = ask(question, None)
    assert answer.kind == "answer"
    assert any(c.statement for c in answer.citations)
    assert any(c.statement is None for c in answer.citations)
    assert [c.n for c in answer.citations] == list(range(1, len(answer.citations) + 1))


@pytest.mark.parametrize(
    ("context", "question", "of_catalogue"),
    [
        ("H100 SXM 功耗多少", "那 A100 SXM 80GB 呢", True),
        ("48GB 的英伟达工作站卡有哪些？", "其中哪个功耗最低？", True),
        ("A100适合什么人用", "那V100呢", False),
        ("TPU适合谁", "有啥缺点", False),
    ],
)
def test_a_follow_up_stays_with_who_answered(
    ask: Callable[[str, str | None], Answer], context: str, question: str, of_catalogue: bool
) -> None:
    answer = ask(question, context)
    assert answer.kind == "answer"
    assert is_of_catalogue(answer) == of_catalogue


def test_neither_is_asked_about_the_weather(assistant: Assistant) -> None:
    assert assistant.ask("今天天气怎么样").kind == "out_of_scope"


@pytest.mark.slow
def test_most_questions_to_the_catalogue_reach_it(
    ask: Callable[[str, str | None], Answer],
) -> None:
    """At least nine in ten competency questions are answered by the catalogue."""
    pairs = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    asked = [
        (pair["question"][language], (pair["context"] or {}).get(language))
        for pair in pairs
        if pair["kind"] == "answer"
        for language in ("zh", "en")
    ]
    lost = [f"{q} ({c})" for q, c in asked if not is_of_catalogue(ask(q, c))]
    assert 1 - len(lost) / len(asked) >= LEAST_SHARE, "\n".join(lost)
