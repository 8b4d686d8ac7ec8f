"""Each text of estimates is there in both languages, and each is used."""

from __future__ import annotations

import re
from pathlib import Path

import rdflib
from rdflib.namespace import DCTERMS

import assistant
from assistant.messages import Messages
from assistant.sizing import __all__ as public
from assistant.sizing.problems import WORDING

SOURCES = sorted((Path(assistant.__file__).parent / "sizing").glob("*.py"))
# What Python puts together: the rest is the name of an input, an item, a choice or a finding.
PREFIXES = (
    "alone", "budget", "caveat", "deadline", "devices", "finding", "headline", "input", "item",
    "level", "merit", "method", "mover", "option", "problem", "reason", "rejected", "scenario",
    "verdict",
)  # fmt: skip


def keys() -> set[str]:
    return {str(k) for k in rdflib.Graph().parse(WORDING).objects(None, DCTERMS.identifier)}


def test_texts_are_in_both_languages_with_the_same_fields() -> None:
    Messages.load(WORDING)
    assert len(keys()) >= 150


def test_each_text_is_used() -> None:
    text = "".join(p.read_text(encoding="utf-8") for p in SOURCES)
    unused = []
    for key in keys():
        prefix, _, name = key.partition("-")
        names = {name, name.removeprefix("guide-"), name.removeprefix("not-")}
        spelt = "|".join(n.replace("-", "[-_ ,]+") for n in names)
        joined = prefix in PREFIXES and re.search(rf"[\"'/| ,](?:{spelt})\b", text)
        if f'"{key}"' not in text and not joined:
            unused.append(key)
    assert sorted(unused) == []


def test_python_holds_no_text_of_another_language() -> None:
    held = [p.name for p in SOURCES if re.search(r"[\u4e00-\u9fff]", p.read_text(encoding="utf-8"))]
    # How sizes are written in Chinese is read, not said.
    assert held == ["models.py"]


def test_the_package_lists_its_names() -> None:
    assert public == sorted(public)
