"""Names, figures and citation marks in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rdflib import URIRef
from rdflib.namespace import RDFS

from assistant.answer import Citation
from assistant.catalogue.figures import Figures
from assistant.catalogue.question import Asked
from assistant.catalogue.results import Figure, Said, spelt
from assistant.catalogue.things import HALF_PRECISION
from assistant.catalogue.vocabulary import CONDITION_NAMES, TW
from kg import shorten

QUDT_ONE = "1"
MOST_MARKS = 2
UNSPOKEN = {URIRef(TW + n) for n in ("Dense", "PerDevice", "Exactly")}


class Naming(Figures):
    """Names, figures and citation marks in the reader's language."""

    def name(self, node: URIRef, language: str) -> str:
        """Return a node's label in a language."""
        key = (node, language)
        if key not in self._labels:
            if len(self._labels) > 50_000:
                self._labels.clear()
            found = self._graph.text(node, RDFS.label, language)
            self._labels[key] = found or str(node).rsplit("/", 1)[-1].rsplit("#", 1)[-1]
        return self._labels[key]

    def facet_name(self, facet: URIRef, language: str) -> str:
        """Return what a property is called where its value is given."""
        ranges = [r for r in self._graph.objects(facet, RDFS.range) if isinstance(r, URIRef)]
        return self.name(ranges[0], language) if ranges else self.name(facet, language)

    def quantity_name(self, figure: Figure, language: str) -> str:
        """Return a figure's quantity with its conditions: peak throughput (BF16)."""
        return self._conditioned(figure.quantity, figure.conditions, language)

    def asked_name(self, asked: Asked, language: str) -> str:
        """Return a quantity that was asked for, with the conditions named."""
        return self._conditioned(asked.quantity, asked.conditions, language)

    def _conditioned(
        self, quantity: URIRef, conditions: Iterable[tuple[str, URIRef]], language: str
    ) -> str:
        conditions = sorted(conditions)  # where there are several of a name, always the same
        held = dict(conditions)
        if held.get("accumulation") != HALF_PRECISION:
            held.pop("accumulation", None)
        words = []
        for n in CONDITION_NAMES:
            if n in held and held[n] not in UNSPOKEN:
                label = self.name(held[n], language)
                words.append(
                    self._say("accumulated", language, precision=label)
                    if n == "accumulation"
                    else label
                )
        words += [self.name(v, language) for n, v in conditions if n in ("priceKind", "region")]
        name = self.name(quantity, language)
        if not words:
            return name
        return self._say(
            "conditioned", language, quantity=name, conditions=self._join(words, language)
        )

    def value(self, figure: Figure, language: str) -> str:
        """Return a figure's number with its unit; a price with its kind, date and region."""
        number = spelt(figure.value)
        if figure.low is not None and figure.high is not None:
            number = f"{spelt(figure.low)}–{spelt(figure.high)}"
        text = f"{number}{self._symbol(figure.unit)}"
        if figure.bound == "AtLeast":
            text = self._say("bound-at-least", language, value=text)
        elif figure.bound == "AtMost":
            text = self._say("bound-at-most", language, value=text)
        if figure.price is not None:
            text = self._say("priced", language, amount=text, terms=self._terms(figure, language))
        return text

    def _terms(self, figure: Figure, language: str) -> str:
        assert figure.price is not None
        kind, date, region = figure.price
        parts = [self.name(kind, language)] if kind else []
        parts.append(date or self._say("undated", language))
        parts.append(self.name(region, language) if region else self._say("no-region", language))
        return self._join(parts, language)

    def _symbol(self, unit: URIRef) -> str:
        symbol = self._v.units[unit].symbol
        if symbol in (QUDT_ONE, "(year)"):
            return ""
        return symbol if symbol in ("%", "°C") else f" {symbol}"

    def _column_title(self, asked: Asked, unit: URIRef, language: str) -> str:
        symbol = self._symbol(unit).strip()
        name = self.asked_name(asked, language)
        return f"{name} ({symbol})" if symbol else name

    def _marked(self, figure: Figure, said: Said, language: str) -> str:
        marks = said.marks(figure.sources, figure.node)
        return self._marks_text(marks[:MOST_MARKS], language)

    def _marks_text(self, marks: Iterable[int], language: str) -> str:
        text = "".join(f"[{m}]" for m in marks)
        return text if language == "zh" or not text else f" {text}"

    def _join(self, names: Sequence[str], language: str) -> str:
        return self._say("name-separator", language).join(names)

    def _join_clauses(self, clauses: Sequence[str], language: str) -> str:
        return self._say("clause-separator", language).join(clauses)

    def _sentences(self, sentences: Sequence[str], language: str) -> str:
        return ("" if language == "zh" else " ").join(s for s in sentences if s)

    def _bare(self, figure: Figure) -> str:
        if figure.low is not None and figure.high is not None:
            return f"{spelt(figure.low)}–{spelt(figure.high)}"
        return spelt(figure.value)

    def citations(self, said: Said, language: str) -> tuple[Citation, ...]:
        """Return the citations of the sources used, by their numbers."""
        found = []
        for source, number in said.numbers.items():
            row = self._sources.get(source, {})
            parts = [str(row[k]) for k in ("locator", "date") if k in row]
            figures = said.figures.get(source, [])
            found.append(
                Citation(
                    n=number,
                    source=str(source),
                    title=self.name(source, language),
                    section=" · ".join(parts) or None,
                    figure=shorten(figures[0]) if figures else None,
                    url=str(row["url"]) if "url" in row else None,
                    retrieved=str(row["retrieved"]) if "retrieved" in row else None,
                )
            )
        return tuple(found)
