"""Answers questions to the catalogue: runs the query, words the rows, cites their sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from rdflib import Literal, URIRef
from rdflib.namespace import RDFS

from assistant.answer import Answer, Citation, Kind, Step, Table
from assistant.catalogue import operators as op
from assistant.catalogue.interpreting import Interpreter
from assistant.catalogue.querying import MOST_ROWS, QueryWriter, Selection
from assistant.catalogue.question import Asked, CatalogueQuestion, FacetCondition, Missing
from assistant.catalogue.reading import CatalogueReader, Words
from assistant.catalogue.things import CLOUD, CONTENT, LACKS, PER_ACCELERATOR, SERVER
from assistant.catalogue.vocabulary import CONDITION_NAMES, TW, Vocabulary
from assistant.messages import Messages
from kg import KnowledgeGraph, Row, shorten

QUDT_ONE = "1"
# A sentence names so many entries or figures; the table has them all.
MOST_SPOKEN = 8
MOST_IN_SENTENCE = 12
MOST_UNASKED = 6
MOST_PAIRS = 4
MOST_OFFERS = 5
MOST_MARKS = 2
MOST_GROUPS = 5
MOST_CHARACTERS = 1000
DENSE = URIRef(TW + "Dense")
ALTERNATIVE = "Alternative"
# These conditions are told by the quantity's own name, or are the rule.
UNSPOKEN = {URIRef(TW + n) for n in ("Dense", "PerDevice", "Exactly")}

SOURCES = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?source ?locator ?date ?url ?retrieved WHERE {
  ?source a tw:Source .
  OPTIONAL { ?source tw:locator ?locator } OPTIONAL { ?source dcterms:date ?date }
  OPTIONAL { ?source rdfs:seeAlso ?url } OPTIONAL { ?source tw:retrieved ?retrieved }
}
"""


@dataclass(frozen=True)
class Figure:
    """A figure with all that is said of it; `value` is in its own unit."""

    node: URIRef
    entry: URIRef
    quantity: URIRef
    value: Decimal
    unit: URIRef
    alternative: bool
    bound: str
    low: Decimal | None
    high: Decimal | None
    conditions: frozenset[tuple[str, URIRef]]
    price: tuple[URIRef | None, str | None, URIRef | None] | None
    sources: tuple[URIRef, ...]

    @property
    def asked(self) -> tuple[URIRef, frozenset[tuple[str, URIRef]]]:
        """The quantity and conditions, by which figures of several entries are compared."""
        return self.quantity, self.conditions


@dataclass
class Said:
    """What an answer says so far: its sentences and the sources in the order of their numbers."""

    numbers: dict[URIRef, int] = field(default_factory=dict)
    figures: dict[URIRef, list[URIRef]] = field(default_factory=dict)

    def marks(self, sources: Iterable[URIRef], figure: URIRef | None = None) -> tuple[int, ...]:
        """Return the citation numbers of sources."""
        found = []
        for source in sources:
            number = self.numbers.setdefault(source, len(self.numbers) + 1)
            if figure is not None:
                self.figures.setdefault(source, []).append(figure)
            found.append(number)
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Result:
    """Rows found for a question, before they are worded."""

    kind: Kind
    text: str
    table: Table | None = None
    query: str | None = None
    entries: tuple[URIRef, ...] = ()


