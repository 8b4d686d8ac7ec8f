"""What a user adds as Turtle can be asked for at once: no code, no query, no template."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant import Answer
from assistant.catalogue import Catalogue
from assistant.templates import TemplateLibrary
from kg import KnowledgeGraph
from kg.graph import ONTOLOGY

# A quantity that no device of the catalogue has, in a unit that it does not know, figures of it
# for shipped devices, and a device with figures of its own.
QUANTITY = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX ex: <https://example.org/data/>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
PREFIX twd: <https://w3id.org/trainwright/data/>

ex:sone a qudt:Unit ; rdfs:label "sone"@en , "宋"@zh ; qudt:symbol "sone" ;
    qudt:hasQuantityKind ex:loudness ; qudt:conversionMultiplier 1.0 .
ex:fan-noise a tw:Quantity ; rdfs:label "fan noise"@en , "风扇噪音"@zh ;
    skos:altLabel "noise"@en , "噪音"@zh ; tw:standardUnit ex:sone ; tw:betterWhen tw:Lower .
ex:lab a tw:Source ; rdfs:label "Our own lab"@en , "自家实验室"@zh .

ex:noise-4090 a tw:Figure ; tw:figureOf twd:accelerator-rtx-4090 ; tw:ofQuantity ex:fan-noise ;
    qudt:numericValue 2.5 ; tw:standardValue 2.5 ; qudt:unit ex:sone ; tw:bound tw:Exactly ;
    tw:standing tw:Preferred ; dcterms:source ex:lab .
ex:noise-3090 a tw:Figure ; tw:figureOf twd:accelerator-rtx-3090 ; tw:ofQuantity ex:fan-noise ;
    qudt:numericValue 4.0 ; tw:standardValue 4.0 ; qudt:unit ex:sone ; tw:bound tw:Exactly ;
    tw:standing tw:Preferred ; dcterms:source ex:lab .
"""
DEVICE = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX ex: <https://example.org/data/>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
PREFIX twd: <https://w3id.org/trainwright/data/>
PREFIX unit: <http://qudt.org/vocab/unit/>

ex:kestrel a tw:GPU ; rdfs:label "Kestrel K7"@en , "Kestrel K7"@zh ; skos:altLabel "红隼 K7"@zh ;
    dcterms:identifier "kestrel-k7" ; tw:listedIn twd:table-accelerators ;
    tw:productSegment twd:consumer-grade ; dcterms:source ex:lab .
ex:noise-kestrel a tw:Figure ; tw:figureOf ex:kestrel ; tw:ofQuantity ex:fan-noise ;
    qudt:numericValue 0.5 ; tw:standardValue 0.5 ; qudt:unit ex:sone ; tw:bound tw:Exactly ;
    tw:standing tw:Preferred ; dcterms:source ex:lab .
ex:memory-kestrel a tw:Figure ; tw:figureOf ex:kestrel ; tw:ofQuantity twd:accelerator-memory ;
    qudt:numericValue 999.0 ; tw:standardValue 999.0 ; qudt:unit unit:GigaBYTE ;
    tw:bound tw:Exactly ; tw:standing tw:Preferred ; dcterms:source ex:lab .
"""
KESTREL = "https://example.org/data/kestrel"
SHIPPED = "twd:accelerator-rtx-"


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Answer]:
    """Ask the shipped catalogue with the two files beside it."""
    folder: Path = tmp_path_factory.mktemp("own")
    (folder / "quantity.ttl").write_text(QUANTITY, encoding="utf-8")
    (folder / "device.ttl").write_text(DEVICE, encoding="utf-8")
    graph = KnowledgeGraph.load(ONTOLOGY, folder)
    catalogue = Catalogue.of(graph, TemplateLibrary.load().usual_words())
    return lambda question: catalogue.answer(catalogue.read(question))


def entries(answer: Answer) -> list[str]:
    steps = {step.step: step.detail for step in answer.steps}
    return list(steps["select"]["entries"])


@pytest.mark.parametrize(
    ("question", "found", "numbers"),
    [
        pytest.param("fan noise of the 4090?", [SHIPPED + "4090"], ["2.5 sone"], id="look-up en"),
        pytest.param("4090 的风扇噪音是多少", [SHIPPED + "4090"], ["2.5 sone"], id="look-up zh"),
        pytest.param("Kestrel K7 noise", [KESTREL], ["0.5 sone"], id="look-up device en"),
        pytest.param("红隼 K7 显存多大", [KESTREL], ["999 GB"], id="look-up device zh"),
        pytest.param(
            "which GPU has the lowest fan noise?", [KESTREL], ["0.5 sone"], id="superlative en"
        ),
        pytest.param("风扇噪音最低的显卡", [KESTREL], ["0.5 sone"], id="superlative zh"),
        pytest.param("显存最大的显卡", [KESTREL], ["999 GB"], id="superlative device zh"),
        pytest.param(
            "GPUs with fan noise below 3 sone",
            [KESTREL, SHIPPED + "4090"],
            ["0.5", "2.5"],
            id="filter en",
        ),
        pytest.param(
            "风扇噪音低于 3 宋的显卡", [KESTREL, SHIPPED + "4090"], ["0.5", "2.5"], id="filter zh"
        ),
        pytest.param("GPUs with at least 900 GB", [KESTREL], ["999"], id="filter device en"),
        pytest.param(
            "compare the fan noise of Kestrel K7 and RTX 3090",
            [KESTREL, SHIPPED + "3090"],
            ["0.5 sone", "4 sone"],
            id="comparison en",
        ),
        pytest.param(
            "红隼 K7 和 3090 的风扇噪音对比",
            [KESTREL, SHIPPED + "3090"],
            ["0.5 sone", "4 sone"],
            id="comparison zh",
        ),
    ],
)
def test_new_data_is_askable_at_once(
    ask: Callable[[str], Answer], question: str, found: list[str], numbers: list[str]
) -> None:
    answer = ask(question)
    assert answer.kind == "answer", answer.text
    assert sorted(entries(answer)) == sorted(found), answer.text
    assert all(number in answer.text for number in numbers), answer.text
    assert "https://example.org/data/lab" in {c.source for c in answer.citations}
