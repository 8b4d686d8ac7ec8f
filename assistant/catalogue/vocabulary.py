"""What the catalogue holds and how people call it: entries, classes, quantities, facets.

Everything is read from the graph, so a quantity or a device that a user adds is known
at once. Names are found with Aho-Corasick, in time that does not grow with their number.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from rdflib import URIRef
from rdflib.namespace import RDFS

from assistant.lexicon import Lexicon, name_variants
from assistant.normalisation import normalise
from kg import KnowledgeGraph

TW = "https://w3id.org/trainwright/ontology#"
LABEL = RDFS.label
RANGE = URIRef("https://w3id.org/trainwright/data/operator-range")
HARDWARE = URIRef(TW + "Hardware")
PART = URIRef(TW + "Part")

ENTRIES = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?entry ?class WHERE {
  { ?entry tw:listedIn ?table FILTER NOT EXISTS { ?entry a tw:Figure } }
  UNION { ?figure tw:figureOf ?entry }
  ?entry a ?class .
}
"""
VARIANTS = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?entry ?line WHERE {
  ?entry tw:variantOf|skos:broader ?line . FILTER NOT EXISTS { ?line tw:collects true }
}
"""
SOLD = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?line WHERE { ?entry tw:variantOf ?line }
"""
SUBCLASSES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?class ?super WHERE { ?class rdfs:subClassOf ?super }
"""
QUANTITIES = """
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?quantity ?unit ?better ?condition WHERE {
  ?quantity a tw:Quantity ; tw:standardUnit ?unit .
  OPTIONAL { ?quantity tw:betterWhen ?better }
  OPTIONAL { ?quantity tw:conditionedBy ?condition }
}
"""
NARROWED = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?named ?quantity ?property ?value WHERE {
  ?named a tw:NamedQuantity ; tw:ofQuantity ?quantity .
  OPTIONAL { ?property a tw:FigureCondition . ?named ?property ?value }
}
"""
COVERED = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?wide ?quantity WHERE { ?wide tw:covers ?quantity }
"""
FACETS = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?facet ?range WHERE { ?facet a tw:Facet . OPTIONAL { ?facet rdfs:range ?range } }
"""
FACET_VALUES = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?facet ?value ?class WHERE {
  ?facet a tw:Facet . ?entry ?facet ?value ; tw:listedIn ?table ; a ?class .
}
"""
BROADER = """
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?node ?wide WHERE { ?node skos:broader ?wide }
"""
COLLECTING = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?node WHERE { ?node tw:collects true }
"""
COMPARED = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?quantity ?value WHERE { ?quantity tw:comparedIn ?value }
"""
PRICED = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?kind ?class WHERE {
  ?figure tw:priceKind ?kind ; tw:figureOf ?entry . ?entry a ?class
}
"""
LACKS = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?value WHERE { ?entry tw:lacksInterconnect|tw:lacksPrecision ?value }
"""
# How often a quantity is given for a class, by the conditions of its figures.
GIVEN = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?class ?quantity (COUNT(?figure) AS ?count) WHERE {
  ?figure tw:ofQuantity ?quantity ; tw:figureOf ?entry . ?entry a ?class .
} GROUP BY ?class ?quantity
"""
COMBINATIONS = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?quantity ?class ?precision ?accumulation ?sparsity ?perUnit ?direction
       ?accessPattern ?operation (COUNT(?figure) AS ?count) WHERE {
  ?figure tw:ofQuantity ?quantity ; tw:standing tw:Preferred ; tw:figureOf ?entry .
  ?entry a ?class .
  OPTIONAL { ?figure tw:precision ?precision }
  OPTIONAL { ?figure tw:accumulation ?accumulation }
  OPTIONAL { ?figure tw:sparsity ?sparsity }
  OPTIONAL { ?figure tw:perUnit ?perUnit }
  OPTIONAL { ?figure tw:direction ?direction }
  OPTIONAL { ?figure tw:accessPattern ?accessPattern }
  OPTIONAL { ?figure tw:operation ?operation }
}
GROUP BY ?quantity ?class ?precision ?accumulation ?sparsity ?perUnit ?direction
         ?accessPattern ?operation
