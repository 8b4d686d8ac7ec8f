"""Follow-ups: what a question leaves to the one before it."""

from __future__ import annotations

from dataclasses import replace

from rdflib import URIRef

from assistant.catalogue import operators as op
from assistant.catalogue.answering import CatalogueAnswerer
from assistant.catalogue.interpreting import Interpreter
from assistant.catalogue.question import Bound, CatalogueQuestion, FacetCondition, Missing
from assistant.catalogue.reading import Words
from assistant.catalogue.things import CLOUD, CONTENT, LACKS, SERVER
from assistant.catalogue.vocabulary import Vocabulary

# A follow-up is short: so many words that the catalogue knows, filler left out.


class Conversing:
    """Completes questions that lean on the one before."""

    def __init__(
        self, vocabulary: Vocabulary, interpreter: Interpreter, answerer: CatalogueAnswerer
    ) -> None:
        self._v = vocabulary
        self._interpreter = interpreter
        self._answerer = answerer

    def interpret(
        self, words: Words, before: CatalogueQuestion | None
    ) -> CatalogueQuestion | Missing:
        """Return what a question asks, with what it leaves to the question before."""
        if before is None or not self.leans(words):
            return self._interpreter.interpret(words)
        question = self._interpreter.interpret(words, before)
        if isinstance(question, Missing):
            return question
        return self._continued(words, question, before)

    def leans(self, words: Words) -> bool:
        """Return whether a question points back or says too little to stand alone."""
        meant = {m for t in words.tokens for m in self._meant(t.nodes("operator"))}
        if meant & {op.AMONG, op.ONLY, op.SAME_THING}:
            return True
        known = [
            t
            for t in words.tokens
            if t.nodes(
                "entry", "line", "class", "quantity", "narrowed", "wide", "value", "condition"
            )
        ]
        opens = [
            t
            for t in words.tokens
            if op.CONTINUATION in self._meant(t.nodes("operator"))
            and (t.start <= 1 or t.end >= len(words.text) - 2)
        ]
        if opens:
            return len(known) <= 4
        subject = any(t.nodes("entry", "line") for t in known)
        return (
            len(known) + len(words.amounts) <= 2
            and not (
                subject and any(t.nodes("quantity", "narrowed", "wide", "condition") for t in known)
            )
            and not any(t.nodes("class") for t in known)
        )

    def _meant(self, operators: tuple[URIRef, ...]) -> set[URIRef]:
        return {self._v.operators[o][0] for o in operators}

    def _continued(
        self, words: Words, question: CatalogueQuestion, before: CatalogueQuestion
    ) -> CatalogueQuestion:
        meant = {m for t in words.tokens for m in self._meant(t.nodes("operator"))}
        if question.subjects:
            return self._with_subjects(question, before, meant)
        if before.subjects and not (op.AMONG in meant and question.order):
            return self._about_same(question, before)
        if op.SAME_THING in meant and question.asked and question.order is None:
            found = self._answerer.entries_of(before)
            return self._about_same(question, replace(before, operation="look-up", subjects=found))
        machines = question.classes & {CLOUD, SERVER}
        if machines and not before.classes & machines:
            held = self._answerer.entries_of(before)
            values = frozenset(held) | self._lines_of(held)
            return replace(
                question,
                facets=(
                    *(f for f in question.facets if f.facet != CONTENT),
                    FacetCondition(CONTENT, values),
                ),
            )
        if question.order is not None or question.operation == "superlative":
            return replace(
                question, classes=frozenset(), among=frozenset(self._answerer.entries_of(before))
            )
        changed = {b.asked.quantity for g in question.bounds for b in g}
        if op.AMONG in meant or op.ONLY in meant:
            changed = set()
        kept = tuple(g for g in before.bounds if not {b.asked.quantity for b in g} & changed)
        asked_only = question.asked and not question.bounds and not question.facets
        return replace(
            before,
            operation=question.operation if question.operation == "count" else before.operation,
            bounds=(*kept, *question.bounds),
            facets=(*self._unchanged(before, question, meant), *question.facets),
            asked=question.asked if asked_only else before.asked,
            excluded=before.excluded | question.excluded,
            left_over=question.left_over,
        )

    def _unchanged(
        self, before: CatalogueQuestion, question: CatalogueQuestion, meant: set[URIRef]
    ) -> tuple[FacetCondition, ...]:
        if meant & {op.AMONG, op.ONLY}:
            return before.facets
        new = {f.facet for f in question.facets}
        return tuple(f for f in before.facets if f.facet not in new)

    def _lines_of(self, entries: tuple[URIRef, ...]) -> frozenset[URIRef]:
        wanted = set(entries)
        return frozenset(line for line, held in self._v.lines.items() if held <= wanted)

    def _with_subjects(
        self, question: CatalogueQuestion, before: CatalogueQuestion, meant: set[URIRef]
    ) -> CatalogueQuestion:
        asked = question.asked or before.asked or ((before.order,) if before.order else ())
        facets_asked = question.facets_asked or (() if question.asked else before.facets_asked)
        if meant & {op.COMPARE, op.DIFFERENCE, op.RATIO, op.THAN} and before.subjects:
            operation = (
                question.operation if question.operation in ("difference", "ratio") else "compare"
            )
            if op.DIFFERENCE in meant:
                operation = "difference"
            if meant & {op.RATIO, op.MULTIPLE_OF}:
                operation = "ratio"
            subjects = tuple(dict.fromkeys((*before.subjects, *question.subjects)))
            return replace(question, operation=operation, subjects=subjects, asked=asked)
        if question.asked or question.checked:
            return question
        if before.subjects:
            return replace(
                before,
                subjects=question.subjects,
                left_over=question.left_over,
            )
        return replace(question, asked=asked, facets_asked=facets_asked)

    def _about_same(
        self, question: CatalogueQuestion, before: CatalogueQuestion
    ) -> CatalogueQuestion:
        operation = question.operation
        if operation in ("filter", "superlative", "count"):
            operation = (
                before.operation
                if before.operation in ("compare", "difference", "ratio")
                else "look-up"
            )
        asked = question.asked or ((question.order,) if question.order else ())
        facets = question.facets
        checked = tuple(f for f in facets if f.facet != CONTENT)
        if checked and not asked:
            operation = "support" if any(self._is_feature(f.facet) for f in checked) else "look-up"
        return replace(
            question,
            operation=operation,
            subjects=before.subjects,
            classes=frozenset(),
            asked=asked or (before.asked if not (question.facets_asked or checked) else ()),
            facets=(),
            checked=checked,
            facets_asked=question.facets_asked
            or tuple(f.facet for f in checked if not self._is_feature(f.facet)),
            bounds=(),
            order=None,
        )

    def _is_feature(self, facet: URIRef) -> bool:
        return facet in LACKS


__all__ = ["Bound", "Conversing"]
