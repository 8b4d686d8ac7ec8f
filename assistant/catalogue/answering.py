"""Answers questions to the catalogue: runs the query, words the rows, cites their sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rdflib import URIRef

from assistant.answer import Answer, Kind, Step
from assistant.catalogue.checking import Checking
from assistant.catalogue.question import Asked, CatalogueQuestion, FacetCondition, Missing
from assistant.catalogue.reading import Words
from assistant.catalogue.results import Result, Said
from assistant.catalogue.things import (
    CLOUD,
    CONTENT,
    LACKS,
    PER_ACCELERATOR,
    SERVER,
)
from kg import shorten

MOST_OFFERS = 5


class CatalogueAnswerer(Checking):
    """Answers from the catalogue."""

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
        if question.amount is not None and question.unit is not None:
            return self._converted_amount(*question.amount, question.unit, language, said)
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

    def _about_subjects(self, question: CatalogueQuestion, language: str, said: Said) -> Result:
        entries = self._subject_entries(question)
        asked = question.asked
        if question.operation == "compare" and not asked and not question.facets_asked:
            asked = ()
        query = self._writer.details(entries, asked)
        figures = [f for f in self._figures(query) if self._is_asked(f, asked, question)]
        figures = self._without_side_figures(figures, asked)
        told = [p for f in question.facets_asked for p in (f, LACKS.get(f)) if p is not None]
        facts = self._facts(entries, told) if told else {}
        if not asked and not question.facets_asked:
            facts = self._facts(entries, sorted(self._v.facets))
        priced = any(a.quantity in self._writer.prices for a in question.asked)
        inside = () if figures or priced or not question.asked else self._contents(entries)
        if inside:
            return self._about_contents(question, entries, inside, language, said)
        if not figures and not facts:
            nothing = self._nothing(question, entries, language, said)
            return self._offers(question, entries, nothing, language, said) or nothing
        if question.operation in ("difference", "ratio", "quotient"):
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
        prices = self._writer.prices
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