class CatalogueAnswerer:
    """Answers from the catalogue."""

    def __init__(self, graph: KnowledgeGraph, vocabulary: Vocabulary, messages: Messages) -> None:
        self._graph = graph
        self._v = vocabulary
        self._writer = QueryWriter(vocabulary)
        self._say = messages
        self._labels: dict[tuple[URIRef, str], str] = {}
        self._sources = {URIRef(str(r["source"])): r for r in graph.select(SOURCES)}

    def answer(self, question: CatalogueQuestion | Missing, words: Words) -> Answer:
        """Return the answer to a question as it was understood."""
        said = Said()
        result = self.result(question, words, said)
        return self._assembled(question, words, said, result)

    def result(self, question: CatalogueQuestion | Missing, words: Words, said: Said) -> Result:
        """Run a question and word what is found."""
        language = words.language
        if isinstance(question, Missing):
            names = self._join([n.upper() for n in question.names], language)
            if question.what == "unknown-attribute":
                return self._unknown_attribute(question, language, said)
            kind: Kind = "unknown" if question.what.startswith("unknown") else "needs_input"
            return Result(kind, self._say(question.what, language, names=names))
        if question.operation in ("sources", "agreement"):
            return self._provenance(question, language, said)
        if question.operation == "support":
            return self._support(question, language, said)
        if question.subjects:
            return self._about_subjects(question, language, said)
        return self._selected(question, language, said)

    def _unknown_attribute(self, missing: Missing, language: str, said: Said) -> Result:
        """Say that what is asked is not recorded, and show what is."""
        entries = [e for s in missing.subjects for e in sorted(self._v.members(s))]
        if not entries:
            return Result("unknown", self._say("unknown-matter", language))
        query = self._writer.details(entries)
        figures = self._without_side_figures(self._figures(query), ())
        facts = self._facts(entries, sorted(self._v.facets))
        table = self._table(entries, figures, facts, language, said)
        names = self._join([self.name(s, language) for s in missing.subjects], language)
        text = self._say("unknown-attribute", language, names=names)
        return Result("unknown", text, table, query, tuple(entries))

    def beside(self, guide: str, catalogue: str, language: str) -> str:
        """Return what the guide says and then what the catalogue says."""
        return self._say("guide-and-catalogue", language, guide=guide, catalogue=catalogue)

    def entries_of(self, question: CatalogueQuestion) -> tuple[URIRef, ...]:
        """Return the entries that a question is about or finds, for a follow-up."""
        if question.subjects:
            return tuple(e for s in question.subjects for e in sorted(self._v.members(s)))
        return self._ranked(question, self._rows(self._writer.selection(question)))[0]

    # --- entries that are named ---------------------------------------------------------

    def _about_subjects(self, question: CatalogueQuestion, language: str, said: Said) -> Result:
        entries = self._subject_entries(question)
        asked = question.asked
        if question.operation == "compare" and not asked and not question.facets_asked:
            asked = ()
        query = self._writer.details(entries, asked)
        figures = [f for f in self._figures(query) if self._is_asked(f, asked, question)]
        figures = self._without_side_figures(figures, asked)
        facts = self._facts(entries, question.facets_asked) if question.facets_asked else {}
        if not asked and not question.facets_asked:
            facts = self._facts(entries, sorted(self._v.facets))
        priced = any(a.quantity in self._writer.prices() for a in question.asked)
        inside = () if figures or priced or not question.asked else self._contents(entries)
        if inside:
            return self._about_contents(question, entries, inside, language, said)
        if not figures and not facts:
            nothing = self._nothing(question, entries, language, said)
            return self._offers(question, entries, nothing, language, said) or nothing
        if question.operation in ("difference", "ratio"):
            worked = self._arithmetic(question, entries, figures, language, said)
            if worked is not None:
                return replace(worked, query=query, entries=tuple(entries))
        table = self._table(entries, figures, facts, language, said)
        sentences = [self._lead(question, entries, figures, language, said)]
        sentences += self._facet_sentences(question, entries, facts, language, said)
        sentences += self._gaps(question, entries, figures, language)
        if question.unit is not None:
            sentences += self._converted(figures, question.unit, language)
        text = self._sentences(sentences, language)
        return Result("answer", text, table, query, tuple(entries))

    def _offers(
        self,
        question: CatalogueQuestion,
        entries: Sequence[URIRef],
        nothing: Result,
        language: str,
        said: Said,
    ) -> Result | None:
        """Return the cheapest cloud offers of a device of which no price to buy is known."""
        prices = self._writer.prices()
        bought = all(a.quantity in prices and not a.conditions for a in question.asked)
        if not question.asked or not bought or self._classes(entries) & {CLOUD, SERVER}:
            return None
        held = frozenset(entries) | frozenset(question.subjects)
        offers = CatalogueQuestion(
            "superlative",
            classes=frozenset({CLOUD}),
            facets=(FacetCondition(CONTENT, held),),
            order=Asked(PER_ACCELERATOR),
            direction="lowest",
            limit=MOST_OFFERS,
        )
        found = self._selected(offers, language, said)
        if not found.entries:
            return None
        return replace(found, text=self._sentences([nothing.text, found.text], language))

    def _contents(self, entries: Sequence[URIRef]) -> tuple[URIRef, ...]:
        """Return the accelerators in machines, as entries or lines."""
        held = self._facts(entries, [CONTENT])
        return tuple(dict.fromkeys(v for values in held.values() for v in values))

    def _about_contents(
        self,
        question: CatalogueQuestion,
        machines: Sequence[URIRef],
        inside: Sequence[URIRef],
        language: str,
        said: Said,
    ) -> Result:
        """Answer for the accelerator in a machine, saying so, where the machine has no figure."""
        found = self._about_subjects(replace(question, subjects=tuple(inside)), language, said)
        lead = self._say(
            "contains",
            language,
            machines=self._join([self.name(m, language) for m in machines[:4]], language),
            inside=self._join([self.name(i, language) for i in inside[:4]], language),
            marks=self._marks_text(said.marks(self._entry_sources(machines[0])), language),
        )
        return replace(found, text=self._sentences([lead, found.text], language))

    def _subject_entries(self, question: CatalogueQuestion) -> list[URIRef]:
        entries = [e for s in question.subjects for e in sorted(self._v.members(s))]
        entries = list(dict.fromkeys(entries))
        for condition in question.facets:
            held = self._facts(entries, [condition.facet])
            values = set(condition.values)
            kept = [e for e in entries if values & set(held.get((e, condition.facet), ()))]
            entries = kept or entries
        return entries

    def _is_asked(
        self, figure: Figure, asked: Sequence[Asked], question: CatalogueQuestion
    ) -> bool:
        if not asked:
            return True
        held = figure.conditions
        if figure.price is not None:
            kind, _, region = figure.price
            held = held | {(n, v) for n, v in (("priceKind", kind), ("region", region)) if v}
        return any(a.quantity == figure.quantity and a.holds(held) for a in asked)

    def _without_side_figures(self, figures: list[Figure], asked: Sequence[Asked]) -> list[Figure]:
        """Drop rates with sums in fewer bits where the others are there and none was asked for."""
        named = {n for a in asked for n, _ in a.conditions}
        if "accumulation" in named:
            return figures
        short = URIRef("https://w3id.org/trainwright/data/fp16")
        full = {
            (f.entry, f.quantity, dict(f.conditions).get("precision"))
            for f in figures
            if dict(f.conditions).get("accumulation") != short
        }
        return [
            f
            for f in figures
            if dict(f.conditions).get("accumulation") != short
            or (f.entry, f.quantity, dict(f.conditions).get("precision")) not in full
        ]

    def _lead(
        self,
        question: CatalogueQuestion,
        entries: Sequence[URIRef],
        figures: Sequence[Figure],
        language: str,
        said: Said,
    ) -> str:
        """Return the first sentence: the figures, or who is ahead and how far they range."""
        preferred = [f for f in figures if not f.alternative]
        groups: dict[Any, list[Figure]] = {}
        for f in preferred:
            groups.setdefault(f.asked, []).append(f)
        n_entries = len({f.entry for f in figures})
        if not preferred and not figures:
            return ""
        if question.operation == "compare" and len(question.subjects) > 1 and len(groups) == 1:
            return self._comparison(
                next(iter(groups.values())), figures, question.direction, language, said
            )
        if n_entries == 1 and not question.asked:
            told = self._each(entries, preferred[:MOST_UNASKED], language, said)
            more = self._say("see-table", language) if len(figures) > MOST_UNASKED else ""
            return self._sentences([told, more], language)
        if n_entries == 1 or len(figures) <= MOST_SPOKEN:
            told = self._each(entries, figures, language, said)
            if len(told) <= MOST_CHARACTERS:
                return told
        ordered = sorted(groups.values(), key=lambda g: len({self._standard(f) for f in g}) == 1)
        parts = [self._range(group, language, said) for group in ordered[:MOST_GROUPS]]
        lead = self._say("clauses", language, clauses=self._join_clauses(parts, language))
        return self._sentences([lead, self._say("see-table", language)], language)

    def _each(
        self, entries: Sequence[URIRef], figures: Sequence[Figure], language: str, said: Said
    ) -> str:
        sentences = []
        for entry in entries:
            own = [f for f in figures if f.entry == entry][:MOST_IN_SENTENCE]
            if not own:
                continue
            clauses = []
            for f in own:
                if f.alternative and any(o.asked == f.asked and not o.alternative for o in own):
                    clauses.append(
                        self._say("alternative", language, value=self.value(f, language))
                        + self._marked(f, said, language)
                    )
                elif f.alternative:
                    clauses.append(
                        self._say(
                            "unsettled",
                            language,
                            quantity=self.quantity_name(f, language),
                            value=self.value(f, language),
                        )
                        + self._marked(f, said, language)
                    )
                else:
                    clauses.append(
                        f"{self.quantity_name(f, language)} {self.value(f, language)}"
                        + self._marked(f, said, language)
                    )
            sentences.append(
                self._say(
                    "entry-figures",
                    language,
                    entry=self.name(entry, language),
                    figures=self._join_clauses(clauses, language),
                )
            )
        return self._sentences(sentences, language)

    def _range(self, group: Sequence[Figure], language: str, said: Said) -> str:
        ordered = sorted(group, key=lambda f: self._standard(f))
        low, high = ordered[0], ordered[-1]
        name = self.quantity_name(low, language)
        if self._standard(low) == self._standard(high):
            return self._say(
                "same-for-all", language, quantity=name, value=self.value(low, language)
            ) + self._marked(low, said, language)
        return self._say(
            "range",
            language,
            quantity=name,
            low=self.value(low, language) + self._marked(low, said, language),
            high=self.value(high, language) + self._marked(high, said, language),
            lowest=self.name(low.entry, language),
            highest=self.name(high.entry, language),
        )

    def _comparison(
        self,
        group: list[Figure],
        figures: Sequence[Figure],
        direction: str,
        language: str,
        said: Said,
    ) -> str:
        best = self._v.quantities[group[0].quantity].better
        ordered = sorted(group, key=self._standard, reverse=best != "Lower")
        if len({self._standard(f) for f in ordered}) == 1:
            lead = self._say(
                "all-equal",
                language,
                quantity=self.quantity_name(ordered[0], language),
                value=self.value(ordered[0], language),
            )
        else:
            ends = sorted(group, key=self._standard, reverse=direction == "highest")
            lead = self._say(
                "ahead" if direction == "highest" else "behind",
                language,
                entry=self.name(ends[0].entry, language),
                quantity=self.quantity_name(ends[0], language),
            )
        entries = list(
            dict.fromkeys(f.entry for f in sorted(group, key=self._standard, reverse=True))
        )
        return (
            lead
            + ("" if language == "zh" else " ")
            + self._each(entries, list(figures), language, said)
        )

    def _facet_sentences(
        self,
        question: CatalogueQuestion,
        entries: Sequence[URIRef],
        facts: Mapping[tuple[URIRef, URIRef], tuple[URIRef, ...]],
        language: str,
        said: Said,
    ) -> list[str]:
        if not question.facets_asked:
            return []
        sentences = []
        for facet in question.facets_asked:
            for entry in entries[:MOST_SPOKEN]:
                values = facts.get((entry, facet), ())
                checked = [c for c in question.checked if c.facet == facet]
                if not values:
                    sentences.append(
                        self._say(
                            "no-facet",
                            language,
                            entry=self.name(entry, language),
                            facet=self.facet_name(facet, language),
                        )
                    )
                    continue
                text = self._say(
                    "entry-facet",
                    language,
                    entry=self.name(entry, language),
                    facet=self.facet_name(facet, language),
                    values=self._join([self.name(v, language) for v in values], language),
                    marks=self._marks_text(said.marks(self._entry_sources(entry)), language),
                )
                if checked and len(checked[0].values) == 1 and len(entries) == 1:
                    wide = set(checked[0].values)
                    for v in checked[0].values:
                        wide |= self._v.narrower.get(v, frozenset())
                    verdict = "yes" if wide & set(values) else "no"
                    text = self._say(verdict, language) + text
                sentences.append(text)
        return sentences

    def _gaps(
        self,
        question: CatalogueQuestion,
        entries: Sequence[URIRef],
        figures: Sequence[Figure],
        language: str,
    ) -> list[str]:
        """Return a sentence for each quantity asked for that an entry has no figure of."""
        sentences = []
        for asked in question.asked:
            lacking = [
                e
                for e in entries
                if not any(f.entry == e and self._is_asked(f, (asked,), question) for f in figures)
            ]
            if lacking:
                sentences.append(
                    self._say(
                        "no-figure",
                        language,
                        entries=self._join(
                            [self.name(e, language) for e in lacking[:MOST_SPOKEN]], language
                        ),
                        quantity=self.asked_name(asked, language),
                    )
                )
        return sentences

    def _nothing(
        self,
        question: CatalogueQuestion,
        entries: Sequence[URIRef],
        language: str,
        said: Said,
    ) -> Result:
        names = self._join([self.name(e, language) for e in entries[:MOST_SPOKEN]], language)
        quantities = self._join(
            [self.asked_name(a, language) for a in question.asked]
            + [self.facet_name(f, language) for f in question.facets_asked],
            language,
        )
        text = self._say("no-figure", language, entries=names, quantity=quantities)
        return Result("unknown", text, entries=tuple(entries))

    def _arithmetic(
        self,
        question: CatalogueQuestion,
        entries: Sequence[URIRef],
        figures: Sequence[Figure],
        language: str,
        said: Said,
    ) -> Result | None:
        """Return by how much or how many times one entry's figure exceeds another's."""
        if len(question.subjects) == 1:
            return self._quotient(question, entries, figures, language, said)
        first, second = (sorted(self._v.members(s)) for s in question.subjects[:2])
        asked = [self._writer.settled(a, self._classes(entries)) for a in question.asked]
        sentences: list[str] = []
        rows: list[list[Any]] = []
        for a in asked:
            for one in first:
                for other in second:
                    pair = [self._figure_of(e, a, figures) for e in (one, other)]
                    if pair[0] is None or pair[1] is None or one == other:
                        continue
                    f, g = pair[0], pair[1]
                    x, y = self._standard(f), self._standard(g)
                    unit = self._v.units[self._v.quantities[a.quantity].unit]
                    if f.price is not None and f.unit != g.unit:
                        continue
                    fields = {
                        "first": self.name(one, language),
                        "second": self.name(other, language),
                        "quantity": self.quantity_name(f, language),
                        "x": self.value(f, language) + self._marked(f, said, language),
                        "y": self.value(g, language) + self._marked(g, said, language),
                    }
                    if question.operation == "ratio":
                        number = x / y
                        spoken = _number(
                            Decimal(f"{number:.3g}" if number < 1000 else f"{number:.0f}")
                        )
                        sentences.append(self._say("ratio", language, number=spoken, **fields))
                        rows.append([fields["first"], fields["second"], round(number, 4)])
                    else:
                        gap = x - y
                        number_text = _number(Decimal(repr(round(abs(gap), 6))))
                        symbol = self._symbol(f.unit if f.price else unit.node)
                        key = "more" if gap > 0 else "less" if gap < 0 else "no-difference"
                        sentences.append(
                            self._say(
                                f"difference-{key}",
                                language,
                                number=f"{number_text}{symbol}",
                                **fields,
                            )
                        )
                        rows.append([fields["first"], fields["second"], round(gap, 6)])
        if not sentences:
            return None
        if len(sentences) > MOST_PAIRS:
            low, high = min(rows, key=lambda r: r[2]), max(rows, key=lambda r: r[2])
            symbol = "" if question.operation == "ratio" else self._symbol(unit.node)
            sentences = [
                self._say(
                    f"{question.operation}-range",
                    language,
                    quantity=self.asked_name(asked[0], language),
                    low=f"{_number(Decimal(f'{low[2]:.4g}'))}{symbol}",
                    high=f"{_number(Decimal(f'{high[2]:.4g}'))}{symbol}",
                    lowest=f"{low[0]} / {low[1]}",
                    highest=f"{high[0]} / {high[1]}",
                    marks=self._marks_text(list(said.numbers.values())[:4], language),
                ),
                self._say("see-table", language),
            ]
        title = "column-ratio" if question.operation == "ratio" else "column-difference"
        table = Table(
            [
                self._say("column-first", language),
                self._say("column-second", language),
                self._say(title, language),
            ],
            rows,
        )
        shown = sentences[:MOST_SPOKEN]
        gaps = self._gaps(question, entries, figures, language)
        return Result(
            "answer",
            self._sentences([*shown, *gaps], language),
            table if len(rows) > 1 else Table(table.columns, rows),
        )

    def _quotient(
        self,
        question: CatalogueQuestion,
        entries: Sequence[URIRef],
        figures: Sequence[Figure],
        language: str,
        said: Said,
    ) -> Result | None:
        """Return one quantity of an entry over another: TFLOPS per watt."""
        upper, lower = question.asked[:2]
        rows: list[list[Any]] = []
        sentences = []
        for entry in entries:
            pair = [self._figure_of(entry, a, figures) for a in (upper, lower)]
            if pair[0] is None or pair[1] is None:
                continue
            f, g = pair[0], pair[1]
            number = float(f.value / g.value)
            unit = f"{self._symbol(f.unit).strip() or '1'}/{self._symbol(g.unit).strip() or '1'}"
            sentences.append(
                self._say(
                    "quotient",
                    language,
                    entry=self.name(entry, language),
                    upper=self.quantity_name(f, language),
                    lower=self.quantity_name(g, language),
                    number=f"{_number(Decimal(f'{number:.4g}'))} {unit}",
                    x=self.value(f, language) + self._marked(f, said, language),
                    y=self.value(g, language) + self._marked(g, said, language),
                )
            )
            rows.append([self.name(entry, language), round(number, 4)])
        if not rows:
            return None
        title = self._say("column-quotient", language, unit=unit)
        table = Table([self._say("column-entry", language), title], rows)
        return Result("answer", self._sentences(sentences[:MOST_SPOKEN], language), table)

    def _figure_of(self, entry: URIRef, asked: Asked, figures: Sequence[Figure]) -> Figure | None:
        own = [
            f
            for f in figures
            if f.entry == entry
            and f.quantity == asked.quantity
            and self._is_asked(f, (replace(asked, unit=None),), CatalogueQuestion("look-up"))
        ]
        if not own:
            own = [f for f in figures if f.entry == entry and f.quantity == asked.quantity]
        preferred = [f for f in own if not f.alternative]
        return (preferred or own or [None])[0]

    def _classes(self, entries: Iterable[URIRef]) -> frozenset[URIRef]:
        return frozenset(c for e in entries for c in self._v.classes_of[e])

    def _converted(self, figures: Sequence[Figure], unit: URIRef, language: str) -> list[str]:
        wanted = self._v.units[unit]
        sentences = []
        for f in figures:
            own = self._v.units[f.unit]
            if own.kind == wanted.kind and own != wanted and not f.alternative:
                number = float(f.value) * own.factor / wanted.factor
                value = f"{_number(Decimal(f'{number:.6g}'))} {wanted.symbol}"
                sentences.append(
                    self._say("converted", language, value=self.value(f, language), other=value)
                )
        return sentences

    # --- features -----------------------------------------------------------------------

    def _support(self, question: CatalogueQuestion, language: str, said: Said) -> Result:
        entries = self._subject_entries(question)
        properties = [p for c in question.checked for p in (c.facet, LACKS.get(c.facet)) if p]
        query = self._writer.facts(entries, properties)
        held = self._facts(entries, properties)
        sentences, rows, known = [], [], False
        for entry in entries:
            for condition in question.checked:
                for value in sorted(condition.values):
                    wide = {value, *self._v.narrower.get(value, frozenset())}
                    has = wide & set(held.get((entry, condition.facet), ()))
                    lacking = LACKS.get(condition.facet)
                    not_has = lacking is not None and value in held.get((entry, lacking), ())
                    key = (
                        "supports" if has else "does-not-support" if not_has else "support-unknown"
                    )
                    known = known or bool(has) or not_has
                    what = self.name(value, language)
                    if has and has != {value}:
                        what = self._join([self.name(v, language) for v in sorted(has)], language)
                    marks = (
                        self._marks_text(said.marks(self._entry_sources(entry)), language)
                        if has or not_has
                        else ""
                    )
                    sentences.append(
                        self._say(
                            key, language, entry=self.name(entry, language), what=what, marks=marks
                        )
                    )
                    rows.append(
                        [
                            self.name(entry, language),
                            self.name(value, language),
                            self._say(
                                "cell-yes" if has else "cell-no" if not_has else "cell-unknown",
                                language,
                            ),
                        ]
                    )
        table = (
            Table(
                [
                    self._say("column-entry", language),
                    self._say("column-feature", language),
                    self._say("column-answer", language),
                ],
                rows,
            )
            if len(rows) > 1
            else None
        )
        return Result(
            "answer" if known else "unknown",
            self._sentences(sentences[:MOST_SPOKEN], language),
            table,
            query,
            tuple(entries),
        )

    # --- where figures come from --------------------------------------------------------

    def _provenance(self, question: CatalogueQuestion, language: str, said: Said) -> Result:
        entries = self._subject_entries(question)
        query = self._writer.details(entries, question.asked)
        figures = [f for f in self._figures(query) if self._is_asked(f, question.asked, question)]
        if not figures:
            return self._nothing(question, entries, language, said)
        disputed = {(f.entry, f.quantity) for f in figures if f.alternative}
        sentences = []
        shown = [f for f in figures if (f.entry, f.quantity) in disputed]
        if question.operation == "agreement":
            key = (
                "sources-differ"
                if disputed
                else ("sources-agree" if all(len(f.sources) > 1 for f in figures) else "one-source")
            )
            names = self._join([self.name(e, language) for e in entries[:4]], language)
            quantities = self._join(
                list(dict.fromkeys(self.quantity_name(f, language) for f in (shown or figures)))[
                    :6
                ],
                language,
            )
            sentences.append(self._say(key, language, entries=names, quantities=quantities))
            if shown or len(figures) <= MOST_SPOKEN:
                sentences.append(self._each(entries, (shown or figures)[:16], language, said))
        else:
            sources = list(dict.fromkeys(s for f in figures for s in f.sources))
            named = [
                self.name(s, language) + self._marks_text(said.marks([s]), language)
                for s in sources
            ]
            sentences.append(
                self._say(
                    "come-from",
                    language,
                    entries=self._join([self.name(e, language) for e in entries[:4]], language),
                    sources=self._join(named, language),
                )
            )
            if question.asked and len(figures) <= MOST_SPOKEN:
                sentences.append(self._each(entries, figures, language, said))
        table = self._provenance_table(figures, language, said)
        return Result("answer", self._sentences(sentences, language), table, query, tuple(entries))

    def _provenance_table(self, figures: Sequence[Figure], language: str, said: Said) -> Table:
        titles = ["entry", "quantity", "value", "standing", "source"]
        return Table(
            [self._say(f"column-{t}", language) for t in titles],
            [
                [
                    self.name(f.entry, language),
                    self.quantity_name(f, language),
                    self.value(f, language),
                    self._say(
                        "standing-alternative" if f.alternative else "standing-preferred", language
                    ),
                    self._marks_text(said.marks(f.sources, f.node), language).strip(),
                ]
                for f in figures
            ],
        )

    # --- entries that are sought --------------------------------------------------------

    def _selected(self, question: CatalogueQuestion, language: str, said: Said) -> Result:
        selection = self._writer.selection(question)
        rows = self._rows(selection)
        entries, rows = self._ranked(question, rows)
        total = len(dict.fromkeys(str(r["entry"]) for r in rows))
        if len(rows) >= MOST_ROWS:
            total = int(self._graph.select(selection.counting)[0]["count"])
        if not entries:
            return Result("answer", self._none_fits(question, language), None, selection.query)
        details = {f.node: f for f in self._figures_by_node(rows, selection)}
        table = self._selection_table(rows, selection, details, language, said, question)
        spoken = self._spoken_entries(question, entries, rows, selection, details, language, said)
        key = {
            "superlative": "found-best" if total == 1 or question.limit is None else "found-top",
            "count": "found-count",
        }.get(question.operation, "found-list")
        order = ""
        if question.order is not None:
            order = self.asked_name(
                self._writer.settled(question.order, question.classes), language
            )
        text = self._say(
            key,
            language,
            entries=spoken,
            count=total,
            quantity=order,
            end=self._say(f"end-{question.direction}", language),
        )
        more, kind = self._columns_without_figures(question, selection, rows, entries, language)
        if question.operation in ("filter",) and total > MOST_SPOKEN:
            more.append(self._say("see-table", language))
        more += self._assumptions(question, selection, language)
        return Result(
            kind, self._sentences([text, *more], language), table, selection.query, entries
        )

    def _columns_without_figures(
        self,
        question: CatalogueQuestion,
        selection: Selection,
        rows: Sequence[Row],
        entries: Sequence[URIRef],
        language: str,
    ) -> tuple[list[str], Kind]:
        """Return what is said of quantities that no entry found has a figure of."""
        empty = [
            a for i, a in enumerate(selection.columns) if not any(f"figure{i}" in r for r in rows)
        ]
        sentences = [
            self._say(
                "no-figure",
                language,
                entries=self._join([self.name(e, language) for e in entries[:4]], language),
                quantity=self.asked_name(a, language),
            )
            for a in empty
        ]
        nothing = bool(empty) and len(empty) == len(selection.columns)
        return sentences, "unknown" if nothing else "answer"

    def _assumptions(
        self, question: CatalogueQuestion, selection: Selection, language: str
    ) -> list[str]:
        """Return what was assumed where the question left it open."""
        said = []
        if question.order is not None:
            settled = self._writer.settled(question.order, question.classes)
            added = {c for c in settled.conditions if c not in question.order.conditions}
            added = {c for c in added if c[0] in ("precision", "direction", "perUnit")}
            if added:
                names = self._join([self.name(v, language) for _, v in sorted(added)], language)
                said.append(self._say("assumed", language, conditions=names))
        if any(a.unit is not None for a in selection.columns) and self._v.covers:
            units = {a.unit for a in selection.columns if a.unit is not None}
            names = self._join([self._v.units[u].symbol for u in sorted(units)], language)
            said.append(self._say("one-currency", language, units=names))
        return said

    def _none_fits(self, question: CatalogueQuestion, language: str) -> str:
        return self._say("none-fits", language)

    def _ranked(
        self, question: CatalogueQuestion, rows: list[Row]
    ) -> tuple[tuple[URIRef, ...], list[Row]]:
        """Return the entries and rows that count: for a superlative the first, with its equals."""
        if question.operation == "superlative" and question.order is not None and rows:
            limit = question.limit or 1
            place = self._order_column(question)
            seen: dict[str, Any] = {}
            for row in rows:
                seen.setdefault(str(row["entry"]), row)
            ordered = list(seen.values())
            if len(ordered) > limit:
                edge = ordered[limit - 1][f"value{place}"]
                ordered = [
                    r for i, r in enumerate(ordered) if i < limit or r[f"value{place}"] == edge
                ]
            rows = ordered
        entries = tuple(dict.fromkeys(URIRef(str(r["entry"])) for r in rows))
        return entries, rows

    def _order_column(self, question: CatalogueQuestion) -> int:
        assert question.order is not None
        settled = self._writer.settled(question.order, question.classes)
        return self._writer.selection(question).columns.index(settled)

    def _rows(self, selection: Selection) -> list[Row]:
        return self._graph.select(selection.query)

    def _figures_by_node(self, rows: Sequence[Row], selection: Selection) -> list[Figure]:
        nodes = {
            URIRef(str(row[f"figure{i}"]))
            for row in rows
            for i in range(len(selection.columns))
            if f"figure{i}" in row
        }
        if not nodes:
            return []
        return self._figures(self._writer.figures(nodes))

    def _spoken_entries(
        self,
        question: CatalogueQuestion,
        entries: Sequence[URIRef],
        rows: Sequence[Row],
        selection: Selection,
        details: Mapping[URIRef, Figure],
        language: str,
        said: Said,
    ) -> str:
        spoken = []
        shown = list(entries[:MOST_SPOKEN])
        for entry in shown:
            row = next(r for r in rows if str(r["entry"]) == str(entry))
            values = []
            for i in range(len(selection.columns)):
                f = details.get(URIRef(str(row.get(f"figure{i}", ""))))
                if f is not None:
                    values.append(self.value(f, language) + self._marked(f, said, language))
            name = self.name(entry, language)
            if values:
                name = self._say(
                    "entry-values", language, entry=name, values=self._join(values, language)
                )
            else:
                name += self._marks_text(said.marks(self._entry_sources(entry)), language)
            spoken.append(name)
        text = self._join(spoken, language)
        if len(entries) > MOST_SPOKEN:
            text = self._say("and-more", language, entries=text)
        return text

    def _selection_table(
        self,
        rows: Sequence[Row],
        selection: Selection,
        details: Mapping[URIRef, Figure],
        language: str,
        said: Said,
        question: CatalogueQuestion,
    ) -> Table:
        columns = [self._say("column-entry", language)]
        for asked in selection.columns:
            unit = asked.unit or self._v.quantities[asked.quantity].unit
            columns.append(self._column_title(asked, unit, language))
        priced = any(details and f.price for f in details.values())
        if priced:
            columns.append(self._say("column-terms", language))
        columns.append(self._say("column-source", language))
        cells = []
        seen: set[tuple[str, ...]] = set()
        for row in rows:
            figures = [
                details.get(URIRef(str(row.get(f"figure{i}", ""))))
                for i in range(len(selection.columns))
            ]
            key = (
                str(row["entry"]),
                *(str(row.get(f"figure{i}")) for i in range(len(selection.columns))),
            )
            if key in seen:
                continue
            seen.add(key)
            entry = URIRef(str(row["entry"]))
            line: list[Any] = [self.name(entry, language)]
            marks: list[int] = []
            terms = ""
            for i, f in enumerate(figures):
                line.append(_plain(float(row[f"value{i}"])) if f"value{i}" in row else None)
                if f is not None:
                    marks += said.marks(f.sources, f.node)
                    if f.price:
                        terms = self._terms(f, language)
            if not any(figures):
                marks += said.marks(self._entry_sources(entry))
            if priced:
                line.append(terms)
            line.append("".join(f"[{m}]" for m in dict.fromkeys(marks)))
            cells.append(line)
        return Table(columns, cells)

    # --- words --------------------------------------------------------------------------

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
        held = dict(conditions)
        if held.get("accumulation") != URIRef("https://w3id.org/trainwright/data/fp16"):
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
        words += [
            self.name(v, language) for n, v in sorted(held.items()) if n in ("priceKind", "region")
        ]
        name = self.name(quantity, language)
        if not words:
            return name
        return self._say(
            "conditioned", language, quantity=name, conditions=self._join(words, language)
        )

    def value(self, figure: Figure, language: str) -> str:
        """Return a figure's number with its unit; a price with its kind, date and region."""
        number = _number(figure.value)
        if figure.low is not None and figure.high is not None:
            number = f"{_number(figure.low)}–{_number(figure.high)}"
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

    # --- data ---------------------------------------------------------------------------

    def _figures(self, query: str) -> list[Figure]:
        rows: dict[str, list[Row]] = {}
        for row in self._graph.select(query):
            rows.setdefault(str(row["figure"]), []).append(row)
        return sorted(
            (self._figure(node, held) for node, held in rows.items()),
            key=lambda f: (f.entry, f.quantity, sorted(f.conditions), f.alternative, f.node),
        )

    def _figure(self, node: str, rows: list[Row]) -> Figure:
        row = rows[0]
        quantity = URIRef(str(row["quantity"]))
        conditions = frozenset((n, URIRef(str(row[n]))) for n in CONDITION_NAMES if n in row)
        price = None
        if quantity in self._writer.prices():
            price = (
                URIRef(str(row["priceKind"])) if "priceKind" in row else None,
                str(row["date"]) if "date" in row else None,
                URIRef(str(row["region"])) if "region" in row else None,
            )
        return Figure(
            URIRef(node),
            URIRef(str(row["entry"])),
            quantity,
            Decimal(str(row["value"])),
            URIRef(str(row["unit"])),
            str(row["standing"]).endswith(ALTERNATIVE),
            str(row["bound"]).rsplit("#", 1)[-1],
            Decimal(str(row["low"])) if "low" in row else None,
            Decimal(str(row["high"])) if "high" in row else None,
            conditions,
            price,
            tuple(dict.fromkeys(URIRef(str(r["source"])) for r in rows)),
        )

    def _standard(self, figure: Figure) -> float:
        own = self._v.units[figure.unit]
        standard = self._v.units[self._v.quantities[figure.quantity].unit]
        if own.kind != standard.kind:
            return float(figure.value)
        return float(figure.value) * own.factor / standard.factor

    def _facts(
        self, entries: Iterable[URIRef], properties: Iterable[URIRef]
    ) -> dict[tuple[URIRef, URIRef], tuple[URIRef, ...]]:
        found: dict[tuple[URIRef, URIRef], dict[URIRef, None]] = {}
        for row in self._graph.select(self._writer.facts(entries, properties)):
            if isinstance(row["value"], URIRef):
                key = URIRef(str(row["entry"])), URIRef(str(row["property"]))
                found.setdefault(key, {})[URIRef(str(row["value"]))] = None
        return {key: tuple(values) for key, values in found.items()}

    def _entry_sources(self, entry: URIRef) -> tuple[URIRef, ...]:
        found = self._graph.objects(entry, URIRef("http://purl.org/dc/terms/source"))
        return tuple(o for o in found if isinstance(o, URIRef))

    def _table(
        self,
        entries: Sequence[URIRef],
        figures: Sequence[Figure],
        facts: Mapping[tuple[URIRef, URIRef], tuple[URIRef, ...]],
        language: str,
        said: Said,
    ) -> Table | None:
        """Return figures with entries down and quantities across; sources in the last column."""
        groups: dict[Any, list[Figure]] = {}
        for f in figures:
            if f.price is None:
                groups.setdefault((f.asked, f.unit), []).append(f)
        facets = [
            x for x in dict.fromkeys(p for _, p in facts) if any((e, x) in facts for e in entries)
        ]
        prices = [f for f in figures if f.price is not None]
        if len(entries) == 1:
            return self._one_entry_table(entries[0], figures, facts, facets, language, said)
        if not groups and not facets:
            return self._price_table(prices, language, said) if prices else None
        columns = [self._say("column-entry", language)]
        columns += [self.facet_name(x, language) for x in facets]
        columns += [
            self._column_title(Asked(key[0][0], key[0][1]), key[1], language) for key in groups
        ]
        columns.append(self._say("column-source", language))
        rows = []
        for entry in entries:
            line: list[Any] = [self.name(entry, language)]
            marks: list[int] = []
            for x in facets:
                line.append(
                    self._join(
                        [self.name(v, language) for v in facts.get((entry, x), ())], language
                    )
                )
            for group in groups.values():
                own = [f for f in group if f.entry == entry]
                best = [f for f in own if not f.alternative] or own
                for f in own:
                    marks += said.marks(f.sources, f.node)
                if not best:
                    line.append(None)
                elif len(own) == 1 and best[0].low is None:
                    line.append(_plain(float(best[0].value)))
                else:
                    line.append(" / ".join(self._bare(f) for f in own))
            if facets and not marks:
                marks += said.marks(self._entry_sources(entry))
            line.append("".join(f"[{m}]" for m in dict.fromkeys(marks)))
            rows.append(line)
        return Table(columns, rows)

    def _bare(self, figure: Figure) -> str:
        if figure.low is not None and figure.high is not None:
            return f"{_number(figure.low)}–{_number(figure.high)}"
        return _number(figure.value)

    def _one_entry_table(
        self,
        entry: URIRef,
        figures: Sequence[Figure],
        facts: Mapping[tuple[URIRef, URIRef], tuple[URIRef, ...]],
        facets: Sequence[URIRef],
        language: str,
        said: Said,
    ) -> Table | None:
        if len(figures) + len(facets) < 2:
            return None
        rows: list[list[Any]] = []
        for x in facets:
            marks = said.marks(self._entry_sources(entry))
            rows.append(
                [
                    self.facet_name(x, language),
                    self._join([self.name(v, language) for v in facts[entry, x]], language),
                    "".join(f"[{m}]" for m in marks),
                ]
            )
        for f in figures:
            marks = said.marks(f.sources, f.node)
            value = self.value(f, language)
            if f.alternative:
                value = self._say("alternative", language, value=value)
            rows.append([self.quantity_name(f, language), value, "".join(f"[{m}]" for m in marks)])
        titles = ("quantity", "value", "source")
        return Table([self._say(f"column-{t}", language) for t in titles], rows)

    def _price_table(self, prices: Sequence[Figure], language: str, said: Said) -> Table:
        titles = ("entry", "quantity", "value", "source")
        return Table(
            [self._say(f"column-{t}", language) for t in titles],
            [
                [
                    self.name(f.entry, language),
                    self.name(f.quantity, language),
                    self.value(f, language),
                    "".join(f"[{m}]" for m in said.marks(f.sources, f.node)),
                ]
                for f in prices
            ],
        )

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

    def _assembled(
        self,
        question: CatalogueQuestion | Missing,
        words: Words,
        said: Said,
        result: Result,
    ) -> Answer:
        language = words.language
        steps = (
            Step(
                "link",
                {
                    "text": words.text,
                    "mentions": [
                        {"text": t.text, "nodes": [shorten(m.node) for m in t.meanings]}
                        for t in words.tokens
                    ],
                    "amounts": [
                        {
                            "text": a.text,
                            "low": a.low,
                            "high": a.high,
                            "units": [shorten(u) for u in a.units],
                        }
                        for a in words.amounts
                    ],
                },
            ),
            Step("bind", _described(question)),
            Step("select", {"entries": [shorten(e) for e in result.entries]}),
        )
        return Answer(
            words.question,
            "zh" if language == "zh" else "en",
            result.kind,
            result.text,
            citations=self.citations(said, language),
            table=result.table,
            steps=steps,
            template=f"catalogue-{question.operation}"
            if isinstance(question, CatalogueQuestion)
            else None,
            sparql=result.query,
        )


