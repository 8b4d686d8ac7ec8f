"""Sentences about entries that were named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from rdflib import URIRef

from assistant.catalogue.naming import MOST_MARKS
from assistant.catalogue.question import CatalogueQuestion
from assistant.catalogue.results import Figure, Result, Said, spelt
from assistant.catalogue.tables import Tables
from assistant.catalogue.things import LACKS

MOST_SPOKEN = 8
MOST_IN_SENTENCE = 12
MOST_UNASKED = 6
MOST_GROUPS = 5
MOST_CHARACTERS = 1000


class Telling(Tables):
    """Sentences about entries that were named."""

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
        several = len({f.entry for f in preferred}) > 1
        if question.operation == "compare" and several and len(groups) == 1:
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
                lacking = LACKS.get(facet)
                if not values and lacking and (lacked := facts.get((entry, lacking))):
                    sentences.append(
                        self._say(
                            "does-not-support",
                            language,
                            entry=self.name(entry, language),
                            what=self._join([self.name(v, language) for v in lacked], language),
                            marks=self._marks_text(
                                said.marks(self._entry_sources(entry))[:MOST_MARKS], language
                            ),
                        )
                    )
                    continue
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

    def _converted(self, figures: Sequence[Figure], unit: URIRef, language: str) -> list[str]:
        wanted = self._v.units[unit]
        sentences = []
        for f in figures:
            own = self._v.units[f.unit]
            if own.kind == wanted.kind and own != wanted and not f.alternative:
                number = float(f.value) * own.factor / wanted.factor
                value = f"{spelt(Decimal(f'{number:.6g}'))} {wanted.symbol}"
                sentences.append(
                    self._say("converted", language, value=self.value(f, language), other=value)
                )
        return sentences

    def _converted_amount(
        self, value: float, given: URIRef, wanted: URIRef, language: str, said: Said
    ) -> Result:
        """Say how an amount reads in another unit, citing where the units are defined."""
        one, other = self._v.units[given], self._v.units[wanted]
        number = Decimal(f"{value * one.factor / other.factor:.10g}")
        text = self._say(
            "converted",
            language,
            value=f"{spelt(Decimal(repr(value)))} {one.symbol}",
            other=f"{spelt(number)} {other.symbol}",
        )
        return Result("answer", text)

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

    def _subject_entries(self, question: CatalogueQuestion) -> list[URIRef]:
        entries = [e for s in question.subjects for e in sorted(self._v.members(s))]
        entries = list(dict.fromkeys(entries))
        for condition in question.facets:
            held = self._facts(entries, [condition.facet])
            values = set(condition.values)
            kept = [e for e in entries if values & set(held.get((e, condition.facet), ()))]
            entries = kept or entries
        return entries
