"""Forms come from shapes: a shape added to the ontology gives a field with no new code."""

from __future__ import annotations

from pathlib import Path

import pytest

from kg import ONTOLOGY
from kg.contributions import ContributedGraph, ContributionFolder, Contributions
from kg.namespaces import TW

SHAPE = """
PREFIX sh: <http://www.w3.org/ns/shacl#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
PREFIX twd: <https://w3id.org/trainwright/data/>
tw:MoreForm a sh:NodeShape ; sh:targetClass tw:GPU ;
    sh:property tw:MoreForm-cooledBy, tw:MoreForm-rack .
tw:MoreForm-cooledBy sh:path tw:cooledBy ; sh:class tw:Cooling ; sh:minCount 1 ; sh:order 5.5 ;
    sh:name "cooled by"@en, "散热"@zh ; sh:description "How it is cooled."@en, "如何散热。"@zh .
tw:MoreForm-rack sh:order 99 ; sh:path [ sh:inversePath tw:figureOf ] ; sh:qualifiedMinCount 0 ;
    sh:qualifiedValueShape [ sh:property [ sh:path tw:ofQuantity ; sh:hasValue twd:rack-units ] ] .
"""
FILLED = {
    "label-en": "Example X200",
    "label-zh": "示例 X200",
    "vendor": "NVIDIA",
    "accelerator-memory": "80 GiB",
    "peak-throughput": ["900 TFLOPS; precision=bf16; sparsity=dense"],
    "source-label": "Vendor page",
    "source-see-also": "https://example.org/x200",
    "source-date": "2026-11",
}


@pytest.fixture(scope="module")
def contributions(tmp_path_factory: pytest.TempPathFactory) -> Contributions:
    return Contributions.open(tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_class_has_a_form_in_both_languages(
    contributions: Contributions, language: str
) -> None:
    for name in ("GPU", "CPU", "Memory", "Storage", "Network", "Cooling", "PowerSupply", "Server"):
        form = contributions.form(TW[name], language)
        required = {field.key for field in form.fields if field.required}
        assert {"label-en", "source-label", "source-see-also", "source-date"} <= required
        assert all(field.label for field in form.fields)


def test_a_quantity_has_units_and_conditions(contributions: Contributions) -> None:
    field = contributions.form(TW.GPU, "en").field("peak-throughput")
    assert field is not None
    assert field.units[0] == "TFLOPS"
    assert [c.key for c in field.conditions] == ["precision", "sparsity"]


def test_a_new_shape_gives_new_fields(tmp_path: Path) -> None:
    (tmp_path / "more.ttl").write_text(SHAPE, encoding="utf-8")
    graph = ContributedGraph.of(ContributionFolder(tmp_path / "home"), [ONTOLOGY, tmp_path])
    form = Contributions(graph).form(TW.GPU, "zh")
    cooled, rack = form.field("cooled-by"), form.field("rack-units")
    assert cooled is not None
    assert (cooled.label, cooled.help, cooled.required) == ("散热", "如何散热。", True)
    assert cooled.choices
    assert form.fields[4] == cooled
    assert rack is not None
    assert rack.kind == "quantity"


def test_a_filled_form_is_understood(contributions: Contributions) -> None:
    draft = contributions.check_form(contributions.form(TW.GPU, "en"), FILLED)
    assert draft.errors == ()
    assert [f.key for f in draft.warnings] == ["one-source"]
    assert "80 GiB → 85.9 GB" in draft.understood[0].text("en")


def test_what_is_wrong_names_its_field(contributions: Contributions) -> None:
    form = contributions.form(TW.GPU, "zh")
    draft = contributions.check_form(form, FILLED | {"accelerator-memory": "80"})
    (fault,) = draft.errors
    assert fault.key == "missing-unit"
    assert "显存" in fault.text("zh")