def _described(question: CatalogueQuestion | Missing) -> dict[str, Any]:
    """Return a question as plain data, for the reasoning that is shown."""
    if isinstance(question, Missing):
        return {"missing": question.what, "names": list(question.names)}

    def asked(a: Asked) -> str:
        conditions = ", ".join(shorten(v) for _, v in sorted(a.conditions))
        return shorten(a.quantity) + (f" ({conditions})" if conditions else "")

    detail: dict[str, Any] = {"operation": question.operation}
    if question.subjects:
        detail["subjects"] = [shorten(s) for s in question.subjects]
    if question.classes:
        detail["classes"] = sorted(shorten(c) for c in question.classes)
    if question.asked:
        detail["asked"] = [asked(a) for a in question.asked]
    if question.bounds:
        detail["bounds"] = [
            " or ".join(
                f"{asked(b.asked)} {b.comparator} "
                + (
                    ", ".join(sorted(shorten(r) for r in b.reference))
                    if b.reference
                    else f"{b.low:g}" + (f"–{b.high:g}" if b.high != b.low else "")
                )
                for b in group
            )
            for group in question.bounds
        ]
    if question.facets:
        detail["facets"] = [
            ("not " if f.negated else "")
            + shorten(f.facet)
            + ": "
            + ", ".join(sorted(shorten(v) for v in f.values))
            for f in question.facets
        ]
    if question.checked:
        detail["checked"] = [shorten(v) for f in question.checked for v in sorted(f.values)]
    if question.facets_asked:
        detail["properties"] = [shorten(f) for f in question.facets_asked]
    if question.order:
        detail["order"] = f"{asked(question.order)}, {question.direction}"
    if question.limit:
        detail["limit"] = question.limit
    if question.among:
        detail["among"] = sorted(shorten(e) for e in question.among)
    if question.left_over:
        detail["not understood"] = list(question.left_over)
    return detail


def _number(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _plain(number: float) -> float | int:
    return int(number) if number.is_integer() else round(number, 6)


__all__ = [
    "CatalogueAnswerer",
    "CatalogueReader",
    "FacetCondition",
    "Figure",
    "Interpreter",
    "Literal",
    "op",
]
