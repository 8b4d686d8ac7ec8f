"""The texts of the page: both languages, the same fields, and each one used."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
import rdflib

from assistant.answer import Kind
from assistant.messages import MESSAGES, Messages
from kg import BrokenData

ROOT = Path(__file__).parent.parent
# The page; what else speaks has texts of its own.
PAGES = [ROOT / "app.py", *(ROOT / "assistant" / "pages").rglob("*.py")]
SOURCES = [ROOT / "app.py", *(ROOT / "assistant").rglob("*.py")]
HAN = re.compile(r"[\u4e00-\u9fff]")

# Keys that Python puts together: what comes after the prefix is named elsewhere.
PREFIXES = (
    *("citation-", "kind-", "language-", "progress-", "property-", "step-"),
    *("sparql-chart-", "sparql-cut-", "sparql-example-", "sparql-query-", "sparql-size-"),
)


def keys() -> set[str]:
    graph = rdflib.Graph().parse(MESSAGES)
    return {str(key) for key in graph.objects(None, rdflib.DCTERMS.identifier)}


def message_file(folder: Path, texts: str) -> Path:
    path = folder / "messages.ttl"
    path.write_text(
        "PREFIX dcterms: <http://purl.org/dc/terms/>\n"
        "PREFIX tw: <https://w3id.org/trainwright/ontology#>\n"
        f'<urn:m> a tw:Message ; dcterms:identifier "m" ; tw:text {texts} .',
        encoding="utf-8",
    )
    return path


def test_a_text_comes_in_the_language_asked_for_with_its_fields() -> None:
    messages = Messages.load(MESSAGES)
    assert "3.5" in messages("reasoning-elapsed", "en", milliseconds="3.5")
    assert HAN.search(messages.in_language("zh")("reasoning-elapsed", milliseconds="3.5"))


def test_an_unknown_key_or_a_missing_field_is_an_error() -> None:
    messages = Messages.load(MESSAGES)
    with pytest.raises(KeyError):
        messages("no-such-message", "en")
    with pytest.raises(KeyError):
        messages("reasoning-elapsed", "en")


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        ('"a"@en', "no text in zh"),
        ('"甲"@zh', "no text in en"),
        ('"a"@en , "b"@en , "甲"@zh', "two texts in en"),
        ('"a {x}"@en , "甲 {y}"@zh', "other fields"),
    ],
    ids=["no-zh", "no-en", "twice", "fields"],
)
def test_a_broken_file_is_refused_and_named(tmp_path: Path, texts: str, problem: str) -> None:
    path = message_file(tmp_path, texts)
    with pytest.raises(BrokenData, match=problem) as caught:
        Messages.load(path)
    assert str(path) in str(caught.value)


def test_the_texts_of_a_language_are_in_that_language() -> None:
    graph = rdflib.Graph().parse(MESSAGES)
    for message in graph.subjects(rdflib.RDF.type):
        key = str(graph.value(message, rdflib.DCTERMS.identifier))
        if key in ("app-title", "language-zh", "language-en"):
            continue
        for text in graph.objects(message, None):
            if isinstance(text, rdflib.Literal) and text.language:
                assert bool(HAN.search(text)) == (text.language == "zh"), text


def test_the_file_is_written_as_longturtle() -> None:
    written = rdflib.Graph(bind_namespaces="none").parse(MESSAGES).serialize(format="longturtle")
    assert MESSAGES.read_text(encoding="utf-8").strip() == written.strip()


def test_every_key_in_python_has_a_text() -> None:
    used = set()
    for source in PAGES:
        used |= set(re.findall(r'\bsay\("([^"]+)"', source.read_text(encoding="utf-8")))
    assert len(used) >= 15
    assert used <= keys()


def test_every_text_is_used() -> None:
    python = "\n".join(source.read_text(encoding="utf-8") for source in SOURCES)
    unused = {k for k in keys() if not k.startswith(PREFIXES) and f'"{k}"' not in python}
    assert not unused


def test_every_kind_but_an_answer_has_a_badge() -> None:
    assert {f"kind-{kind}" for kind in get_args(Kind) if kind != "answer"} <= keys()


def test_python_holds_no_chinese_on_the_page() -> None:
    pages = [s for s in SOURCES if s.parent.name == "pages" or s.name == "app.py"]
    assert len(pages) >= 7
    for page in pages:
        assert not HAN.search(page.read_text(encoding="utf-8")), page
