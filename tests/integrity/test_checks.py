"""Every hygiene check: silent on the shipped graph, and loud on a small broken one.

`broken/<check>.ttl` says in its second line which nodes the check must name; it also
holds near misses, which the check must let pass.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kg import ONTOLOGY, KnowledgeGraph, checked_query, shorten
from kg.checks import CHECKS, check_terms

BROKEN = Path(__file__).parent / "broken"
FILES = sorted(CHECKS.glob("*.rq"))
TEMPLATES = ONTOLOGY.parent / "assistant" / "templates"


def named(graph: KnowledgeGraph, check: Path) -> set[str]:
    return {shorten(row["focus"]) for row in graph.select(checked_query(check))}


@pytest.fixture(scope="module")
def with_templates() -> KnowledgeGraph:
    """What a check on example questions needs: they come with the assistant."""
    return KnowledgeGraph.load(ONTOLOGY, TEMPLATES)


def test_there_are_checks() -> None:
    assert len(FILES) >= 24


@pytest.mark.parametrize("check", FILES, ids=lambda path: path.stem)
class TestCheck:
    def test_the_shipped_graph_passes(self, shipped: KnowledgeGraph, check: Path) -> None:
        rows = shipped.select(checked_query(check))
        assert [f"{shorten(row['focus'])} {row['message']}" for row in rows] == []

    def test_the_templates_add_no_violation(
        self, shipped: KnowledgeGraph, with_templates: KnowledgeGraph, check: Path
    ) -> None:
        assert named(with_templates, check) <= named(shipped, check)

    def test_it_names_what_is_broken_and_nothing_else(self, check: Path) -> None:
        path = BROKEN / f"{check.stem}.ttl"
        says = path.read_text(encoding="utf-8").splitlines()[1]
        expected = set(says.removeprefix("# fires: ").split())
        assert expected
        assert named(KnowledgeGraph.load(path), check) == expected

    def test_it_opens_with_its_rule_in_one_sentence(self, check: Path) -> None:
        first, second = check.read_text(encoding="utf-8").splitlines()[:2]
        assert first.startswith("# ")
        assert first.endswith(".")
        assert not second.startswith("#")

    def test_it_gives_a_message_with_every_focus(self, check: Path) -> None:
        graph = KnowledgeGraph.load(BROKEN / f"{check.stem}.ttl")
        rows = graph.select(checked_query(check))
        assert all(set(row) == {"focus", "message"} and str(row["message"]) for row in rows)


def test_check_terms_runs_every_check() -> None:
    graph = KnowledgeGraph.load(*(BROKEN / f"{check.stem}.ttl" for check in FILES))
    assert {v.rule for v in check_terms(graph)} == {check.stem for check in FILES}
