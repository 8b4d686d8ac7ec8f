"""Queries are put together from forms and RDF terms, never from what people write."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import URIRef

from assistant import Answer
from assistant.catalogue import Catalogue
from assistant.catalogue.querying import QueryWriter
from assistant.catalogue.question import Asked, Bound, CatalogueQuestion, FacetCondition
from kg import KnowledgeGraph, guard
from kg.namespaces import PREFIXES

TWD, TW = PREFIXES["twd"], PREFIXES["tw"]
GPUS = frozenset({URIRef(TW + "GPU")})
MEMORY, POWER = Asked(URIRef(TWD + "accelerator-memory")), Asked(URIRef(TWD + "power-draw"))
ORCA = URIRef(TWD + "accelerator-orca-80")
RATE = Asked(
    URIRef(TWD + "peak-throughput"),
    frozenset({("precision", URIRef(TWD + "fp16")), ("precision", URIRef(TWD + "bf16"))}),
)
MAKER = FacetCondition(URIRef(TW + "vendor"), frozenset({URIRef(TWD + "vendor-aurora")}))
QUESTIONS = {
    "bound": CatalogueQuestion("filter", classes=GPUS, bounds=((Bound(MEMORY, ">=", 40.0),),)),
    "range": CatalogueQuestion(
        "filter", classes=GPUS, bounds=((Bound(POWER, "between", 200.0, 300.0),),)
    ),
    "either": CatalogueQuestion(
        "filter", classes=GPUS, bounds=((Bound(MEMORY, ">", 90.0), Bound(POWER, "<", 260.0)),)
    ),
    "reference": CatalogueQuestion(
        "filter",
        classes=GPUS,
        bounds=((Bound(MEMORY, ">", reference=frozenset({ORCA})),),),
        excluded=frozenset({ORCA}),
    ),
    "property": CatalogueQuestion("filter", classes=GPUS, facets=(MAKER,)),
    "without": CatalogueQuestion(
        "filter", classes=GPUS, facets=(FacetCondition(MAKER.facet, MAKER.values, negated=True),)
    ),
    "order": CatalogueQuestion("superlative", classes=GPUS, order=MEMORY, direction="lowest"),
    "conditions": CatalogueQuestion("superlative", classes=GPUS, order=RATE),
    "among": CatalogueQuestion("superlative", order=POWER, among=frozenset({ORCA})),
}
EXPECTED = {
    "bound": ["heron-x2", "orca-40", "orca-80"],
    "range": ["orca-40", "puffin-9"],
    "either": ["heron-x2", "orca-40"],
    "reference": ["heron-x2"],
    "property": ["orca-40", "orca-80", "puffin-9"],
    "without": ["heron-x2"],
    "order": ["puffin-9", "orca-40", "orca-80", "heron-x2"],
    "among": ["orca-80"],
}
HOSTILE = [
    'Quill "9" } DELETE WHERE { ?s ?p ?o } #',
    "Quill '9'\\' . ?s ?p ?o",
    "Quill <urn:x> SERVICE <http://127.0.0.1/> { }",
]
QUILL = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
PREFIX twd: <https://w3id.org/trainwright/data/>
PREFIX unit: <http://qudt.org/vocab/unit/>
twd:accelerator-quill a tw:GPU ; rdfs:label {label}@en , {label}@zh ;
    dcterms:identifier "quill" ; tw:listedIn twd:table-accelerators ;
    dcterms:source twd:source-sheet .
twd:figure-quill-power a tw:Figure ; tw:figureOf twd:accelerator-quill ;
    tw:ofQuantity twd:power-draw ; qudt:numericValue 55.0 ; tw:standardValue 55.0 ;
    qudt:unit unit:W ; tw:bound tw:Exactly ; tw:standing tw:Preferred ;
    dcterms:source twd:source-sheet .
"""


@pytest.fixture(scope="module")
def writer(small: Catalogue) -> QueryWriter:
    return QueryWriter(small.vocabulary)


