"""From the words of a question to what is asked of the catalogue.

No word stands here: operators, quantities, classes and facets are known by their names in
the graph. What a word means where it may mean several things is settled by what the
catalogue holds: "memory" of a card is its own, of a cloud instance its host memory.
"""

from __future__ import annotations

import re

from rdflib import URIRef

from assistant.catalogue import operators as op
from assistant.catalogue.operations import Operations
from assistant.catalogue.question import (
    Asked,
    CatalogueQuestion,
    FacetCondition,
    Missing,
)
from assistant.catalogue.reading import Amount, Words
from assistant.catalogue.vocabulary import Vocabulary
from assistant.normalisation import has_han

# A quantity of which there are so few figures is told of everything that has it.
MOST_RARE = 14
# From so many words of content on that nothing here knows, and so many for each known one,
# a question is about something else.
FEWEST_UNKNOWN = 3
UNKNOWN_SHARE = 0.75
_WORD = re.compile(r"[a-z][a-z'./-]*\d*[a-z0-9-]*|\d[\d.,]*[a-z%]*|[㐀-䶿一-鿿]+")
# Shaped like a product number: 5080, k100.
_DESIGNATOR = re.compile(r"(?=[a-z]*\d)[a-z]{0,6}\d{2,5}[a-z]{0,4}")