"""
UNITS = """
PREFIX qudt: <http://qudt.org/schema/qudt/>
SELECT ?unit ?kind ?factor ?symbol WHERE {
  ?unit a qudt:Unit ; qudt:hasQuantityKind ?kind ; qudt:conversionMultiplier ?factor ;
        qudt:symbol ?symbol .
}
"""
NUMBERS = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?name ?value WHERE {
  ?word a tw:NumberWord ; tw:numberValue ?value ; rdfs:label|skos:altLabel ?name
}
"""
OPERATORS = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?operator ?quantity ?means WHERE {
  ?operator a tw:Operator . OPTIONAL { ?operator tw:ofQuantity ?quantity }
  OPTIONAL { ?operator tw:means ?means }
}
"""
NAMES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?node ?name ?property WHERE {
  VALUES ?property { rdfs:label skos:altLabel skos:hiddenLabel } ?node ?property ?name
}
"""

# What a figure may be conditioned by, in the order in which it is spoken.
CONDITION_NAMES = (
    "precision", "accumulation", "sparsity", "accessPattern", "operation", "direction", "perUnit",
)  # fmt: skip
_SIZE = re.compile(r"(\d) ?(gb|g|tb)(?![a-z/])", re.IGNORECASE)
_SIZES = {"g": "GB", "gb": "GB", "tb": "TB"}
_ASKING = re.compile(r"^(?:how (?:much|many|big|large) |多少|几个?|多大)")
_HAN_SPACE = re.compile(r"(?<=[㐀-䶿一-鿿]) (?=[^ ])|(?<=[^ ]) (?=[㐀-䶿一-鿿])")

Conditions = frozenset[tuple[str, URIRef]]
"""Properties and values, by local name: {("precision", twd:bf16)}."""


@dataclass(frozen=True)
class Quantity:
    """A quantity of the graph: its unit, which end is better, what its figures must state."""

    node: URIRef
    unit: URIRef
    better: str | None
    conditioned_by: frozenset[str]


@dataclass(frozen=True)
class Unit:
    """A unit; `factor` converts to the base of its kind."""

    node: URIRef
    kind: URIRef
    factor: float
    symbol: str


@dataclass(frozen=True)
class Meaning:
    """One thing a word may mean; `kind` says what sort of thing."""

    kind: str
    node: URIRef


@dataclass(frozen=True)
class Token:
    """Words at [start, end) of a question that the catalogue knows, with all they may mean."""

    start: int
    end: int
    text: str
    meanings: tuple[Meaning, ...]

    def nodes(self, *kinds: str) -> tuple[URIRef, ...]:
        """Return what the words may mean, of some kinds."""
        return tuple(m.node for m in self.meanings if m.kind in kinds)


