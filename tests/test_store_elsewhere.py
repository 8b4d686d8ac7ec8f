"""The whole assistant over a store elsewhere answers as over the embedded one."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path
from types import ModuleType

import pytest

from assistant import Assistant
from kg import KnowledgeGraph, StoreUnavailable
from kg.endpoint import VARIABLE
from kg.graph import ONTOLOGY
from kg.remote_graph import fill

pytestmark = pytest.mark.slow

QUESTIONS = [
    "A100和V100有什么区别？",
    "How many cards for a solo researcher?",
    "H100 显存多大",
    "which cards support FP8?",
    "cheapest H200 per GPU-hour",
    "显存不低于96GB的英伟达卡有哪些",
    "anything with more memory than an H100 SXM under 700 W?",
    "does the 4090 have NVLink?",
    "B200 各项数字有争议吗",
]


def servers() -> ModuleType:
    """Return the module that starts real servers; test files import no other by name."""
    path = Path(__file__).parent / "kg" / "test_remote.py"
    spec = importlib.util.spec_from_file_location("test_remote_servers", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["oxigraph", "virtuoso"])
def test_the_assistant_answers_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guide and catalogue, texts, tables and citations."""
    monkeypatch.delenv(VARIABLE, raising=False)
    embedded = Assistant.load()
    with servers().SERVERS[name](tmp_path) as endpoint:
        for _ in range(20):
            try:
                count = fill(endpoint, [ONTOLOGY])
                break
            except StoreUnavailable:
                time.sleep(0.5)
        assert count >= len(KnowledgeGraph.shipped())  # files may say a thing twice
        monkeypatch.setenv(VARIABLE, f"{endpoint.query_url} {endpoint.update_url}")
        elsewhere = Assistant.load()
        for question in QUESTIONS:
            here, there = embedded.ask(question), elsewhere.ask(question)
            assert there.text == here.text, question
            assert there.table == here.table, question
            assert there.citations == here.citations, question
