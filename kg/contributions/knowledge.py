"""What the graph knows that something new is set against; made once for each state of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from rapidfuzz import fuzz, process, utils
from rdflib.namespace import CSVW, DCTERMS, OWL, RDF, RDFS, SH, SKOS, XSD
from rdflib.term import Literal, Node, URIRef

from kg.contributions.findings import Words
from kg.graph import KnowledgeGraph
from kg.importing.vocabulary import Vocabulary
from kg.namespaces import QUDT, TW, shorten

ENTRY_NAMES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?node ?name ?property WHERE {
  VALUES ?property { rdfs:label skos:altLabel }
  ?node tw:listedIn|tw:vendor ?table ; ?property ?name .
}
"""

# Terms too: a new class or quantity must not be called as one that is there.
TERM_NAMES = """
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?node ?name WHERE {
  VALUES ?class { owl:Class tw:Quantity tw:Topic tw:Vendor }
  ?node a ?class ; rdfs:label ?name .
}
"""

CLASS_RANGES = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?class ?quantity (MIN(?value) AS ?least) (MAX(?value) AS ?most) (COUNT(?value) AS ?count)
WHERE {
  ?figure tw:figureOf/a ?class ; tw:ofQuantity ?quantity ; tw:standardValue ?value .
} GROUP BY ?class ?quantity
"""

ENTRY_FIGURES = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?entry ?quantity ?value ?precision ?sparsity WHERE {
  ?figure tw:figureOf ?entry ; tw:ofQuantity ?quantity ; tw:standardValue ?value .
  OPTIONAL { ?figure tw:precision ?precision } OPTIONAL { ?figure tw:sparsity ?sparsity }
}
"""

PROPERTIES = """
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?property ?kind ?range WHERE {
  VALUES ?kind { owl:DatatypeProperty owl:ObjectProperty owl:AnnotationProperty
                 tw:Facet tw:FigureCondition }
  ?property a ?kind . OPTIONAL { ?property rdfs:range ?range }
}
"""

REPLACED = """
PREFIX dcterms: <http://purl.org/dc/terms/>
SELECT ?old ?new WHERE { ?old dcterms:isReplacedBy ?new }
"""

# What the rules need of the graph beside the new: terms, quantities and units, no devices.
TERMS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?s ?p ?o WHERE {
  VALUES ?p { rdfs:domain rdfs:range rdfs:subClassOf tw:standardUnit
              tw:plausibleMinimum tw:plausibleMaximum tw:conditionedBy tw:unconvertedUnit
              qudt:hasQuantityKind qudt:conversionMultiplier
              tw:numerator tw:denominator tw:exceptFor }
  ?s ?p ?o .
}
"""

TYPES_OF_TERMS = """
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?s ?p ?o WHERE {
  VALUES ?o { owl:Class owl:DatatypeProperty owl:ObjectProperty tw:Facet tw:FigureCondition
              tw:Quantity tw:PlausibleRatio qudt:Unit }
  BIND(rdf:type AS ?p) ?s ?p ?o .
}
"""

RATIO_FORMATS = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?s ?p ?o WHERE { BIND(tw:precision AS ?p) ?s a tw:PlausibleRatio ; ?p ?o }
"""


STANDARD = tuple(map(str, (DCTERMS, OWL, RDF, RDFS, SKOS, XSD)))
FOR_THE_PROGRAM = {
    *(TW.Message, TW.Operator, TW.Cue, TW.NumberWord, TW.Claim, TW.Statement, TW.FacetReading),
    *(TW.ConfiguredPart, TW.Requirement, TW.Configuration, SH.NodeShape, SH.PropertyShape),
    *(CSVW.Column, CSVW.Schema, CSVW.Table),
}

Triple = tuple[Node, Node, Node]
FigureKey = tuple[Node, str, str, str]
"""Quantity, standard value, precision and sparsity, as far as a figure says them."""


@dataclass(frozen=True)
class Range:
    """The values that a quantity has in a class of the catalogue, in its standard unit."""

    least: Decimal
    most: Decimal
    count: int


