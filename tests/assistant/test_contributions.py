"""What is contributed can be asked at once, is gone when undone and back when redone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant import Assistant
from kg.contributions import Contributions
from kg.namespaces import TW

CSV = "id,name,name_zh,class,vendor,sources,accelerator memory [GB],power draw [W]\n" + "".join(
    f"ex{n},Example X{n},示例 X{n},GPU,nvidia,"
    f"Vendor page <https://example.org/{n}>,{n % 100 + 100},{n}\n"
    for n in (510, 520, 530, 540)
)
TURTLE = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
PREFIX twd: <https://w3id.org/trainwright/data/>
PREFIX unit: <http://qudt.org/vocab/unit/>
twd:s a tw:Source ; rdfs:label "Vendor page"@en ; rdfs:seeAlso <https://example.org/t> .
""" + "".join(
    f'twd:device-ex{n} a tw:GPU ; rdfs:label "Example X{n}"@en, "示例 X{n}"@zh ;'
    f" dcterms:source twd:s .\n"
    f"twd:figure-ex{n} a tw:Figure ; tw:figureOf twd:device-ex{n} ;"
    f" tw:ofQuantity twd:accelerator-memory ;"
    f" qudt:numericValue {n % 100 + 100} ; qudt:unit unit:GigaBYTE ; dcterms:source twd:s .\n"
    for n in (550, 560, 570)
)
PYTHON = (580, 585, 590)
DEVICES = (510, 520, 530, 540, 550, 560, 570, *PYTHON)


@pytest.fixture(scope="module")
def ids(assistant: Assistant, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    contributions = Contributions.open()
    folder = tmp_path_factory.mktemp("files")
    saved = []
    for name, text in (("mine.csv", CSV), ("mine.ttl", TURTLE)):
        path = Path(folder / name)
        path.write_text(text, encoding="utf-8")
        saved.append(contributions.save(contributions.check_file(path), "Li Wei", True)[0])
    form = contributions.form(TW.GPU, "en")
    for n in PYTHON:
        values = {
            "label-en": f"Example X{n}",
            "label-zh": f"示例 X{n}",
            "accelerator-memory": f"{n % 100 + 100} GB",
            "source-label": "Vendor page",
            "source-see-also": "https://example.org/p",
            "source-date": "2026",
        }
        saved += contributions.save(contributions.check_form(form, values), "Li Wei", True)
    groups = [i.partition(".")[0] for i in saved]
    yield groups
    for group in groups:
        contributions.undo(group)


def questions(n: int) -> list[str]:
    return [
        f"How much memory does the Example X{n} have?",
        f"示例 X{n} 的显存是多少？",
        f"Compare the memory of Example X{n} and H100 SXM5 80GB",
        f"比较示例 X{n} 和 H100 SXM5 80GB 的显存",
        f"Does the Example X{n} have at least 90 GB of memory?",
        f"示例 X{n} 的显存有没有 90GB？",
    ]


@pytest.mark.parametrize("n", DEVICES)
def test_it_is_answered_in_both_languages_with_its_author(
    assistant: Assistant, ids: list[str], n: int
) -> None:
    for question in questions(n):
        answer = assistant.ask(question)
        assert answer.kind == "answer", question
        shown = answer.text + str(answer.table.rows if answer.table else "")
        assert str(n % 100 + 100) in shown, question
        assert any("Li Wei" in c.title for c in answer.citations), question


def test_undone_it_is_gone_and_redone_it_is_back(assistant: Assistant, ids: list[str]) -> None:
    contributions = Contributions.open()
    asked = [questions(n)[i] for n in DEVICES for i in (0, 1)]
    for group in ids:
        contributions.undo(group)
    assert {assistant.ask(question).kind for question in asked} == {"unknown"}
    for group in ids:
        contributions.redo(group)
    assert {assistant.ask(question).kind for question in asked} == {"answer"}
