"""What tests of several packages share: one assistant for the session, and a clean environment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from assistant import Answer, Assistant
from assistant.lexicon import Lexicon
from assistant.linking import Linker
from assistant.templates import TemplateLibrary
from kg import KnowledgeGraph

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session", autouse=True)
def clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test depends on which guide, encoder, store or home whoever runs it has named."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("TRAINWRIGHT_GUIDE", "TRAINWRIGHT_ENCODER", "TRAINWRIGHT_STORE"):
            patch.delenv(name, raising=False)
        patch.setenv("TRAINWRIGHT_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session")
def assistant(clean_environment: None) -> Assistant:
    """The assistant over the shipped graph, loaded once."""
    return Assistant.load()


@pytest.fixture(scope="session")
def ask(assistant: Assistant) -> Callable[[str, str | None], Answer]:
    """Ask a question in a context, each once a session: several suites go through all of them."""
    return cache(assistant.ask)


@pytest.fixture(scope="session")
def shipped() -> KnowledgeGraph:
    """The graph that comes with the product."""
    return KnowledgeGraph.shipped()


@pytest.fixture(scope="session")
def mini() -> KnowledgeGraph:
    """Some thirty invented facts; see `tests/data/mini.ttl`."""
    return KnowledgeGraph.load(DATA / "mini.ttl")


@pytest.fixture(scope="session")
def mini_linker(mini: KnowledgeGraph) -> Linker:
    """A linker that knows the names of the mini graph and no others."""
    return Linker(mini, Lexicon.of(mini))


@pytest.fixture(scope="session")
def shipped_linker(shipped: KnowledgeGraph) -> Linker:
    """A linker that knows all shipped names and usual words, as the assistant's does."""
    return Linker(shipped, Lexicon.of(shipped, TemplateLibrary.load().usual_words()))