def ask(catalogue: Catalogue, question: str) -> Answer:
    return catalogue.answer(catalogue.read(question))


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_query_passes_the_guard_and_so_does_its_count(writer: QueryWriter, name: str) -> None:
    selection = writer.selection(QUESTIONS[name])
    guard.check(selection.query)
    guard.check(selection.counting)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_query_selects_the_entries_that_fit(
    writer: QueryWriter, small_graph: KnowledgeGraph, name: str
) -> None:
    selection = writer.selection(QUESTIONS[name])
    rows = small_graph.select(selection.query)
    found = [str(r["entry"]).removeprefix(f"{TWD}accelerator-") for r in rows]
    assert found == EXPECTED[name]
    assert int(str(small_graph.select(selection.counting)[0]["count"])) == len(found)


def test_what_differs_from_question_to_question_are_terms(writer: QueryWriter) -> None:
    """With another limit and another maker, only these terms of the query differ."""
    other = FacetCondition(MAKER.facet, frozenset({URIRef(TWD + "vendor-borealis")}))

    def query(limit: float, maker: FacetCondition) -> str:
        bounds = ((Bound(MEMORY, ">=", limit),),)
        asked = CatalogueQuestion("filter", classes=GPUS, bounds=bounds, facets=(maker,))
        return writer.selection(asked).query

    one, two = query(40.5, MAKER), query(64.25, other)
    assert one.replace("vendor-aurora", "vendor-borealis").replace("40.5", "64.25") == two


@pytest.mark.parametrize(
    "iri",
    [
        "https://example.org/a> } DELETE WHERE { ?s ?p ?o } #",
        'https://example.org/a"b',
        "https://example.org/a b",
        "https://example.org/{a}",
    ],
)
def test_an_iri_that_is_none_is_not_written(writer: QueryWriter, iri: str) -> None:
    asked = CatalogueQuestion("superlative", order=POWER, among=frozenset({URIRef(iri)}))
    with pytest.raises(Exception, match="valid URI"):
        writer.selection(asked)
    with pytest.raises(Exception, match="valid URI"):
        writer.details([URIRef(iri)])


@pytest.mark.parametrize("label", HOSTILE)
def test_a_label_does_not_reach_the_query(
    tmp_path: Path, small_files: tuple[Path, ...], label: str
) -> None:
    """A device with a hostile name is asked for by the query of one with a plain name."""
    queries = []
    for name in ("Quill", label):
        text = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        path = tmp_path / "quill.ttl"
        path.write_text(QUILL.replace("{label}", text), encoding="utf-8")
        catalogue = Catalogue.of(KnowledgeGraph.load(*small_files, path))
        answer = ask(catalogue, "which GPU draws the least power?")
        assert "55 W" in answer.text
        assert name in answer.text
        queries.append(answer.sparql)
    assert queries[0] == queries[1]


@pytest.mark.parametrize("attack", HOSTILE)
def test_a_hostile_question_changes_no_query(small: Catalogue, attack: str) -> None:
    """The query is the one of the words that are known, or there is none."""
    plain = ask(small, "Orca 80GB power").sparql
    assert plain is not None
    assert ask(small, f"Orca 80GB power {attack}").sparql in (plain, None)


@pytest.mark.parametrize(
    "question",
    [
        "accelerators with more than 50 GB",
        "Aurora 的卡，功耗 200W 到 300W",
        "compare Orca 80GB and Heron X2",
        "3万美元以下的显卡",
    ],
)
def test_the_same_question_gives_the_same_query(
    small: Catalogue, small_graph: KnowledgeGraph, question: str
) -> None:
    """So it is a second time, and in a catalogue that is read anew."""
    first = ask(small, question)
    assert first.sparql is not None
    assert ask(small, question).sparql == first.sparql
    again = ask(Catalogue.of(small_graph), question)
    assert (again.sparql, again.text) == (first.sparql, first.text)
