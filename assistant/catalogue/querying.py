"""From a question to the catalogue to its SPARQL query.

Queries are put together from fixed patterns; what differs from question to question are
RDF terms, written by rdflib, never text. The guard sees each form of a query once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache

from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from assistant.catalogue.question import Asked, Bound, CatalogueQuestion, FacetCondition
from assistant.catalogue.vocabulary import TW, Conditions, Vocabulary
from kg import guard
from kg.namespaces import PREFIXES

# So many entries are fetched at most; how many there are beyond is counted.
MOST_ROWS = 200
CONTENT = URIRef(TW + "accelerator")

# All that is said of a figure. Price kind, date and region are the conditions of a price.
_IRIS = re.compile(r"<[^<>\s]+>(?:,?\s+<[^<>\s]+>)*")
_NUMBER = re.compile(r"(?<= )-?\d+\.\d+")

DETAILS = """SELECT ?entry ?quantity ?figure ?value ?unit ?standing ?bound ?low ?high ?precision
       ?accumulation ?sparsity ?accessPattern ?operation ?direction ?perUnit
       ?priceKind ?date ?region ?source
WHERE {{
{values}  ?figure tw:figureOf ?entry ; tw:ofQuantity ?quantity ; qudt:numericValue ?value ;
          qudt:unit ?unit ; tw:standing ?standing ; tw:bound ?bound ; dcterms:source ?source .
{conditions}  OPTIONAL {{ ?figure tw:rangeMinimum ?low }}
  OPTIONAL {{ ?figure tw:rangeMaximum ?high }}
  OPTIONAL {{ ?figure tw:precision ?precision }}
  OPTIONAL {{ ?figure tw:accumulation ?accumulation }}
  OPTIONAL {{ ?figure tw:sparsity ?sparsity }}
  OPTIONAL {{ ?figure tw:accessPattern ?accessPattern }}
  OPTIONAL {{ ?figure tw:operation ?operation }}
  OPTIONAL {{ ?figure tw:direction ?direction }}
  OPTIONAL {{ ?figure tw:perUnit ?perUnit }}
  OPTIONAL {{ ?figure tw:priceKind ?priceKind }}
  OPTIONAL {{ ?figure dcterms:date ?date }}
  OPTIONAL {{ ?figure tw:region ?region }}
}}
ORDER BY ?entry ?quantity ?figure ?source"""

FACTS = """SELECT ?entry ?property ?value ?source
WHERE {{
{values}  ?entry ?property ?value .
{properties}  OPTIONAL {{ ?entry dcterms:source ?source }}
}}
ORDER BY ?entry ?property ?value ?source"""


@dataclass(frozen=True)
class Selection:
    """A query for entries; `columns` are the quantities whose figures it selects, by number.

    `counting` gives how many entries there are where the query cuts them off.
    """

    query: str
    counting: str
    columns: tuple[Asked, ...]


class QueryWriter:
    """Writes the queries for questions to the catalogue."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._v = vocabulary

    def details(self, entries: Iterable[URIRef], asked: Sequence[Asked] = ()) -> str:
        """Return the query for figures of entries: all, or those of some quantities."""
        values = _values("entry", entries)
        conditions = ""
        named = {a.conditions for a in asked}
        if len({a.quantity for a in asked}) == 1 and len(named) == 1 and asked:
            conditions = _conditions("?figure", asked[0].conditions)
        if asked:
            # No VALUES: an entry has few figures, a quantity has one for each of many entries.
            conditions += f"  FILTER(?quantity IN ({_listed(a.quantity for a in asked)}))\n"
        return _checked(DETAILS.format(values=values, conditions=conditions))

    def figures(self, figures: Iterable[URIRef]) -> str:
        """Return the query for all that is said of some figures."""
        return _checked(DETAILS.format(values=_values("figure", figures), conditions=""))

    def facts(self, entries: Iterable[URIRef], properties: Iterable[URIRef]) -> str:
        """Return the query for properties of entries."""
        wanted = f"  FILTER(?property IN ({_listed(properties)}))\n"
        return _checked(FACTS.format(values=_values("entry", entries), properties=wanted))

    def selection(self, question: CatalogueQuestion) -> Selection:
        """Return the query for the entries that fit a question, with the figures that count."""
        columns: list[_Column] = []

        def column(asked: Asked, optional: bool = False) -> int:
            asked = self.settled(asked, question.classes)
            held = [c.asked for c in columns]
            if asked in held:
                return held.index(asked)
            columns.append(_Column(asked, optional))
            return len(columns) - 1

        def told(asked: Asked) -> None:
            """Add a column that limits nothing: a price in whatever currency it is."""
            settled = self.settled(asked, question.classes)
            plain = replace(settled, unit=asked.unit)
            if not {settled, plain} & {c.asked for c in columns}:
                columns.append(_Column(plain, True))

        filters, limits = "", ""
        for number, group in enumerate(question.bounds):
            parts, limited = [], ""
            for place, bound in enumerate(group):
                n = column(bound.asked, optional=len(group) > 1)
                limit = ""
                if bound.reference:
                    limit = f"?limit{number}_{place}"
                    limited += self._limit(bound, limit, question.classes)
                parts.append(_comparison(f"?value{n}", bound, limit))
            if len(parts) == 1 and not columns[n].optional:
                columns[n].filters += f"  FILTER({parts[0]})\n"
                columns[n].limits += limited
            else:
                filters += f"  FILTER({' || '.join(f'({p})' for p in parts)})\n"
                limits += limited
        order = column(question.order) if question.order else None
        limiting = len(columns)
        for asked in question.asked:
            told(asked)
        few = bool(question.among)
        needed = "".join(self._column(c, n, few) for n, c in enumerate(columns[:limiting]))
        told_only = "".join(
            self._column(c, n, few) for n, c in enumerate(columns[limiting:], limiting)
        )
        found = any(not c.optional for c in columns) or any(not f.negated for f in question.facets)
        head = self._entries(question, found)
        for number, condition in enumerate(question.facets):
            head += self._facet(condition, number)
        if question.excluded:
            head += f"  FILTER(?entry NOT IN ({_listed(question.excluded)}))\n"
        counted = head + limits + needed + filters
        selected = " ".join(["?entry", *(f"?figure{i} ?value{i}" for i in range(len(columns)))])
        down = question.direction == "highest"
        if order is None:
            sorting = "ORDER BY ?entry"
        else:
            sorting = f"ORDER BY {'DESC' if down else 'ASC'}(?value{order}) ?entry"
        body = head + limits + needed + told_only + filters
        query = f"SELECT DISTINCT {selected}\nWHERE {{\n{body}}}\n{sorting}\nLIMIT {MOST_ROWS}"
        counting = f"SELECT (COUNT(DISTINCT ?entry) AS ?count)\nWHERE {{\n{counted}}}"
        return Selection(_checked(query), _checked(counting), tuple(c.asked for c in columns))

    def settled(self, asked: Asked, classes: frozenset[URIRef]) -> Asked:
        """Return a quantity with the conditions under which its figures can be compared."""
        conditions = self._v.usual_conditions(asked.quantity, asked.conditions, classes)
        unit = asked.unit
        if unit is None and asked.quantity in self.prices:
            unit = self._v.quantities[asked.quantity].unit
        return Asked(asked.quantity, conditions, unit)

    @cached_property
    def prices(self) -> frozenset[URIRef]:
        """Return the quantities that are amounts of money."""
        return frozenset(
            q for q, held in self._v.quantities.items() if "priceKind" in held.conditioned_by
        )

    def _entries(self, question: CatalogueQuestion, found_otherwise: bool) -> str:
        """Return the patterns of the entries; if figures or facets find them, only a check."""
        if question.among:
            return _values("entry", question.among)
        listed = "?entry tw:listedIn ?table ."
        if not question.classes:
            return f"  {listed}\n"
        if found_otherwise:
            classes = f"FILTER(?class IN ({_listed(question.classes)}))"
            return f"  FILTER EXISTS {{ ?entry a ?class . {classes} {listed} }}\n"
        return _values("class", question.classes) + f"  ?entry a ?class . {listed}\n"

    def _column(self, column: _Column, n: int, of_few: bool) -> str:
        """Return the patterns of a column.

        For few entries, their figures are looked up one by one. Else the figures of the
        quantity are found by themselves, in a query inside the query, and joined to the
        entries: going from many entries to the figures of each takes far longer.
        """
        figure, asked = f"?figure{n}", column.asked
        narrowing = [(self._given[asked.quantity], f"tw:ofQuantity {asked.quantity.n3()}")]
        for name, value in sorted(asked.conditions):
            if sum(n == name for n, _ in asked.conditions) == 1 and self._given[name, value]:
                narrowing.append((self._given[name, value], f"tw:{name} {value.n3()}"))
        patterns = [f"  {figure} {p} .\n" for _, p in sorted(narrowing)]
        patterns += [
            c for c in _conditions(figure, asked.conditions).splitlines(True) if c not in patterns
        ]
        patterns.append(f"  {figure} {self._number_of(asked)} ?value{n} .\n{column.filters}")
        if asked.unit:
            patterns.append(f"  {figure} qudt:unit {asked.unit.n3()} .\n")
        patterns.append(f"  {figure} tw:standing tw:Preferred ; tw:figureOf ?entry .\n")
        text = column.limits + "".join(patterns)
        if not of_few:
            text = f"  {{ SELECT ?entry {figure} ?value{n} WHERE {{\n{text}  }} }}\n"
        return f"  OPTIONAL {{\n{text}  }}\n" if column.optional else text

    @cached_property
    def _given(self) -> Counter[URIRef | tuple[str, URIRef]]:
        """Return how many figures there are of a quantity, and under a condition.

        Patterns go from what is rarest on: Oxigraph starts with the first of its kind.
        """
        found: Counter[URIRef | tuple[str, URIRef]] = Counter()
        for quantity, counted in self._v.combinations.items():
            for (_, conditions), count in counted.items():
                found[quantity] += count
                for condition in conditions:
                    found[condition] += count
        return found

    def _number_of(self, asked: Asked) -> str:
        """Return the property that holds a figure's number; money is not converted."""
        return "qudt:numericValue" if asked.quantity in self.prices else "tw:standardValue"

    def _limit(self, bound: Bound, name: str, classes: frozenset[URIRef]) -> str:
        """Return the subquery for the figure of another entry that sets a limit."""
        asked = self.settled(bound.asked, classes)
        pick = "MIN" if bound.comparator in ("<", "<=") else "MAX"
        unit = f" ; qudt:unit {asked.unit.n3()}" if asked.unit else ""
        conditions = _conditions("?its", asked.conditions)
        return (
            f"  {{ SELECT ({pick}(?of) AS {name}) WHERE {{\n"
            f"  {_values('reference', bound.reference).strip()}\n"
            f"    ?its tw:ofQuantity {asked.quantity.n3()} ; tw:figureOf ?reference ; "
            f"tw:standing tw:Preferred ; {self._number_of(asked)} ?of{unit} .\n"
            f"{conditions}  }} }}\n"
        )

    def _facet(self, condition: FacetCondition, number: int) -> str:
        values = set(condition.values)
        for value in condition.values:
            values |= self._v.narrower.get(value, frozenset())
        facet = condition.facet.n3()
        if condition.of_content:
            facet = f"{CONTENT.n3()}/{facet}"
        kinds = {v for v in condition.values if v in self._v.supers}
        if kinds:
            pattern = f"{facet} ?held{number} . ?held{number} a ?kind{number}"
            text = f"?entry {pattern} .\n"
            return f"{_values(f'kind{number}', self._v.within(next(iter(kinds))))}  {text}"
        if condition.negated:
            inner = f"?entry {facet} ?held{number} . FILTER(?held{number} IN ({_listed(values)}))"
            return f"  FILTER NOT EXISTS {{ {inner} }}\n"
        return f"{_values(f'held{number}', values)}  ?entry {facet} ?held{number} .\n"