@dataclass
class Vocabulary:
    """The catalogue's things and their names."""

    classes_of: dict[URIRef, frozenset[URIRef]]
    lines: dict[URIRef, frozenset[URIRef]]
    wide_lines: frozenset[URIRef]
    supers: dict[URIRef, frozenset[URIRef]]
    quantities: dict[URIRef, Quantity]
    narrowed: dict[URIRef, tuple[URIRef, Conditions]]
    covers: dict[URIRef, tuple[URIRef, ...]]
    facets: dict[URIRef, frozenset[URIRef]]
    facet_classes: dict[URIRef, frozenset[URIRef]]
    value_classes: dict[tuple[URIRef, URIRef], frozenset[URIRef]]
    units: dict[URIRef, Unit]
    operators: dict[URIRef, tuple[URIRef, URIRef | None]]
    given: dict[tuple[URIRef, URIRef], int]
    combinations: dict[URIRef, Counter[tuple[URIRef, Conditions]]]
    condition_of: dict[URIRef, str]
    compared_in: dict[URIRef, URIRef]
    narrower: dict[URIRef, frozenset[URIRef]]
    priced: dict[URIRef, frozenset[URIRef]]
    meanings: dict[str, tuple[Meaning, ...]]
    unit_names: dict[str, tuple[URIRef, ...]]
    cased_units: dict[str, tuple[URIRef, ...]]
    number_words: dict[str, int]
    range_words: tuple[str, ...]
    usual: frozenset[str] = frozenset()
    lexicon: Lexicon = field(init=False)

    def __post_init__(self) -> None:
        # Names that mean the same share one list: there may be millions of them.
        nodes = {id(found): [m.node for m in found] for found in self.meanings.values()}
        names = {name: nodes[id(found)] for name, found in self.meanings.items()}
        empty: dict[str, list[URIRef]] = {}
        self.lexicon = Lexicon(
            {"thing": names, "cue": empty, "unit": empty, "number": empty}, self.usual
        )

    @classmethod
    def of(cls, graph: KnowledgeGraph, usual: frozenset[str] = frozenset()) -> Vocabulary:
        """Return the vocabulary of a graph.

        Args:
            graph: The whole graph, with the catalogue.
            usual: Latin words that people use and that are therefore not misspelt names.
        """
        return _Builder(graph).build(usual)

    @cached_property
    def longest_unit(self) -> int:
        """The length of the longest name of a unit."""
        return max(map(len, self.unit_names), default=0)

    def parts_of(self, start: int, text: str) -> list[Token]:
        """Return the known words inside a name, found without the name as a whole."""
        parts: list[Token] = []
        place = 0
        while place < len(text):
            for end in range(len(text), place, -1):
                word = text[place:end]
                boundary = not (
                    word[-1].isascii()
                    and word[-1].isalnum()
                    and text[end : end + 1].isascii()
                    and text[end : end + 1].isalnum()
                )
                if (place, end) != (0, len(text)) and boundary and word in self.meanings:
                    parts.append(Token(start + place, start + end, word, self.meanings[word]))
                    place = end
                    break
            else:
                place += 1
        return parts

    def members(self, node: URIRef) -> frozenset[URIRef]:
        """Return the entries meant by an entry or by a line; a line means its variants."""
        own = frozenset({node}) if node in self.classes_of else frozenset[URIRef]()
        return own | self.lines.get(node, frozenset())

    def class_of(self, node: URIRef) -> frozenset[URIRef]:
        """Return the classes of an entry or of a line's variants."""
        return frozenset(c for e in self.members(node) for c in self.classes_of[e])

    def within(self, wide: URIRef) -> frozenset[URIRef]:
        """Return a class and its subclasses."""
        return frozenset({wide, *(c for c, above in self.supers.items() if wide in above)})

    def count_given(self, quantity: URIRef, classes: frozenset[URIRef]) -> int:
        """Return how many figures there are of a quantity for things of some classes."""
        return sum(self.given.get((c, quantity), 0) for c in classes)

    def usual_conditions(
        self, quantity: URIRef, asked: Conditions, classes: frozenset[URIRef]
    ) -> Conditions:
        """Return the conditions under which a quantity is most often given, as asked.

        Only what its figures must state counts, and how sums are written; where the graph
        says in what a quantity is compared (tw:comparedIn), that comes first.
        """
        wanted = {*self.quantities[quantity].conditioned_by, "accumulation"}
        fitting: Counter[Conditions] = Counter()
        for (of_class, combination), count in self.combinations.get(quantity, Counter()).items():
            if asked <= combination and (not classes or of_class in classes):
                kept = frozenset(p for p in combination if p[0] in wanted or p in asked)
                fitting[kept] += count
        if not fitting:
            return asked
        preferred = self.compared_in.get(quantity)
        named = {name for name, _ in asked}
        return max(
            fitting,
            key=lambda c: (
                preferred in {v for n, v in c if n not in named},
                fitting[c],
                sorted(c),
            ),
        )

    def condition_values(self, quantity: URIRef, name: str) -> frozenset[URIRef]:
        """Return the values that a condition takes among a quantity's figures."""
        return frozenset(
            value
            for _, combination in self.combinations.get(quantity, ())
            for key, value in combination
            if key == name
        )