class Knowledge:
    """An index of the graph in one state."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self.graph = KnowledgeGraph(graph.graph)
        """The same graph; what is remembered by graph is so remembered by state."""

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What cells of tables may refer to."""
        return Vocabulary.of(self.graph)

    @cached_property
    def kinds(self) -> dict[URIRef, set[URIRef]]:
        """The classes of each node, superclasses too."""
        return self.vocabulary.kinds

    @cached_property
    def entry_names(self) -> dict[str, dict[URIRef, bool]]:
        """The entries and lines that have a name, folded, and whether it is their label."""
        found: dict[str, dict[URIRef, bool]] = defaultdict(dict)
        for row in self.graph.select(ENTRY_NAMES):
            node, label = URIRef(str(row["node"])), row["property"] == RDFS.label
            names = found[folded_name(str(row["name"]))]
            names[node] = names.get(node, False) or label
        return found

    @cached_property
    def term_names(self) -> dict[str, URIRef]:
        """Classes, quantities, topics and vendors by label, folded."""
        rows = self.graph.select(TERM_NAMES)
        return {folded_name(str(row["name"])): URIRef(str(row["node"])) for row in rows}

    @cached_property
    def ranges(self) -> dict[tuple[Node, Node], Range]:
        """The values of a class and quantity."""
        return {
            (row["class"], row["quantity"]): Range(
                Decimal(str(row["least"])), Decimal(str(row["most"])), int(str(row["count"]))
            )
            for row in self.graph.select(CLASS_RANGES)
        }

    @cached_property
    def entry_figures(self) -> dict[FigureKey, set[Node]]:
        """The entries that have a figure."""
        found: dict[FigureKey, set[Node]] = defaultdict(set)
        for row in self.graph.select(ENTRY_FIGURES):
            value = f"{Decimal(str(row['value'])).normalize():f}"
            key = (
                row["quantity"],
                value,
                str(row.get("precision", "")),
                str(row.get("sparsity", "")),
            )
            found[key].add(row["entry"])
        return found

    @cached_property
    def properties(self) -> dict[URIRef, set[URIRef]]:
        """The kinds of each property."""
        found: dict[URIRef, set[URIRef]] = defaultdict(set)
        for row in self.graph.select(PROPERTIES):
            found[URIRef(str(row["property"]))].add(URIRef(str(row["kind"])))
        return found

    @cached_property
    def replaced(self) -> dict[Node, set[Node]]:
        """What each thing is replaced by."""
        found: dict[Node, set[Node]] = defaultdict(set)
        for row in self.graph.select(REPLACED):
            found[row["old"]].add(row["new"])
        return found

    @cached_property
    def terms(self) -> list[Triple]:
        """What rules need to know of terms, quantities and units."""
        queries = (TERMS, TYPES_OF_TERMS, RATIO_FORMATS)
        return [(r["s"], r["p"], r["o"]) for query in queries for r in self.graph.select(query)]

    @cached_property
    def superclasses(self) -> dict[Node, set[Node]]:
        """The classes directly above each class."""
        found: dict[Node, set[Node]] = defaultdict(set)
        for s, p, o in self.terms:
            if p == RDFS.subClassOf:
                found[s].add(o)
        return found

    @cached_property
    def _local_names(self) -> dict[str, str]:
        """Short IRIs of things by the end of their names, for suggestions."""
        return {
            shorten(node): str(node).rpartition("/")[2].rpartition("#")[2]
            for node, kinds in self.kinds.items()
            if TW.Figure not in kinds and not kinds & FOR_THE_PROGRAM
        }

    def alike(self, text: str, prop: Node | None = None) -> tuple[str, ...]:
        """Return the short IRIs of what a text may mean: spelt alike, and fit for a property."""
        local = text.rstrip("/#").rpartition("/")[2].rpartition("#")[2]
        wanted = self.vocabulary.ranges.get(prop) if isinstance(prop, URIRef) else None
        names: dict[str, str] = self._local_names
        if wanted is not None:
            names = {k: names[k] for m in self.members(wanted) if (k := shorten(m)) in names}
        found = process.extract(
            local,
            names,
            scorer=fuzz.WRatio,
            processor=utils.default_process,
            limit=5,
            score_cutoff=70,
        )
        return tuple(key for _, _, key in found)

    def alike_property(self, text: str) -> tuple[str, ...]:
        """Return the short IRIs of properties spelt alike."""
        local = text.rstrip("/#").rpartition("/")[2].rpartition("#")[2]
        names = {shorten(p): str(p).rpartition("#")[2] for p in self.properties}
        found = process.extract(local, names, scorer=fuzz.ratio, limit=3, score_cutoff=60)
        return tuple(key for _, _, key in found)

    def is_datatype_property(self, prop: Node) -> bool:
        """Whether a property has numbers or texts as values."""
        return OWL.DatatypeProperty in self.properties.get(prop, set())  # type: ignore[call-overload]

    def is_term(self, node: URIRef) -> bool:
        """Whether a node is a word of a vocabulary that others keep."""
        return str(node).startswith(STANDARD) or node in self.properties

    def is_known(self, node: Node) -> bool:
        """Whether the graph describes a node."""
        return node in self.kinds

    def described(self, nodes: Iterable[Node]) -> list[Triple]:
        """Return what the graph says of nodes, and the figures of those that are entries."""
        found: list[Triple] = []
        for node in nodes:
            for triple in self.graph.graph.triples((node, None, None)):
                found.append(triple)
            for figure in self.graph.graph.subjects(TW.figureOf, node):
                found += self.graph.graph.triples((figure, None, None))
        return found

    def name(self, node: Node) -> Words:
        """Return a node's label in both languages, or its short IRI."""
        labels = {
            str(label.language): str(label)
            for prop in (RDFS.label, SKOS.prefLabel)  # the latter for words of other vocabularies
            for label in self.graph.graph.objects(node, prop)
            if isinstance(label, Literal) and label.language
        }
        return labels or {"en": shorten(node)}

    def symbol(self, unit: Node | None) -> str:
        """Return a unit's symbol."""
        symbol = self.graph.graph.value(unit, QUDT.symbol)
        return str(symbol) if symbol is not None else ""

    def members(self, kind: Node) -> list[URIRef]:
        """Return all nodes of a class, sorted."""
        return sorted(node for node, kinds in self.kinds.items() if kind in kinds)


def folded_name(name: str) -> str:
    """Return a name as names are compared: without case, spaces, hyphens and the like."""
    return "".join(c for c in name.casefold() if c.isalnum())
