"""Retrieval with an encoder whose similarities can be worked out by hand.

The keyword encoder has one dimension for each of four words; a text's vector counts them
and is scaled to unit length. Two texts that share one of two words each have 1/2, a text
of one word and a text of that and another 1/sqrt(2).
"""

from __future__ import annotations

from math import e, sqrt
from pathlib import Path

import numpy as np
import pytest
from rdflib import URIRef

from assistant.encoder import Vectors, unit_rows
from assistant.guide_index import GuideIndex
from assistant.linking import Linker
from assistant.ranking import (
    BEST_SHARE,
    KINDS,
    ExampleIndex,
    FusionWeights,
    Ranker,
    build_index,
    cached_vectors,
)
from assistant.templates import ExampleQuestion
from assistant.wordings import wordings_of
from kg import BrokenData, KnowledgeGraph

EX = "https://example.org/data/"
WORDS = ("memory", "cluster", "lab", "kestrel")
HALF = 1 / sqrt(2)


class KeywordEncoder:
    """Counts four words."""

    name = "keywords"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: list[str]) -> Vectors:
        self.asked += texts
        counts = [[float(text.count(word)) for word in WORDS] for text in texts]
        return unit_rows(np.array(counts, dtype=np.float32))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Vectors are kept in a folder of the test's own."""
    monkeypatch.setattr("assistant.ranking.user_cache_path", lambda name: tmp_path / name)
    return tmp_path / "trainwright"


@pytest.fixture(scope="module")
def guide(mini: KnowledgeGraph) -> GuideIndex:
    return GuideIndex.of(mini)


def statement(name: str) -> URIRef:
    return URIRef(f"{EX}statement-{name}")


def index_of(*entries: tuple[str, str, tuple[int, ...]]) -> ExampleIndex:
    """Return an index of (text, template, positions of statements)."""
    vectors = KeywordEncoder().encode([text for text, _, _ in entries])
    return ExampleIndex(vectors, [(template, found) for _, template, found in entries], 3)


def vector(text: str) -> Vectors:
    row: Vectors = KeywordEncoder().encode([text])[0]
    return row


def test_an_example_alone_counts_with_two_that_are_missing() -> None:
    """A statement's similarity blends its best example and the mean of its best three.

    The question shares both words with statement 0 (1), one with statement 1 (1/sqrt 2),
    none with statement 2 (0); what is missing counts 0.1 below the worst, so -0.1.
    """
    index = index_of(("memory lab", "a", (0,)), ("memory", "b", (1,)), ("cluster", "b", (2,)))
    found = index.evidence(vector("lab memory"))
    expected = [
        BEST_SHARE * best + (1 - BEST_SHARE) * (best - 0.2) / 3 for best in (1.0, HALF, 0.0)
    ]
    assert found.statements == pytest.approx(expected, abs=1e-6)
    both = BEST_SHARE * HALF + (1 - BEST_SHARE) * (HALF + 0.0 - 0.1) / 3
    assert found.templates == pytest.approx({"a": expected[0], "b": both}, abs=1e-6)


def test_several_examples_lift_a_statement() -> None:
    """Of two statements with equal best examples, the one with more near examples leads."""
    index = index_of(
        ("memory", "a", (0,)), ("memory", "a", (0,)), ("memory", "a", (1,)), ("lab", "a", (2,))
    )
    first, second, third = index.evidence(vector("memory")).statements
    assert first > second > third


def test_an_example_that_is_the_question_can_be_left_out() -> None:
    """Neighbours as near as `leave_out` are passed over, as if they were not there."""
    index = index_of(("memory", "a", (0,)), ("memory lab", "b", (1,)), ("cluster", "b", (2,)))
    found = index.evidence(vector("memory"), leave_out=0.999)
    assert "a" not in found.templates
    assert found.statements[0] == pytest.approx(-0.1)
    assert found.statements.argmax() == 1


def test_what_the_guide_does_not_state_speaks_for_no_statement() -> None:
    """An example of `not_stated` lifts its template and none of the statements it names."""
    index = index_of(("memory", "not_stated", (0,)), ("lab", "a", (1,)))
    found = index.evidence(vector("memory"))
    assert found.statements[0] == pytest.approx(-0.1)
    assert found.templates["not_stated"] > found.templates["a"]


def ranker(guide: GuideIndex, linker: Linker, weights: list[float]) -> Ranker:
    """Return a ranker over an example a statement, with weights for the statements' features.

    The features are similarity, coverage, precision and conflict.
    """
    examples = [
        ExampleQuestion("cluster", "en", "single_statement", (statement("M1"),)),
        ExampleQuestion("kestrel lab", "en", "single_statement", (statement("M3"),)),
        ExampleQuestion("memory", "en", "single_statement", (statement("M4"),)),
    ]
    encoder = KeywordEncoder()
    index = build_index(encoder, linker, guide, examples, {})
    fusion = FusionWeights(np.array(weights), np.zeros((len(KINDS), 10)), {})
    return Ranker(encoder, index, guide, fusion)


def test_similarity_alone_ranks_by_the_encoder(guide: GuideIndex, mini_linker: Linker) -> None:
    """With a weight for similarity only, the chances are the softmax of the similarities."""
    ranked = ranker(guide, mini_linker, [1.0, 0.0, 0.0, 0.0]).rank(mini_linker.link("memory"))
    assert guide.statements[ranked.best()] == statement("M4")
    assert ranked.statements.sum() == pytest.approx(1.0)
    best, floor = BEST_SHARE + (1 - BEST_SHARE) * (1 - 0.2) / 3, -0.1
    at = {guide.identifiers[s]: ranked.statements[i] for i, s in enumerate(guide.statements)}
    assert at["M4"] / at["M2"] == pytest.approx(e ** (best - floor), rel=1e-5)