def canonical(text: str) -> str:
    """Return a name or question with memory sizes spelt one way (80GB), in its case.

    Spaces between Chinese characters and others go: NVLink 带宽 is NVLink带宽.
    """
    text = _HAN_SPACE.sub("", text)
    return _SIZE.sub(
        lambda m: (
            m[1] + _SIZES[m[2].lower()] if m[2].isupper() else m[1] + _SIZES[m[2].lower()].lower()
        ),
        text,
    )


class _Builder:
    """Reads a vocabulary from a graph."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph

    def _rows(self, query: str) -> list[dict[str, URIRef]]:
        if "rdfs:" in query and "PREFIX rdfs:" not in query:
            query = "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n" + query
        return self._graph.select(query)  # type: ignore[return-value]

    def build(self, usual: frozenset[str]) -> Vocabulary:
        classes_of: dict[URIRef, set[URIRef]] = defaultdict(set)
        for row in self._rows(ENTRIES):
            classes_of[row["entry"]].add(row["class"])
        supers: dict[URIRef, set[URIRef]] = defaultdict(set)
        for c, above in _closed((r["class"], r["super"]) for r in self._rows(SUBCLASSES)).items():
            supers[c] |= {c, *above}
        for classes in list(classes_of.values()):
            for c in classes:
                supers[c].add(c)
        facets: dict[URIRef, set[URIRef]] = defaultdict(set)
        facet_classes: dict[URIRef, set[URIRef]] = defaultdict(set)
        value_classes: dict[tuple[URIRef, URIRef], set[URIRef]] = defaultdict(set)
        for row in self._rows(FACET_VALUES):
            facets[row["facet"]].add(row["value"])
            facet_classes[row["facet"]].add(row["class"])
            value_classes[row["facet"], row["value"]].add(row["class"])
        for row in self._rows(FACETS):
            facets[row["facet"]] |= set()
        lacks = {row["value"] for row in self._rows(LACKS)}
        collecting = {row["node"] for row in self._rows(COLLECTING)}
        narrower = self._narrower({v for values in facets.values() for v in values})
        for wide, kinds_of in narrower.items():
            for values in facets.values():
                if not values.isdisjoint(kinds_of) and wide not in collecting:
                    values.add(wide)  # cards with NVLink, of whichever generation
        quantities, narrowed, covers = self._quantities()
        given: Counter[tuple[URIRef, URIRef]] = Counter()
        for row in self._rows(GIVEN):
            given[row["class"], row["quantity"]] += int(row["count"])
        combinations: dict[URIRef, Counter[tuple[URIRef, Conditions]]] = defaultdict(Counter)
        for row in self._rows(COMBINATIONS):
            held = frozenset((n, row[n]) for n in CONDITION_NAMES if n in row)
            combinations[row["quantity"]][row["class"], held] += int(row["count"])
        condition_of = {
            value: name
            for counted in combinations.values()
            for _, held in counted
            for name, value in sorted(held)
            if name != "accumulation"
        }
        operators = {
            row["operator"]: (row.get("means", row["operator"]), row.get("quantity"))
            for row in self._rows(OPERATORS)
        }
        lines = self._lines(classes_of)
        units = {
            row["unit"]: Unit(row["unit"], row["kind"], float(row["factor"]), str(row["symbol"]))
            for row in self._rows(UNITS)
        }
        kinds: dict[URIRef, list[str]] = defaultdict(list)
        for node in classes_of:
            kinds[node].append("entry")
        for node in lines:
            kinds[node].append("line")
        for c in supers:
            # Also what no entry is of: a network interface card is no accelerator card.
            if HARDWARE in supers[c] and c not in (HARDWARE, PART):
                kinds[c].append("class")
        for facet, values in facets.items():
            kinds[facet].append("facet")
            for value in values:
                if value not in classes_of:
                    kinds[value].append("value")
        for value in lacks:
            if "value" not in kinds[value]:
                kinds[value].append("value")
        for node in quantities:
            kinds[node].append("quantity")
        for node in narrowed:
            kinds[node].append("narrowed")
        for node in covers:
            kinds[node].append("wide")
        for node in condition_of:
            kinds[node].append("condition")
        for row in self._rows(
            "PREFIX tw: <https://w3id.org/trainwright/ontology#>\n"
            "SELECT ?kind WHERE { ?kind a tw:PriceKind }"
        ):
            kinds[row["kind"]].append("condition")
            condition_of[row["kind"]] = "priceKind"
        for row in self._rows(
            "PREFIX tw: <https://w3id.org/trainwright/ontology#>\n"
            "SELECT ?region WHERE { ?region a tw:Region }"
        ):
            kinds[row["region"]].append("condition")
            condition_of[row["region"]] = "region"
        for node in operators:
            kinds[node].append("operator")
        meanings, unit_names, cased = self._names(kinds, units, operators)
        return Vocabulary(
            {e: frozenset(c) for e, c in classes_of.items()},
            lines,
            self._wide(lines),
            {c: frozenset(s) for c, s in supers.items()},
            quantities,
            narrowed,
            covers,
            {f: frozenset(v) for f, v in facets.items()},
            {f: frozenset(c) for f, c in facet_classes.items()},
            {v: frozenset(c) for v, c in value_classes.items()},
            units,
            operators,
            dict(given),
            dict(combinations),
            condition_of,
            {row["quantity"]: row["value"] for row in self._rows(COMPARED)},
            self._narrower({v for values in facets.values() for v in values}),
            self._priced(),
            meanings,
            unit_names,
            cased,
            self._number_words(),
            tuple(sorted(t for t, m in meanings.items() if RANGE in {x.node for x in m})),
            usual,
        )

    def _quantities(
        self,
    ) -> tuple[
        dict[URIRef, Quantity],
        dict[URIRef, tuple[URIRef, Conditions]],
        dict[URIRef, tuple[URIRef, ...]],
    ]:
        conditions: dict[URIRef, set[str]] = defaultdict(set)
        rows = {}
        for row in self._rows(QUANTITIES):
            rows[row["quantity"]] = row
            if "condition" in row:
                conditions[row["quantity"]].add(_local(row["condition"]))
        quantities = {
            node: Quantity(
                node,
                row["unit"],
                _local(row["better"]) if "better" in row else None,
                frozenset(conditions[node]),
            )
            for node, row in rows.items()
        }
        held: dict[URIRef, set[tuple[str, URIRef]]] = defaultdict(set)
        of: dict[URIRef, URIRef] = {}
        for row in self._rows(NARROWED):
            of[row["named"]] = row["quantity"]
            if "value" in row:
                held[row["named"]].add((_local(row["property"]), row["value"]))
        narrowed = {n: (q, frozenset(held[n])) for n, q in of.items()}
        covers: dict[URIRef, list[URIRef]] = defaultdict(list)
        for row in self._rows(COVERED):
            covers[row["wide"]].append(row["quantity"])
        return quantities, narrowed, {w: tuple(sorted(q)) for w, q in covers.items()}

    def _priced(self) -> dict[URIRef, frozenset[URIRef]]:
        """Return for each kind of price the classes of what has such a price."""
        found: dict[URIRef, set[URIRef]] = defaultdict(set)
        for row in self._rows(PRICED):
            found[row["kind"]].add(row["class"])
        return {kind: frozenset(classes) for kind, classes in found.items()}

    def _number_words(self) -> dict[str, int]:
        """Return the number words in Latin letters; Chinese numerals have a grammar."""
        return {
            name: int(row["value"])
            for row in self._rows(NUMBERS)
            if (name := normalise(str(row["name"]))).isascii() and name.isalpha()
        }

    def _narrower(self, values: set[URIRef]) -> dict[URIRef, frozenset[URIRef]]:
        """Return for each wide node the values of facets that are kinds of it."""
        found: dict[URIRef, set[URIRef]] = defaultdict(set)
        above = _closed((r["node"], r["wide"]) for r in self._rows(BROADER))
        for node in values & set(above):
            for wide in above[node]:
                found[wide].add(node)
        return {wide: frozenset(nodes) for wide, nodes in found.items()}

    def _wide(self, lines: dict[URIRef, frozenset[URIRef]]) -> frozenset[URIRef]:
        """Return the lines that nothing is a variant of: NVLink, NVMe SSD, DGX."""
        sold = {row["line"] for row in self._rows(SOLD)}
        return frozenset(line for line in lines if line not in sold)

    def _lines(self, entries: dict[URIRef, set[URIRef]]) -> dict[URIRef, frozenset[URIRef]]:
        above: dict[URIRef, set[URIRef]] = defaultdict(set)
        for row in self._rows(VARIANTS):
            above[row["entry"]].add(row["line"])
        lines: dict[URIRef, set[URIRef]] = defaultdict(set)
        for entry in entries:
            stack, seen = list(above.get(entry, ())), set[URIRef]()
            while stack:
                line = stack.pop()
                if line not in seen:
                    seen.add(line)
                    lines[line].add(entry)
                    stack += above.get(line, ())
        return {line: frozenset(members) for line, members in lines.items()}

    def _names(
        self,
        kinds: dict[URIRef, list[str]],
        units: dict[URIRef, Unit],
        operators: Collection[URIRef],
    ) -> tuple[
        dict[str, tuple[Meaning, ...]], dict[str, tuple[URIRef, ...]], dict[str, tuple[URIRef, ...]]
    ]:
        # Names of one node share its meanings.
        own = {n: frozenset(Meaning(kind, n) for kind in held) for n, held in kinds.items()}
        meanings: dict[str, frozenset[Meaning]] = {}
        unit_names: dict[str, set[URIRef]] = defaultdict(set)
        cased: dict[str, set[URIRef]] = defaultdict(set)
        for row in self._rows(NAMES):
            node = row["node"]
            if node in units:
                name = str(row["name"]).strip()
                cased[name].add(node)
                unit_names[normalise(name)].add(node)
            elif node in kinds and not (node in operators and row["property"] == LABEL):
                # An operator's label names its meaning and is no word of a question.
                for text in name_variants(canonical(normalise(str(row["name"])))):
                    known = meanings.get(text)
                    meanings[text] = own[node] if known is None else known | own[node]
        for text in list(meanings):
            rest = _ASKING.sub("", text)
            if rest != text and (
                rest in unit_names or meanings.get(rest, frozenset()) >= meanings[text]
            ):
                del meanings[text]  # "how much memory" is "how much" and "memory"
        for text in list(meanings):
            words = text.split(" ", 1)
            kinds_of = [{m.kind for m in meanings.get(w, ())} for w in words]
            described = len(words) == 2 and "value" in kinds_of[0] and "class" in kinds_of[1]
            if described and not {m.kind for m in meanings[text]} & {"entry", "value", "class"}:
                del meanings[text]  # Ampere cards are cards of that design, not one card
        ordered = {
            m: tuple(sorted(m, key=lambda x: (x.kind, x.node))) for m in set(meanings.values())
        }
        return (
            {t: ordered[m] for t, m in meanings.items()},
            {t: tuple(sorted(u)) for t, u in unit_names.items()},
            {t: tuple(sorted(u)) for t, u in cased.items()},
        )


def _closed(pairs: Iterable[tuple[URIRef, URIRef]]) -> dict[URIRef, set[URIRef]]:
    """Return for each node what is above it, however many steps away.

    Followed here and not by a path in the query, which not every engine allows with both
    of its ends open.
    """
    direct: dict[URIRef, set[URIRef]] = defaultdict(set)
    for low, high in pairs:
        direct[low].add(high)
    closed: dict[URIRef, set[URIRef]] = {}
    for node in list(direct):
        found: set[URIRef] = set()
        stack = list(direct[node])
        while stack:
            high = stack.pop()
            if high not in found:
                found.add(high)
                stack += direct.get(high, ())
        closed[node] = found
    return closed


def _local(node: URIRef) -> str:
    return re.split(r"[#/]", str(node))[-1]
