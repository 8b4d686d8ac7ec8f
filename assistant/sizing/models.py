"""The dimensions of models: by name from the graph, or inferred from a number of weights."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rapidfuzz import process

from assistant.sizing.problems import PlanRefused, Problem
from kg import KnowledgeGraph

SHAPES = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?model ?label ?parameters ?active ?layers ?hidden ?feedForward ?heads ?kvHeads
       ?vocabulary ?kind ?source
WHERE {
  ?model a tw:ModelShape ; rdfs:label ?label ; tw:parameterCount ?parameters ;
         tw:activeParameterCount ?active ; dcterms:source ?source .
  FILTER(LANG(?label) = "en")
  OPTIONAL { ?model tw:layerCount ?layers ; tw:hiddenSize ?hidden ;
                    tw:feedForwardSize ?feedForward ; tw:headCount ?heads ;
                    tw:keyValueHeadCount ?kvHeads ; tw:vocabularySize ?vocabulary ;
                    tw:feedForwardKind ?kind }
}
ORDER BY ?model ?source
"""
NAMES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?model ?name WHERE { ?model a tw:ModelShape ; rdfs:label|skos:altLabel ?name }
"""

# What shape is taken for a model of which only the size is known: width is so many times the
# number of layers, as in LLaMA 7B, 13B and 65B; heads are 128 wide.
WIDTH_BY_LAYERS = 128
HEAD_WIDTH = 128
LARGE, SMALL_VOCABULARY, LARGE_VOCABULARY = 3e9, 50_257, 128_256

_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(k|m|b|t|bn|千|万|百万|亿|十亿|万亿)")
_FACTORS = {
    "k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12,
    "千": 1e3, "万": 1e4, "百万": 1e6, "亿": 1e8, "十亿": 1e9, "万亿": 1e12,
}  # fmt: skip


@dataclass(frozen=True)
class Model:
    """A network's dimensions; `inferred` if they were made up for a number of weights."""

    name: str
    parameters: float
    active_parameters: float
    layers: int
    hidden: int
    feed_forward: int
    heads: int
    kv_heads: int
    vocabulary: int
    gated: bool = True
    inferred: bool = False
    source: str | None = None

    @property
    def routed(self) -> bool:
        """Return whether each token passes only some of the weights."""
        return self.active_parameters < 0.95 * self.parameters

    @property
    def layer_weights(self) -> float:
        """Return the weights of all layers' matrices: what can be quantised or adapted."""
        if self.routed or self.inferred:
            return self.parameters - self.embedding_weights
        return float(self.layers * sum(i * o for i, o in self.matrices()))

    @property
    def embedding_weights(self) -> float:
        """Return the weights of the tables of tokens: one or two, as the total allows."""
        if self.routed or self.inferred:
            tables = 2 if self.parameters >= LARGE else 1
            # A tiny model has a smaller vocabulary than is usual.
            return min(tables * self.vocabulary * self.hidden, self.parameters / 2)
        return self.parameters - self.layer_weights

    def matrices(self) -> list[tuple[float, float]]:
        """Return widths in and out of a layer's matrices: q, k, v, o, then feed-forward."""
        h, f = self.hidden, self.feed_forward
        kv = h * self.kv_heads / self.heads
        up = [(h, f), (h, f)] if self.gated else [(h, f)]
        return [(h, h), (h, kv), (h, kv), (h, h), *up, (f, h)]


class ModelCatalogue:
    """The models of the graph, by name."""

    def __init__(self, models: Mapping[str, Model], names: Mapping[str, str]) -> None:
        self._models = models
        self._names = names

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> ModelCatalogue:
        """Return the models of a graph."""
        models: dict[str, Model] = {}
        for row in graph.select(SHAPES):
            models.setdefault(str(row["model"]), _model(row))
        names = {_key(str(r["name"])): str(r["model"]) for r in graph.select(NAMES)}
        return cls(models, names)

    def __iter__(self) -> Any:
        return iter(self._models.values())

    def named(self, name: str) -> Model:
        """Return a model by name or by size, such as `Llama 2 7B` or `7B`.

        Raises:
            PlanRefused: If there is no such model; the message names the nearest.
        """
        node = self._names.get(_key(name))
        if node is not None:
            return self._models[node]
        size = parameters_of(name)
        if size is not None:
            return inferred(size, name=name.strip())
        near = process.extract(_key(name), self._names, limit=3, score_cutoff=40)
        nearest = [self._models[node].name for node, _, _ in _by_key(near, self._names)]
        allowed = ", ".join(dict.fromkeys(nearest)) or ", ".join(
            m.name for m in self._models.values()
        )
        raise PlanRefused([Problem("unknown-model", "model", name, allowed)])


