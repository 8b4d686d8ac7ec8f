"""Makes many devices out of the shipped ones, to measure how answers keep up with size.

Every device is copied again and again. A copy has names of its own in both languages for
each of the original's, all figures a little different, and the same sources. Lines of
products are copied with their variants, so that none has more variants than before.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from rdflib import Literal, URIRef
from rdflib.namespace import DCTERMS, RDFS, SKOS
from rdflib.term import Node

from kg import KnowledgeGraph
from kg.namespaces import PREFIXES, QUDT, TW, TWD, UNIT, shorten

# In the order of their names, accelerators and processors come before the machines they are in.
DEVICES = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?node WHERE {
  ?node tw:listedIn ?table ; a ?class . FILTER(?class NOT IN (tw:CloudInstance, tw:Figure))
} ORDER BY ?node
"""
LINES = """
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?node WHERE {
  ?device tw:listedIn ?table ; (tw:variantOf|skos:broader)+ ?node .
  FILTER NOT EXISTS { ?device a tw:CloudInstance }
  FILTER NOT EXISTS { ?node tw:collects true }
  FILTER NOT EXISTS { ?node tw:listedIn ?any }
} ORDER BY ?node
"""
NAMES = {RDFS.label, SKOS.altLabel, SKOS.hiddenLabel}
NUMBERS = {QUDT.numericValue, TW.standardValue, TW.rangeMinimum, TW.rangeMaximum}
# Years and counts are not a little different: there is no PCIe 4.7.
WHOLE = {UNIT.NUM, TWD["unit-calendar-year"]}
# New devices have the interfaces that there are.
SHARED = {TW.interconnect, TW.lacksInterconnect}
SPREAD = 0.1
CHARACTERS_PER_FILE = 50_000_000
PROLOGUE = "".join(f"@prefix {p}: <{iri}> .\n" for p, iri in PREFIXES.items())

_SYLLABLES = ("ka", "vel", "to", "rix", "mo", "zen", "qui", "lor", "bas", "tyr", "fen", "dru")
_HAN = "云岚星辰瀚海昆仑青松赤霞玄武朱雀沧浪天罡紫微白泽凌霄长风逐日追月"
_NUMBER, _LATIN, _HAN_NAME, _VALUE = "\1", "\2", "\3", "\4"


@dataclass(frozen=True)
class Series:
    """One round of copies: its number, and what it is called in either script."""

    number: int
    latin: str
    han: str

    def name(self, original: str, language: str | None) -> str:
        """Return a copy's name: H100 SXM5 Velkamozen, H100 SXM5 星海."""
        return f"{original} {self.han if language == 'zh' else self.latin}"


@dataclass(frozen=True)
class Pattern:
    """Turtle of a node and its figures; between the parts go the numbers.

    Each number is given with that of its figure; those of figure 0 stay as they are.
    """

    parts: tuple[str, ...]
    values: tuple[tuple[int, float], ...]
    triples: int

    def filled(self, series: Series, choose: random.Random) -> str:
        """Return the triples of a node's copy."""
        factors = {0: 1.0}
        written = [self.parts[0]]
        for (figure, value), part in zip(self.values, self.parts[1:], strict=True):
            factor = factors.get(figure)
            if factor is None:
                factor = factors[figure] = choose.uniform(1 - SPREAD, 1 + SPREAD)
            written += [f"{value * factor:.4f}", part]
        return (
            "".join(written)
            .replace(_NUMBER, str(series.number))
            .replace(_LATIN, series.latin)
            .replace(_HAN_NAME, series.han)
        )


class CopiedDevices:
    """Copies of a graph's devices, so many: the same for the same graph and number."""

    def __init__(self, graph: KnowledgeGraph, count: int) -> None:
        self._graph = graph
        self._count = count
        self._devices = [URIRef(str(r["node"])) for r in graph.select(DEVICES)]
        self._lines = [URIRef(str(r["node"])) for r in graph.select(LINES)]
        self._copied: set[Node] = {*self._devices, *self._lines}
        self.series = _series(-(-count // len(self._devices)))
        self.triples = 0

    def write(self, folder: Path) -> None:
        """Write the copies, and the lines they are of, as Turtle files."""
        patterns = {node: self._pattern(node) for node in (*self._lines, *self._devices)}
        choose = random.Random(417)
        left, files, batch = self._count, 0, [PROLOGUE]
        for series in self.series:
            for node in (*self._lines, *self._devices[:left]):
                batch.append(patterns[node].filled(series, choose))
                self.triples += patterns[node].triples
            left -= len(self._devices[:left])
            if not left or sum(map(len, batch)) > CHARACTERS_PER_FILE:
                files += 1
                (folder / f"devices-{files:03d}.ttl").write_text("".join(batch), "utf-8")
                batch = [PROLOGUE]

    def _pattern(self, node: URIRef) -> Pattern:
        figures = sorted(self._graph.graph.subjects(TW.figureOf, node), key=str)
        texts: list[str] = []
        values: list[tuple[int, float]] = []
        triples = 0
        for number, subject in enumerate([node, *figures]):
            held = sorted(self._graph.graph.predicate_objects(subject), key=str)
            whole = any(p == QUDT.unit and o in WHOLE for p, o in held)
            values += [(0 if whole else number, float(str(o))) for p, o in held if p in NUMBERS]
            said = " ;\n ".join(f"{_term(p)} {self._object(p, o)}" for p, o in held)
            texts.append(f"{_copied(subject)} {said} .\n")
            triples += len(held)
        return Pattern(tuple("".join(texts).split(_VALUE)), tuple(values), triples)

    def _object(self, predicate: Node, value: Node) -> str:
        if predicate in NUMBERS:
            return _VALUE
        if predicate in NAMES and isinstance(value, Literal):
            word = _HAN_NAME if value.language == "zh" else _LATIN
            return Literal(f"{value} {word}", lang=value.language).n3()
        if predicate == DCTERMS.identifier:
            return Literal(f"{value}-{_NUMBER}").n3()
        is_copied = value in self._copied and predicate not in SHARED
        return _copied(value) if is_copied else _term(value)


def _term(node: Node) -> str:
    """Return a term as Turtle writes it, short where it can be."""
    if isinstance(node, URIRef) and re.fullmatch(r"\w+:[\w-]+", short := shorten(node)):
        return short
    return node.n3()


def _copied(node: Node) -> str:
    """Return what the copy of a node is called in Turtle."""
    return f"<{node}-{_NUMBER}>"


def _series(count: int) -> list[Series]:
    """Return so many series, no two of the same name."""
    names = [
        ["".join(p) for p in permutations(parts, n)] for parts, n in ((_SYLLABLES, 3), (_HAN, 2))
    ]
    for words in names:
        random.Random(80_000).shuffle(words)
    latin, han = names
    return [
        Series(i, word.capitalize(), sign)
        for i, word, sign in zip(range(1, count + 1), latin, han, strict=False)
    ]