@dataclass
class _Column:
    """A quantity whose figures a query selects, with what limits it alone."""

    asked: Asked
    optional: bool
    filters: str = ""
    limits: str = ""


def _listed(nodes: Iterable[URIRef]) -> str:
    return ", ".join(n.n3() for n in sorted(dict.fromkeys(nodes)))


def _values(name: str, nodes: Iterable[URIRef]) -> str:
    return f"  VALUES ?{name} {{ {' '.join(n.n3() for n in sorted(nodes))} }}\n"


def _conditions(figure: str, conditions: Conditions) -> str:
    """Return the patterns of a figure's conditions; of several values of one, any will do."""
    patterns = []
    for name in sorted({n for n, _ in conditions}):
        values = sorted(v for n, v in conditions if n == name)
        if len(values) == 1:
            patterns.append(f"  {figure} tw:{name} {values[0].n3()} .\n")
        else:
            held = f"?{name}{figure.removeprefix('?').removeprefix('figure')}"
            patterns.append(
                f"  {figure} tw:{name} {held} . FILTER({held} IN ({_listed(values)}))\n"
            )
    return "".join(patterns)


def _comparison(value: str, bound: Bound, limit: str) -> str:
    if bound.reference:
        return f"{value} {bound.comparator} {limit}"
    low, high = _decimal(bound.low), _decimal(bound.high)
    if bound.comparator == "between":
        return f"{value} >= {low} && {value} <= {high}"
    return f"{value} {bound.comparator} {low}"


def _decimal(number: float) -> str:
    text = f"{Decimal(repr(number)):f}"
    return Literal(Decimal(text), datatype=XSD.decimal).n3() if "." in text else f"{text}.0"


def _checked(query: str) -> str:
    """Return a query with its prefixes, once its form has passed the guard."""
    used = [p for p in PREFIXES if f"{p}:" in query]
    text = "".join(f"PREFIX {p}: <{PREFIXES[p]}>\n" for p in used) + query
    _guarded(_form(text))
    return text


def _form(query: str) -> str:
    """Return a query with one IRI for all and one number for all: they do not shape it."""
    return _NUMBER.sub("0.0", _IRIS.sub("<urn:x>", query))


@lru_cache(maxsize=4096)
def _guarded(form: str) -> None:
    guard.check(form)


__all__ = ["DETAILS", "MOST_ROWS", "Conditions", "QueryWriter", "Selection"]
