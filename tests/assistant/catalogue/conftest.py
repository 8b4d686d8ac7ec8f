"""Two catalogues, each once a session: the shipped one, and one small enough to check by eye."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.catalogue import Catalogue
from assistant.templates import TemplateLibrary
from kg import KnowledgeGraph
from kg.graph import CATALOGUE, ONTOLOGY

DATA = Path(__file__).parents[2] / "data"
# The catalogue's words without its entries.
WORDS = ("operators", "precisions", "quantities", "regions", "segments", "terms")


@pytest.fixture(scope="session")
def catalogue(shipped: KnowledgeGraph) -> Catalogue:
    """The catalogue as the assistant has it, without the guide and its encoder."""
    return Catalogue.of(shipped, TemplateLibrary.load().usual_words())


@pytest.fixture(scope="session")
def small_files() -> tuple[Path, ...]:
    """Five invented devices and the shipped words that describe them; see `mini_catalogue.ttl`."""
    words = (CATALOGUE / f"{name}.ttl" for name in WORDS)
    return *sorted(ONTOLOGY.glob("*.ttl")), *words, DATA / "mini_catalogue.ttl"


@pytest.fixture(scope="session")
def small_graph(small_files: tuple[Path, ...]) -> KnowledgeGraph:
    """The graph of the five invented devices."""
    return KnowledgeGraph.load(*small_files)


@pytest.fixture(scope="session")
def small(small_graph: KnowledgeGraph) -> Catalogue:
    """The catalogue of the five invented devices."""
    return Catalogue.of(small_graph)
