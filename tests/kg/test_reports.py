"""Reports: what rests on one source, and which prices are old, in a graph small enough to see."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from kg import KnowledgeGraph
from kg.reports import one_source, stale_prices

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture
def small() -> KnowledgeGraph:
    return KnowledgeGraph.load(DATA / "reports.ttl")


def test_a_figure_of_one_source_is_listed_unless_another_reading_stands_against_it(
    small: KnowledgeGraph,
) -> None:
    (found,) = one_source(small, "zh")
    assert (found.figure, found.thing, found.quantity, found.value) == (
        "twd:one", "卡", "显存", "80 GB",
    )  # fmt: skip


def test_prices_before_a_day_and_undated_ones_are_stale_and_release_prices_never(
    small: KnowledgeGraph,
) -> None:
    found = stale_prices(small, date(2025, 12, 1), "en")
    assert [(f.figure, f.value, f.date) for f in found] == [
        ("twd:old", "1.5 USD", "2025-11"),
        ("twd:undated", "4 USD", ""),
    ]


def test_the_shipped_catalogue_has_both(shipped: KnowledgeGraph) -> None:
    assert len(one_source(shipped, "en")) >= 1000
    stale = stale_prices(shipped, date(2025, 11, 30), "en")
    assert len(stale) >= 80
    assert sum(not finding.date for finding in stale) >= 30
