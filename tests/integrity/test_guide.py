"""The guide in the graph: all of its statements, in our own words, each at its place."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest
from rdflib import Literal

from kg import ONTOLOGY, KnowledgeGraph, SourceText, places_of_statements

LIST = Path(__file__).parent / "statements.tsv"
ASSISTANT = ONTOLOGY.parent / "assistant"
GUIDE_VARIABLE = "TRAINWRIGHT_GUIDE"
# Read here, since `tests/conftest.py` takes the variable away before the first test.
GUIDE_FILE = os.environ.get(GUIDE_VARIABLE, "")
MOST_SHARED = 19

SECTIONS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
PREFIX twd: <https://w3id.org/trainwright/data/>
SELECT ?id ?section WHERE {
  ?statement a tw:Statement ; dcterms:source twd:guide ; dcterms:identifier ?id ;
             tw:inSection/dcterms:identifier ?section .
}
"""
WORDINGS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?id ?wording WHERE { ?statement dcterms:identifier ?id ; tw:wording ?wording }
"""
DIGEST = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
PREFIX twd: <https://w3id.org/trainwright/data/>
SELECT ?digest WHERE { twd:guide tw:documentDigest ?digest }
"""


@pytest.fixture(scope="module")
def guide() -> SourceText:
    if not GUIDE_FILE:
        pytest.skip(f"{GUIDE_VARIABLE} does not name the guide's file")
    return SourceText.read(Path(GUIDE_FILE).expanduser())


def listed() -> list[tuple[str, str]]:
    with LIST.open(encoding="utf-8", newline="") as file:
        return [(row["id"], row["section"]) for row in csv.DictReader(file, delimiter="\t")]


def squeezed(text: str) -> str:
    return "".join(text.split())


def spans(text: str, length: int) -> set[str]:
    return {text[i : i + length] for i in range(len(text) - length + 1)}


def test_the_53_statements_of_the_list_are_in_their_sections(shipped: KnowledgeGraph) -> None:
    rows = [(str(row["id"]), str(row["section"])) for row in shipped.select(SECTIONS)]
    assert len(rows) == 53
    assert sorted(rows) == sorted(listed())


def test_every_statement_is_worded_once_in_each_language(shipped: KnowledgeGraph) -> None:
    worded = []
    for row in shipped.select(WORDINGS):
        wording = row["wording"]
        assert isinstance(wording, Literal)
        assert wording.strip()
        worded.append((str(row["id"]), wording.language))
    assert sorted(worded) == sorted((i, lang) for i, _ in listed() for lang in ("en", "zh"))


def test_every_statement_has_a_place_of_its_own(shipped: KnowledgeGraph) -> None:
    places = places_of_statements(shipped)
    assert len({(place.start, place.end) for place in places}) == len(places) == 53


def test_what_two_texts_share_is_found_whatever_their_spaces() -> None:
    assert spans("abcd", 3) == {"abc", "bcd"}
    assert spans("ab", 3) == set()
    assert spans(squeezed("x a b c"), 3) & spans(squeezed("ab\ncd"), 3) == {"abc"}


def test_no_text_repeats_the_guide(guide: SourceText) -> None:
    """At most a key phrase: no 20 characters in a row, not counting spaces."""
    of_guide = spans(squeezed(guide.text), MOST_SHARED + 1)
    graph = KnowledgeGraph.load(ONTOLOGY, ASSISTANT).graph
    texts = {str(value) for value in graph.objects() if isinstance(value, Literal)}
    assert len(texts) >= 5000
    assert [t for t in texts if spans(squeezed(t), MOST_SHARED + 1) & of_guide] == []


def test_the_guide_holds_the_words_that_each_place_was_taken_from(
    shipped: KnowledgeGraph, guide: SourceText
) -> None:
    assert [str(row["digest"]) for row in shipped.select(DIGEST)] == [guide.digest]
    verified = guide.verify(places_of_statements(shipped))
    assert [v.place.statement for v in verified if not v.matches] == []
