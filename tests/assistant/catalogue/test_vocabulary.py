"""What names mean: entries, lines and their variants, shared names, conditions."""

from __future__ import annotations

import pytest
from rdflib import URIRef

from assistant.catalogue import Catalogue
from assistant.catalogue.vocabulary import Vocabulary
from kg.namespaces import PREFIXES

TWD, TW = PREFIXES["twd"], PREFIXES["tw"]


def data(name: str) -> URIRef:
    return URIRef(TWD + name)


@pytest.fixture(scope="module")
def vocabulary(small: Catalogue) -> Vocabulary:
    return small.vocabulary


def meant(vocabulary: Vocabulary, name: str, *kinds: str) -> set[str]:
    return {m.node.rsplit("/", 1)[-1] for m in vocabulary.meanings.get(name, ()) if m.kind in kinds}


def test_every_device_of_a_table_is_an_entry(vocabulary: Vocabulary) -> None:
    assert len(vocabulary.classes_of) == 5


def test_a_line_means_its_variants(vocabulary: Vocabulary) -> None:
    variants = {data("accelerator-orca-40"), data("accelerator-orca-80")}
    assert vocabulary.members(data("line-orca")) == variants
    assert vocabulary.members(data("accelerator-orca-80")) == {data("accelerator-orca-80")}


@pytest.mark.parametrize("name", ["orca 80gb", "orca80gb"])
def test_the_name_of_a_variant_is_found_as_a_whole(vocabulary: Vocabulary, name: str) -> None:
    assert meant(vocabulary, name, "entry", "line") == {"accelerator-orca-80"}


def test_the_name_of_a_line_is_not_that_of_a_variant(vocabulary: Vocabulary) -> None:
    assert meant(vocabulary, "orca", "entry", "line") == {"line-orca"}
    assert meant(vocabulary, "逆戟鲸", "entry", "line") == {"line-orca"}


def test_a_shared_name_keeps_all_its_meanings(vocabulary: Vocabulary) -> None:
    both = {"accelerator-egret-5", "accelerator-puffin-9"}
    assert meant(vocabulary, "swift", "entry") == both


def test_a_class_takes_in_its_subclasses(vocabulary: Vocabulary) -> None:
    within = {c.rsplit("#", 1)[-1] for c in vocabulary.within(URIRef(TW + "Accelerator"))}
    assert {"Accelerator", "GPU", "NPU", "TPU"} <= within
    assert "Storage" not in within


def test_a_maker_is_a_value_of_a_property(vocabulary: Vocabulary) -> None:
    assert meant(vocabulary, "aurora", "value") == {"vendor-aurora"}
    assert meant(vocabulary, "北辰", "value") == {"vendor-borealis"}
    assert data("vendor-aurora") in vocabulary.facets[URIRef(TW + "vendor")]


def test_a_rate_is_asked_under_the_conditions_in_which_it_is_mostly_given(
    vocabulary: Vocabulary,
) -> None:
    """FP16 rates are those with sums in FP32, three here, and not the one with sums in FP16."""
    asked = frozenset({("precision", data("fp16"))})
    usual = vocabulary.usual_conditions(data("peak-throughput"), asked, frozenset())
    assert dict(usual) == {
        "precision": data("fp16"),
        "accumulation": data("fp32"),
        "sparsity": URIRef(TW + "Dense"),
    }


def test_a_condition_that_no_figure_has_stays_as_asked(vocabulary: Vocabulary) -> None:
    asked = frozenset({("precision", data("tf32"))})
    assert vocabulary.usual_conditions(data("peak-throughput"), asked, frozenset()) == asked


def test_figures_are_counted_by_class(vocabulary: Vocabulary) -> None:
    gpus, npus = frozenset({URIRef(TW + "GPU")}), frozenset({URIRef(TW + "NPU")})
    assert vocabulary.count_given(data("power-draw"), gpus) == 4
    assert vocabulary.count_given(data("power-draw"), npus) == 2
    assert vocabulary.count_given(data("accelerator-memory-bandwidth"), npus) == 0


def test_parts_of_a_name_are_found_without_the_whole(vocabulary: Vocabulary) -> None:
    parts = vocabulary.parts_of(3, "orca power")
    assert [(t.start, t.text) for t in parts] == [(3, "orca"), (8, "power")]
