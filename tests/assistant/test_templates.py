"""A template is a query and its description; a pair that does not fit is refused by name.

`tests/data/templates` holds one good pair, `tests/data/broken_templates.json` what makes
it a bad one: a file, words in it, other words in their place, and the file to be named.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from rdflib import URIRef

from assistant.templates import TemplateLibrary
from kg import BrokenData
from kg.namespaces import TW, TWD

DATA = Path(__file__).parent.parent / "data"
GOOD = DATA / "templates"
BROKEN: list[dict[str, Any]] = json.loads(
    (DATA / "broken_templates.json").read_text(encoding="utf-8")
)


def test_there_are_many_ways_to_be_broken() -> None:
    """The data holds at least twenty broken pairs."""
    assert len({case["id"] for case in BROKEN}) == len(BROKEN) >= 20


def test_a_good_pair_loads() -> None:
    """A pair that fits has its query, parameters, cues, patterns and examples."""
    library = TemplateLibrary.load(GOOD)
    (template,) = library.templates.values()
    assert template.name == "suited"
    assert template.selection == "Focused"
    assert template.query is not None
    assert "tw:about ?thing" in template.query
    (parameter,) = template.parameters
    assert (parameter.name, parameter.node_class, parameter.required) == ("thing", TW.GPU, True)
    assert template.cues == {TWD["cue-at-least"]}
    assert template.patterns == {"en": "{statements}", "zh": "{statements}"}
    first, second = sorted(library.examples, key=lambda e: e.context or "")
    assert first.text == "What suits the Zephyr 7?"
    assert first.template == "suited"
    assert first.statements == tuple(
        URIRef(f"https://example.org/data/statement-{n}") for n in ("M1", "M2")
    )
    assert (second.context, second.statements) == (first.text, ())


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case["id"])
def test_a_broken_pair_is_refused_and_named(tmp_path: Path, case: dict[str, Any]) -> None:
    """The error for a pair that does not fit names the file at fault and what is wrong."""
    folder = tmp_path / "templates"
    shutil.copytree(GOOD, folder)
    path = folder / case["file"]
    text = path.read_text(encoding="utf-8")
    assert text.count(case["old"]) == 1, "the case no longer fits the good pair"
    path.write_text(text.replace(case["old"], case["new"]), encoding="utf-8")
    with pytest.raises(BrokenData, match=case["says"]) as error:
        TemplateLibrary.load(folder)
    assert Path(error.value.path).name == case["names"]


def test_a_query_without_description_is_refused(tmp_path: Path) -> None:
    """A query that no file describes is an error that names it."""
    folder = tmp_path / "templates"
    shutil.copytree(GOOD, folder)
    shutil.copy(GOOD / "suited.rq", folder / "alone.rq")
    with pytest.raises(BrokenData, match="alone"):
        TemplateLibrary.load(folder)


def test_a_description_without_its_query_is_refused(tmp_path: Path) -> None:
    """A template that selects rows needs a query."""
    folder = tmp_path / "templates"
    shutil.copytree(GOOD, folder)
    (folder / "suited.rq").unlink()
    with pytest.raises(BrokenData, match="suited"):
        TemplateLibrary.load(folder)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """A folder of templates that is not there is an error, not an empty library."""
    with pytest.raises(BrokenData, match="nowhere"):
        TemplateLibrary.load(tmp_path / "nowhere")


def test_the_shipped_templates_load() -> None:
    """All shipped pairs fit, and each has examples in both languages."""
    library = TemplateLibrary.load()
    assert len([t for t in library.templates.values() if t.query]) >= 15
    languages = {(e.template, e.language) for e in library.examples}
    assert {(name, lang) for name in library.templates for lang in ("zh", "en")} <= languages
