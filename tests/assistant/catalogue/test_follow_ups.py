"""A follow-up keeps what the question before it said and changes what it names."""

from __future__ import annotations

import pytest

from assistant.catalogue import Catalogue
from assistant.catalogue.question import CatalogueQuestion


def understood(catalogue: Catalogue, *conversation: str) -> CatalogueQuestion:
    *earlier, question = conversation
    found = catalogue.read(question, earlier).question
    assert isinstance(found, CatalogueQuestion), found
    return found


def entries(catalogue: Catalogue, *conversation: str) -> list[str]:
    *earlier, question = conversation
    answer = catalogue.answer(catalogue.read(question, earlier))
    steps = {step.step: step.detail for step in answer.steps}
    return [e.removeprefix("twd:accelerator-") for e in steps["select"]["entries"]]


@pytest.mark.parametrize(
    ("before", "question"),
    [("Orca 80GB power", "and the Heron X2?"), ("Orca 80GB 的功耗", "那苍鹭呢")],
)
def test_another_thing_is_asked_the_same(small: Catalogue, before: str, question: str) -> None:
    asked = understood(small, before, question)
    assert [s.rsplit("/", 1)[-1] for s in asked.subjects] == ["accelerator-heron-x2"]
    assert [a.quantity.rsplit("/", 1)[-1] for a in asked.asked] == ["power-draw"]


@pytest.mark.parametrize(
    ("before", "question"),
    [("Orca 80GB power", "and its memory?"), ("Orca 80GB 的功耗", "显存呢")],
)
def test_the_same_thing_is_asked_another(small: Catalogue, before: str, question: str) -> None:
    asked = understood(small, before, question)
    assert [s.rsplit("/", 1)[-1] for s in asked.subjects] == ["accelerator-orca-80"]
    assert "accelerator-memory" in [a.quantity.rsplit("/", 1)[-1] for a in asked.asked]


@pytest.mark.parametrize(
    ("before", "question", "found"),
    [
        ("GPUs with at least 40 GB", "which of those draws the least power?", ["orca-40"]),
        ("40G 以上的显卡", "其中哪个功耗最低？", ["orca-40"]),
        ("GPUs with at least 40 GB", "only those from Borealis", ["heron-x2"]),
        ("40G 以上的显卡", "只要北辰的", ["heron-x2"]),
    ],
)
def test_what_was_found_is_narrowed(
    small: Catalogue, before: str, question: str, found: list[str]
) -> None:
    assert entries(small, before, question) == found


def test_a_conversation_goes_on_over_several_questions(small: Catalogue) -> None:
    conversation = ("Orca 80GB power", "and the Heron X2?", "and its memory?")
    asked = understood(small, *conversation)
    assert [s.rsplit("/", 1)[-1] for s in asked.subjects] == ["accelerator-heron-x2"]
    assert [a.quantity.rsplit("/", 1)[-1] for a in asked.asked] == ["accelerator-memory"]


@pytest.mark.parametrize("question", ["Puffin 9 power draw", "which GPU has the most memory?"])
def test_a_question_of_its_own_does_not_lean(small: Catalogue, question: str) -> None:
    reading = small.read(question, ("Orca 80GB power",))
    assert not reading.follows
    assert reading.question == small.read(question).question