class Interpreter:
    """Understands questions to the catalogue."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._v = vocabulary

    def interpret(
        self, words: Words, before: CatalogueQuestion | None = None
    ) -> CatalogueQuestion | Missing:
        """Return what a question asks, or why that is not clear.

        Args:
            words: The question taken apart.
            before: The question that it leans on for what it does not say itself.
        """
        return _Interpretation(self._v, words, before).result()


class _Interpretation(Operations):
    """One question on its way to being understood."""

    def result(self) -> CatalogueQuestion | Missing:
        self.subject_tokens = self.find_subjects()
        self.classes = self.find_classes()
        self.find_facets()
        self.find_negated_subjects()
        self.contained = self.find_contained()
        self.targets = self.find_targets()
        self.asked_tokens = self.find_quantities()
        self.bind_amounts()
        self.bind_references()
        self.order_by()
        return self.assembled()

    def assembled(self) -> CatalogueQuestion | Missing:
        facets, checked = self.facet_conditions()
        free = tuple(a for t, a in self.asked_tokens if t not in self.bound_quantities)
        subjects = tuple(
            dict.fromkeys(self.node_of(t) for t in self.subject_tokens if t not in self.contained)
        )
        if self.has(op.PER):
            free = self.quotient(free)
        implied: tuple[Asked, ...] = ()
        if not free and len(subjects) > 1:
            free = implied = self.implied_quantities()
        facets_asked = self.asked_facets(subjects, free, checked)
        operation = self.operation(subjects, free, checked)
        among: frozenset[URIRef] = frozenset()
        if len(subjects) == 1 and self.has(op.COMPARE) and self.bounds:
            wider = self.wider_line(subjects[0])
            if wider is not None:  # the A100 with 40 GB against that with 80 GB
                subjects, operation, self.bounds = (wider,), "compare", []
        if self.sought_among(subjects, operation):
            among = frozenset(e for s in subjects for e in self._v.members(s))
            subjects, facets_asked, facets, checked = (
                (),
                (),
                (*facets, *checked),
                (),
            )
            operation = self.operation((), free, ())
        if subjects and not free and not checked and (unit := self.wanted_unit()) is not None:
            kind = self._v.units[unit].kind
            free = tuple(
                Asked(q)
                for q, held in sorted(self._v.quantities.items())
                if self._v.units[held.unit].kind == kind and self._v.count_given(q, self.targets)
            )
        if subjects and not among and self.order is not None:
            free = (*free, self.order)
        if subjects and not among:
            free = (*free, *(b.asked for group in self.bounds for b in group))
            free = tuple(a for a in free if a.quantity in self._v.quantities)
            if len(subjects) == 1:
                self.bounds = []
        if operation == "ratio" and self.is_reversed():
            subjects = tuple(reversed(subjects))
        excluded = frozenset(e for node in self.excluded for e in self._v.members(node))
        excluded |= frozenset(
            e for t in self.reference_tokens for e in self._v.members(self.node_of(t))
        )
        if operation == "compare" and self.order is None and self.wants_lower():
            self.direction = "lowest"
        question = CatalogueQuestion(
            operation,
            subjects,
            self.narrowed_classes(subjects),
            tuple(dict.fromkeys(free)),
            facets_asked,
            tuple(sorted(self.bounds, key=_written)),
            tuple(sorted(facets, key=_written)),
            excluded,
            self.order,
            "lowest" if self.direction == "lowest" else "highest",
            self.limit,
            among=among,
            checked=checked,
            implied=bool(implied),
            everything=self.has(op.ALL),
            unit=self.wanted_unit() if subjects else None,
            left_over=self.left_over(),
        )
        if (converted := self.converted_amount(question)) is not None:
            return converted
        return self.complaint(question) or question

    def converted_amount(self, question: CatalogueQuestion) -> CatalogueQuestion | None:
        """Return the question how an amount reads in another unit, if that is all it asks."""
        unit = self.wanted_unit()
        if unit is None or question.subjects or len(self.words.amounts) != 1:
            return None
        amount = self.words.amounts[0]
        kind = self._v.units[unit].kind
        given = next((u for u in amount.units if self._v.units[u].kind == kind), None)
        sought = self.classes or self.values or self.asked_tokens
        if given is None or given == unit or sought or amount.low != amount.high:
            return None
        return CatalogueQuestion("convert", unit=unit, amount=(amount.low, given))

    def left_over(self) -> tuple[str, ...]:
        """Return the words that mean nothing here."""
        covered = bytearray(len(self.text))
        spans = [(t.start, t.end) for t in self.tokens]
        spans += [(a.start, a.end) for a in self.words.amounts]
        for start, end in spans:
            covered[start:end] = b"\1" * (end - start)
        rest = "".join(c if not covered[i] else " " for i, c in enumerate(self.text))
        return tuple(w for w in _WORD.findall(rest) if w not in self._v.unit_names)

    def complaint(self, question: CatalogueQuestion) -> Missing | None:
        """Return what a question lacks, or names that nothing here knows."""
        unknown = self.unknown_names()
        if unknown and not question.subjects:
            return Missing("unknown-name", unknown)
        asks = question.asked or question.facets_asked or question.checked
        plain = bool(question.subjects and asks) or question.operation in (
            "sources",
            "agreement",
            "superlative",
        )
        if self.is_told_story(2.0 if plain else 1.0):
            return Missing("unknown-attribute", (), question.subjects)
        if question.operation in ("look-up", "compare") and question.subjects:
            nothing_asked = not (
                question.asked or question.facets_asked or question.checked or question.everything
            )
            if nothing_asked and self.content_left():
                return Missing("unknown-attribute", (), question.subjects)
        sought = (
            question.subjects
            or question.among
            or question.bounds
            or question.facets
            or self.classes
            or self.superlative is not None
            or question.excluded
        )
        if not sought and self.is_rare(question.asked):
            return None
        if not sought and not self.fallback:
            latin = tuple(w for w in self.left_over() if w.isascii() and len(w) >= 3)
            if latin and question.asked:
                return Missing("unknown-name", latin)
            return Missing("needs-subject")
        if (
            question.operation == "filter"
            and not (question.bounds or question.facets or question.among or question.excluded)
            and question.asked
            and not self.fallback
            and not self.has(op.LIST, op.COUNT, op.COMPARE, op.ALL)
            and not self.is_rare(question.asked)
        ):
            return Missing("needs-subject")
        if (
            self.has(op.RATIO, op.MULTIPLE_OF, op.DIFFERENCE, op.COMPARE)
            and len(question.subjects) == 1
        ) and (
            self.operator_tokens(op.SAME_THING)
            or (self.has(op.RATIO) and question.operation == "look-up" and self.has(op.THAN))
        ):
            return Missing("needs-second")
        if self.has(op.PER) and not question.subjects:
            return Missing("needs-subject")
        unordered = self.superlative is not None and question.order is None
        if unordered and not question.subjects and self.before is None:
            return Missing("needs-quantity")
        return None

    def is_rare(self, asked: tuple[Asked, ...]) -> bool:
        """Return whether so few things have the quantity asked for that all can be told."""
        counts = [sum(n for (_, q), n in self._v.given.items() if q == a.quantity) for a in asked]
        return bool(counts) and max(counts) <= MOST_RARE

    def is_told_story(self, patience: float = 1.0) -> bool:
        """Return whether more is said than was understood, or a reason is asked for.

        A figure of a device that is named in passing does not answer such a question.
        """
        if self.has(op.REASON):
            return True
        weight = sum(
            (len(w) + 1) // 2 if has_han(w) else int(len(w) >= 3) for w in self.left_over()
        )
        known = sum(
            bool(
                t.nodes(
                    "entry", "line", "class", "value", "quantity", "narrowed", "wide", "condition"
                )
            )
            or bool(set(self.meant(t)) - {op.FILLER, op.LIST, op.SUPPORT, op.CONTINUATION})
            for t in self.tokens
        ) + len(self.amounts)
        return weight >= patience * max(FEWEST_UNKNOWN, UNKNOWN_SHARE * known)

    def unknown_names(self) -> tuple[str, ...]:
        """Return words shaped like product numbers that no name covers: 5080, k100."""
        numbers = [
            a
            for a in self.amounts
            if a not in self.spent
            and not a.units
            and a.low == a.high
            and (a.low >= 1000 or self.follows_word(a))
            and a.low >= 100
        ]
        words = [w for w in self.left_over() if _DESIGNATOR.fullmatch(w)]
        return (*(a.text for a in numbers), *words)

    def follows_word(self, amount: Amount) -> bool:
        """Return whether a number stands after a word that nothing here knows: rtx 508."""
        before = re.search(r"[a-z]{2,}\s?$", self.text[: amount.start])
        return before is not None and before.group().strip() in self.left_over()

    def content_left(self) -> bool:
        """Return whether words of content were not understood."""
        return any(
            (has_han(w) and len(w) >= 2) or (w.isascii() and w.isalpha() and len(w) >= 3)
            for w in self.left_over()
        )

    def narrowed_classes(self, subjects: tuple[URIRef, ...]) -> frozenset[URIRef]:
        return self.targets if not subjects else frozenset()


def _written(part: object) -> str:
    """Return a part of a question in words, to put parts in an order of no language."""
    if isinstance(part, FacetCondition):
        return f"{part.facet} {part.negated} {sorted(part.values)}"
    if isinstance(part, tuple):
        return " ".join(
            f"{b.asked.quantity} {sorted(b.asked.conditions)} {b.comparator} {b.low} {b.high}"
            for b in part
        )
    return str(part)