def inferred(
    parameters: float,
    active: float | None = None,
    name: str = "",
    known: Mapping[str, int | None] | None = None,
) -> Model:
    """Return a model of a size with usual proportions; what is known of it is kept."""
    active, known = active or parameters, known or {}
    vocabulary = known.get("vocabulary") or (
        LARGE_VOCABULARY if active >= LARGE else SMALL_VOCABULARY
    )
    layers, hidden = _proportions(active, known.get("layers"), known.get("hidden"))
    heads = known.get("heads") or max(1, hidden // HEAD_WIDTH)
    return Model(
        name or f"{parameters / 1e9:g}B",
        parameters,
        active,
        layers,
        hidden,
        known.get("feed_forward") or round(8 / 3 * hidden / HEAD_WIDTH) * HEAD_WIDTH,
        heads,
        known.get("kv_heads") or heads,
        vocabulary,
        inferred=True,
    )


def _proportions(weights: float, layers: int | None, hidden: int | None) -> tuple[int, int]:
    """Return layers and width of a size; wide ones are multiples of 1,024, as heads are shared."""
    if hidden is None:
        deep = layers or (weights / 12 / WIDTH_BY_LAYERS**2) ** (1 / 3)
        width = (weights / 12 / deep) ** 0.5
        step = 8 * HEAD_WIDTH if width > 16 * HEAD_WIDTH else HEAD_WIDTH
        hidden = max(HEAD_WIDTH, round(width / step) * step)
    return layers or max(1, round(weights / 12 / hidden**2)), hidden


def parameters_of(text: str) -> float | None:
    """Return the number that a size such as `7B`, `1.3 b` or `70亿` means, or None."""
    match = _SIZE.fullmatch(text.strip().lower())
    return float(match[1]) * _FACTORS[match[2]] if match else None


def swiglu_parameters(
    e: float,
    V: float,
    h: float,
    l: float,
    kv: float,
    a: float,
    f: float,
) -> float:
    """Return the weights of a gated transformer (formula swiglu-parameters)."""
    return e * V * h + l * (2 * h**2 * (1 + kv / a) + 3 * h * f + 2 * h) + h


def gelu_parameters(l: float, h: float, V: float, s: float) -> float:
    """Return the weights of a GPT transformer (formula gelu-parameters)."""
    return 12 * l * h**2 * (1 + 13 / (12 * h) + (V + s) / (12 * l * h))


def adapter_parameters(r: float, din: float, dout: float) -> float:
    """Return the weights that an adapter adds to a matrix (formula adapter-parameters)."""
    return r * (din + dout)


def _by_key(near: Any, names: Mapping[str, str]) -> Any:
    return [(value, score, key) for value, score, key in near if key in names]


def _key(name: str) -> str:
    return re.sub(r"[\s_\-]+", "", name).lower()


def _model(row: Mapping[str, Any]) -> Model:
    name, parameters = str(row["label"]), float(str(row["parameters"]))
    active, source = float(str(row["active"])), str(row["source"])
    if "layers" not in row:
        shape = inferred(parameters, active, name)
        return Model(**(shape.__dict__ | {"source": source}))
    names = ("layers", "hidden", "feedForward", "heads", "kvHeads", "vocabulary")
    layers, hidden, feed_forward, heads, kv_heads, vocabulary = (int(str(row[k])) for k in names)
    return Model(
        name,
        parameters,
        active,
        layers,
        hidden,
        feed_forward,
        heads,
        kv_heads,
        vocabulary,
        gated=str(row["kind"]) == "swiglu",
        source=source,
    )
