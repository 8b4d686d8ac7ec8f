"""Ranks statements and templates for a question: nearest examples, fused with mentions.

The fusion has few weights, fitted on example questions that the encoder's head had
not seen (`make encoder`), and kept beside the head.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path
from rdflib import URIRef

from assistant import cues
from assistant.encoder import FOLDER, Encoder, Vectors
from assistant.guide_index import GuideIndex, Vector
from assistant.linking import Linked, Linker
from assistant.templates import ExampleQuestion
from kg import BrokenData

WEIGHTS = FOLDER / "fusion.json"
OUTSIDE = ("off_topic", "chitchat", "instruction")
NOT_STATED = "not_stated"
# A few characters that name a known thing are a keyword search, however odd to the encoder.
SHORT = 16
KINDS = ("in_guide", "not_stated", "outside")
NEIGHBOURS = 200
DIGEST_SIZE = 32
# Weight of the best example against the mean of the best three; measured on examples.
BEST_SHARE = 0.6


@dataclass(frozen=True)
class Evidence:
    """What the encoder says of one question.

    `statements` holds a similarity for each statement of the guide index, `templates`
    one for each template: the best and the mean of the best three examples, blended.
    """

    statements: Vector
    templates: dict[str, float]


@dataclass(frozen=True)
class Ranked:
    """How likely each statement, template and kind of answer is for a question."""

    statements: Vector
    templates: dict[str, float]
    kinds: dict[str, float]
    similarity: float

    def best(self) -> int:
        """Return the position of the likeliest statement."""
        return int(np.argmax(self.statements))


@dataclass(frozen=True)
class FusionWeights:
    """Weights of the fusion.

    `kinds` has a row of weights and a bias for each kind; `gates` the thresholds of
    templates that list, see `assistant.selecting.Gate`.
    """

    statements: Vector
    kinds: NDArray[np.float64]
    gates: dict[str, dict[str, float]]

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> FusionWeights:
        """Return the weights of a file that `make encoder` wrote.

        Raises:
            BrokenData: If the file is missing or not of that form.
        """
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            return cls(np.array(data["statements"]), np.array(data["kinds"]), data["gates"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BrokenData(path, f"no fusion weights: {error}") from error


class ExampleIndex:
    """A FAISS index of example questions and of the statements' own wording."""

    def __init__(
        self, vectors: Vectors, entries: Sequence[tuple[str, tuple[int, ...]]], n_statements: int
    ) -> None:
        """Take unit vectors, shape (n, dim), and for each its template and statements."""
        self._entries = entries
        self._n_statements = n_statements
        self._index = faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(vectors)

    def evidence(self, vector: Vectors, leave_out: float = 2.0) -> Evidence:
        """Return the evidence for one question, given its unit vector, shape (dim,).

        Args:
            vector: The question's vector.
            leave_out: Neighbours at least this similar are passed over, so that an
                example question can be judged as if it were not in the index.
        """
        k = min(NEIGHBOURS, len(self._entries))
        similarities, positions = self._index.search(vector[None, :], k)
        by_statement: dict[int, list[float]] = {}
        by_template: dict[str, list[float]] = {}
        for similarity, position in zip(
            similarities[0].tolist(), positions[0].tolist(), strict=True
        ):
            if similarity >= leave_out:
                continue
            template, statements = self._entries[position]
            by_template.setdefault(template, []).append(similarity)
            if template != NOT_STATED:
                for statement in statements:
                    by_statement.setdefault(statement, []).append(similarity)
        floor = float(similarities[0, -1]) - 0.1
        blended = np.full(self._n_statements, floor)
        for statement, found in by_statement.items():
            blended[statement] = _blend(found, floor)
        return Evidence(blended, {t: _blend(found, floor) for t, found in by_template.items()})