def test_mentions_outvote_the_encoder_if_weighted_so(
    guide: GuideIndex, mini_linker: Linker
) -> None:
    """With a weight for coverage only, the statement about the thing named comes first."""
    ranked = ranker(guide, mini_linker, [0.0, 9.0, 0.0, 0.0]).rank(
        mini_linker.link("memory memory for the Kestrel 3090 in a small lab")
    )
    assert guide.statements[ranked.best()] == statement("M3")


def test_another_scenario_is_a_conflict(guide: GuideIndex, mini_linker: Linker) -> None:
    """A statement about the large cluster conflicts with a question about a small lab."""
    features = guide.features(mini_linker.link("a small lab").nodes, ())
    conflict = dict(zip(guide.statements, features[:, 2], strict=True))
    assert conflict[statement("M1")] == 1.0
    assert conflict[statement("M3")] == conflict[statement("M4")] == 0.0


def test_a_figure_counts_as_a_mention(guide: GuideIndex, mini_linker: Linker) -> None:
    """64 GB speaks for the statement whose figure it is, in whatever unit it is given."""
    for question in ("64 GB", "0.064 TB", "64G"):
        features = guide.features((), mini_linker.link(question).quantities)
        assert guide.statements[int(features[:, 0].argmax())] == statement("M4")
    assert not guide.features((), mini_linker.link("65 GB").quantities)[:, 0].any()


def test_a_thing_that_nothing_is_said_of_is_unspoken(
    guide: GuideIndex, mini_linker: Linker
) -> None:
    """Things mentioned that no statement is about are told, in their order, each once."""
    ranking = ranker(guide, mini_linker, [1.0, 0.0, 0.0, 0.0])
    linked = mini_linker.link("bandwidth, bandwidth of the Zephyr 7")
    assert ranking.unspoken(linked) == [URIRef(EX + "bandwidth")]


def test_equal_evidence_gives_equal_ranking(guide: GuideIndex, mini_linker: Linker) -> None:
    """The same question is ranked the same, number by number."""
    ranking = ranker(guide, mini_linker, [1.0, 1.0, 1.0, -1.0])
    first, second = (ranking.rank(mini_linker.link("kestrel in a lab")) for _ in range(2))
    assert np.array_equal(first.statements, second.statements)
    assert (first.templates, first.kinds) == (second.templates, second.kinds)


def test_the_wordings_are_examples_too(
    mini: KnowledgeGraph, guide: GuideIndex, mini_linker: Linker
) -> None:
    """A statement without any example question is found by its own wording."""
    index = build_index(KeywordEncoder(), mini_linker, guide, [], wordings_of(mini))
    found = index.evidence(vector("memory"))
    assert guide.statements[int(found.statements.argmax())] == statement("M4")


def test_vectors_are_kept(mini_linker: Linker, cache: Path) -> None:
    """Vectors are computed once for an encoder and its texts, and again for other texts."""
    encoder = KeywordEncoder()
    first = cached_vectors(encoder, mini_linker, ["Memory", "Lab"])
    asked = len(encoder.asked)
    assert np.array_equal(cached_vectors(encoder, mini_linker, ["Memory", "Lab"]), first)
    assert len(encoder.asked) == asked
    cached_vectors(encoder, mini_linker, ["Memory", "Cluster"])
    assert len(encoder.asked) == asked + 2
    assert len(list(cache.glob("*.npy"))) == 2


def test_other_names_in_the_graph_are_other_vectors(
    mini_linker: Linker, shipped_linker: Linker
) -> None:
    """Vectors depend on the graph's names, so those kept for one graph do not serve another.

    The mini graph knows the Kestrel and puts the slip right; the shipped graph does not.
    """
    encoder = KeywordEncoder()
    assert not cached_vectors(encoder, shipped_linker, ["kestral"]).any()
    assert cached_vectors(encoder, mini_linker, ["kestral"]).any()


def test_a_broken_cache_is_computed_anew(mini_linker: Linker, cache: Path) -> None:
    """A cache file cut off in the middle costs time and nothing else."""
    encoder = KeywordEncoder()
    first = cached_vectors(encoder, mini_linker, ["Memory", "Lab"])
    (path,) = cache.glob("*.npy")
    path.write_bytes(path.read_bytes()[:50])
    assert np.array_equal(cached_vectors(encoder, mini_linker, ["Memory", "Lab"]), first)


def test_a_cache_that_cannot_be_written_does_no_harm(mini_linker: Linker, cache: Path) -> None:
    """Where the cache's folder cannot be made, vectors are computed and returned."""
    cache.write_text("a file in the folder's place")
    assert cached_vectors(KeywordEncoder(), mini_linker, ["Memory"]).shape == (1, len(WORDS))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(None, id="missing"),
        pytest.param("", id="empty"),
        pytest.param("{", id="cut off"),
        pytest.param("{}", id="without weights"),
        pytest.param("[]", id="a list"),
    ],
)
def test_broken_weights_are_named(tmp_path: Path, content: str | None) -> None:
    """A file of weights that is missing or not of its form is an error with its name."""
    path = tmp_path / "fusion.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BrokenData, match=r"fusion\.json"):
        FusionWeights.load(path)