class Ranker:
    """Ranks what a question may be asking for."""

    def __init__(
        self, encoder: Encoder, index: ExampleIndex, guide: GuideIndex, weights: FusionWeights
    ) -> None:
        self.encoder = encoder
        self.index = index
        self.guide = guide
        self.weights = weights

    def rank(self, linked: Linked, evidence: Sequence[Evidence] | None = None) -> Ranked:
        """Return the ranking of a question that has been linked.

        Args:
            linked: The question with its mentions.
            evidence: The encoder's evidence for the texts that stand for the question
                (its sentences, or its follow-up forms), averaged; the text's own if None.
        """
        found = list(evidence) if evidence else self.evidence([linked.asked])
        similarity = np.mean([e.statements for e in found], axis=0)
        names = {t for e in found for t in e.templates}
        templates = {t: float(np.mean([e.templates.get(t, -1.0) for e in found])) for t in names}
        features = self.statement_features(linked, similarity)
        fused = features @ self.weights.statements
        chances = np.exp(fused - fused.max())
        chances /= chances.sum()
        kinds = self.weights.kinds @ self.kind_features(linked, similarity, templates, chances)
        kind_chances = np.exp(kinds - kinds.max())
        kind_chances /= kind_chances.sum()
        return Ranked(
            chances,
            templates,
            dict(zip(KINDS, kind_chances.tolist(), strict=True)),
            float(similarity.max()),
        )

    def evidence(self, texts: list[str]) -> list[Evidence]:
        """Return the encoder's evidence for each of several texts."""
        return [self.index.evidence(vector) for vector in self.encoder.encode(texts)]

    def statement_features(self, linked: Linked, similarity: Vector) -> Vector:
        """Return the features of every statement, shape (n_statements, 4)."""
        mentions = self.guide.features(linked.nodes, linked.quantities)
        if self._is_bare_figure(linked):
            # The encoder tells numbers apart badly; here there is nothing else to go by.
            similarity = np.full_like(similarity, similarity.mean())
        return np.column_stack([similarity, mentions])

    def _is_bare_figure(self, linked: Linked) -> bool:
        """Return whether a question is a figure of the guide and names nothing known."""
        return (
            len(linked.asked) <= SHORT
            and not any(n in self.guide.covered for n in linked.nodes)
            and any(self.guide.has_figure(q) for q in linked.quantities)
        )

    def kind_features(
        self, linked: Linked, similarity: Vector, templates: dict[str, float], chances: Vector
    ) -> Vector:
        """Return what tells apart questions the guide answers, does not answer, and others."""
        known = [n for n in linked.nodes if n in self.guide.covered]
        known += [q.unit for q in linked.quantities if self.guide.has_figure(q)]
        features = self.guide.features(linked.nodes, linked.quantities)
        return np.array(
            [
                float(similarity.max()),
                templates.get(NOT_STATED, -0.2),
                max((templates.get(t, -0.2) for t in OUTSIDE), default=-0.2),
                float(bool(self.unspoken(linked))),
                float(bool(linked.designators)),
                min(len(known), 3) / 3,
                float(features[int(np.argmax(chances)), 0]),
                float(cues.INSTRUCTION in linked.cue_nodes),
                float(len(linked.asked) <= SHORT) * float(bool(known)),
                1.0,
            ]
        )

    def unspoken(self, linked: Linked) -> list[URIRef]:
        """Return the things mentioned that no statement is about, in order of mention."""
        spoken = self.guide.covered
        return list(
            dict.fromkeys(
                m.node for m in linked.things if m.node not in spoken and "/data/" in m.node
            )
        )


def build_index(
    encoder: Encoder,
    linker: Linker,
    guide: GuideIndex,
    examples: Sequence[ExampleQuestion],
    wordings: dict[URIRef, tuple[str, ...]],
) -> ExampleIndex:
    """Return the index of all examples without context and of the statements' wordings.

    Vectors are kept in the user's cache folder under a digest of encoder, texts and
    lexicon (which puts slips in the texts right); the cache may be deleted at any time.
    """
    texts, entries = [], []
    for example in examples:
        if example.context is None:
            texts.append(example.text)
            entries.append((example.template, tuple(guide.position[s] for s in example.statements)))
    for statement, own in sorted(wordings.items()):
        for text in own:
            texts.append(text)
            entries.append(("single_statement", (guide.position[statement],)))
    return ExampleIndex(cached_vectors(encoder, linker, texts), entries, len(guide.statements))


def cached_vectors(encoder: Encoder, linker: Linker, texts: Sequence[str]) -> Vectors:
    """Return the vectors of texts as a question would be encoded, from the cache if there."""
    names = [name for layer in linker.lexicon.names.values() for name in sorted(layer)]
    key = "\0".join([encoder.name, *texts, *names])
    digest = hashlib.sha256(key.encode()).hexdigest()[:24]
    path = user_cache_path("trainwright") / f"examples-{digest}.npy"
    cached = _read_vectors(path, len(texts))
    if cached is not None:
        return cached
    prepared = [linker.prepare(text) for text in texts]
    vectors: Vectors = np.vstack(
        [encoder.encode(prepared[i : i + 64]) for i in range(0, len(texts), 64)]
    )
    _write_vectors(path, vectors)
    return vectors


def _read_vectors(path: Path, count: int) -> Vectors | None:
    """Return the vectors of a cache file, or None if there is none or it is damaged.

    A damaged cache must cost a slower start and nothing else, so the bytes are held
    against a digest before anything is made of them.
    """
    try:
        data = path.read_bytes()
        body, digest = data[:-DIGEST_SIZE], data[-DIGEST_SIZE:]
        if hashlib.sha256(body).digest() != digest:
            return None
        vectors = np.load(io.BytesIO(body), allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    fits = vectors.ndim == 2 and len(vectors) == count and vectors.dtype == np.float32
    return vectors if fits else None


def _write_vectors(path: Path, vectors: Vectors) -> None:
    buffer = io.BytesIO()
    np.save(buffer, vectors.astype(np.float32))
    body = buffer.getvalue()
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(body + hashlib.sha256(body).digest())
        part.replace(path)
    except OSError:
        return  # a read-only home costs a slower start, nothing else


def _blend(found: list[float], floor: float) -> float:
    top = [*found, floor, floor][:3]
    return BEST_SHARE * top[0] + (1 - BEST_SHARE) * sum(top) / 3
