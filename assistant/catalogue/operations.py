"""What is to be done: looked up, compared, picked, counted, checked."""

from __future__ import annotations

import re

from rdflib import URIRef

from assistant.catalogue import operators as op
from assistant.catalogue.ordering import Ordering
from assistant.catalogue.question import (
    Asked,
    FacetCondition,
    Operation,
)
from assistant.catalogue.things import (
    ACCELERATOR,
    CLOUD,
    CONTENT,
    COUNTED,
    FORM_FACTOR,
    LACKS,
    SERVER,
    THROUGHPUT,
)
from assistant.catalogue.vocabulary import Token


class Operations(Ordering):
    """What is to be done: looked up, compared, picked, counted, checked."""

    def operation(
        self,
        subjects: tuple[URIRef, ...],
        free: tuple[Asked, ...],
        checked: tuple[FacetCondition, ...],
    ) -> Operation:
        """Return what is to be done with what was named."""
        if subjects and self.has(op.AGREEMENT):
            return "agreement"
        if subjects and self.has(op.SOURCES):
            return "sources"
        if subjects and len(free) >= 2 and self.has(op.PER):
            return "quotient"
        if (
            len(subjects) == 2
            and free
            and self.has(op.RATIO, op.MULTIPLE_OF)
            and not self.has(op.DIFFERENCE)
        ):
            return "ratio"
        if len(subjects) == 2 and free and self.has(op.DIFFERENCE):
            return "difference"
        if len(subjects) == 2 and free and self.counted_subject() is not None:
            return "ratio"
        comparing = any(
            m in op.COMPARATORS and m != op.EQUAL
            for t in self.tokens
            if t not in self.used
            for m in self.meant(t)
        )
        if len(subjects) == 2 and free and comparing and self.has(op.COUNT, op.AMOUNT):
            return "difference"
        if len(subjects) == 1 and len(set(free)) == 2 and self.has(op.RATIO, op.MULTIPLE_OF):
            return "quotient"
        if subjects and self.has(op.CONVERT) and self.wanted_unit() is not None:
            return "convert"
        if len(subjects) >= 2:
            return "compare"
        if subjects and checked and not free and any(c.facet in LACKS for c in checked):
            return "support"
        if subjects:
            return "look-up"
        if self.superlative is not None:
            return "superlative"
        if self.has(op.COUNT):
            return "count"
        return "filter"

    def quotient(self, free: tuple[Asked, ...]) -> tuple[Asked, ...]:
        """Return what is set against what: throughput per watt, unless another is named."""
        for token in self.tokens:
            own = self.meant(token).get(op.PER)
            if own is None:
                continue
            readings = [Asked(q) for q in self._v.covers.get(own, (own,))]
            lower = self.resolved(readings, self.targets)
            upper = next(
                (a for a in free if a.quantity not in {own, lower and lower.quantity}), None
            )
            if lower is not None:
                return (upper or Asked(THROUGHPUT), lower)
        return free

    def implied_quantities(self) -> tuple[Asked, ...]:
        """Return the quantities that words of comparison imply: faster, cheaper, newer."""
        found = []
        for token in self.tokens:
            for own in self.meant(token).values():
                if own is not None:
                    readings = [Asked(q) for q in self._v.covers.get(own, (own,))]
                    asked = self.resolved(readings, self.targets)
                    if asked and self._v.count_given(asked.quantity, self.targets):
                        found.append(asked)
        counts = any(
            c in self._v.within(ACCELERATOR) for t in self.classes for c in t.nodes("class")
        )
        if counts and self.machine_counts() and self.has(op.RATIO, op.MULTIPLE_OF, op.DIFFERENCE):
            found.append(Asked(COUNTED))
        return tuple(dict.fromkeys(found))

    def wants_lower(self) -> bool:
        """Return whether of things compared the lower is asked for."""
        return any(
            op.LESS in self.meant(t) and op.THAN not in self.meant(t) for t in self.tokens
        ) and not self.has(op.MORE)

    def counted_subject(self) -> Token | None:
        """Return the thing counted by: how many L4s is an H100 worth."""
        for t in self.subject_tokens:
            for c in self.operator_tokens(op.COUNT):
                if 0 <= t.start - c.end <= 1:
                    return t
        return None

    def is_reversed(self) -> bool:
        """Return whether the thing measured by comes first: what multiple of X does Y use."""
        if len(self.subject_tokens) < 2:
            return False
        if (counted := self.counted_subject()) is not None:
            return counted is self.subject_tokens[0]
        first = self.subject_tokens[0]
        return any(
            t.end <= first.start and not self.rest_between(t, first, op.FILLER)
            for t in self.operator_tokens(op.MULTIPLE_OF)
        )

    def wider_line(self, node: URIRef) -> URIRef | None:
        """Return the smallest line that holds a line's variants and more."""
        own = self._v.members(node)
        wider = [
            (len(held), line)
            for line, held in self._v.lines.items()
            if own < held and line not in self._v.wide_lines
        ]
        return min(wider)[1] if wider else None

    def sought_among(self, subjects: tuple[URIRef, ...], operation: Operation) -> bool:
        """Return whether variants of a line are to be picked, not all told of."""
        several = any(len(self._v.members(s)) > 1 for s in subjects)
        if not subjects or operation in ("sources", "agreement", "ratio", "difference", "convert"):
            return False
        if (
            self.superlative is not None
            and self.order is not None
            and (several or len(subjects) > 2)
        ):
            return True
        if not several or operation == "compare" or self.has(op.COMPARE):
            return False
        listing = self.has(op.COUNT, op.LIST) and not self.asked_tokens
        # "Is it 40 or 80 GB?" asks which; it does not pick.
        picking = any(b.comparator != "=" for group in self.bounds for b in group)
        return (bool(self.bounds) and (picking or self.has(op.COUNT, op.LIST))) or listing

    def facet_conditions(self) -> tuple[tuple[FacetCondition, ...], tuple[FacetCondition, ...]]:
        """Return the properties that entries must have, and those asked about a subject."""
        supports = self.support_tokens()
        by_facet: dict[tuple[URIRef, bool], list[URIRef]] = {}
        checked: list[FacetCondition] = []
        subjects = [t for t in self.subject_tokens if t not in self.contained]
        result: list[FacetCondition] = []
        for token, facet, value, negated in self.values:
            content = self.of_content(token)
            if content is not None:
                result.append(FacetCondition(content[0], frozenset({content[1]}), negated, True))
                continue
            if token.nodes("condition") and token not in supports and facet in LACKS:
                continue  # a number format that conditions a throughput
            lacking = facet in LACKS and (self.lacks(token) or negated)
            if facet in LACKS:
                if subjects:
                    checked.append(FacetCondition(facet, frozenset({value})))
                elif lacking:
                    result.append(FacetCondition(LACKS[facet], frozenset({value})))
                else:
                    result.append(FacetCondition(facet, frozenset({value})))
            elif facet not in self.facets_of_targets():
                continue
            else:
                by_facet.setdefault((facet, negated), []).append(value)
        for (facet, negated), values in by_facet.items():
            condition = FacetCondition(facet, frozenset(values), negated)
            if subjects and not self.restricts(subjects, condition):
                checked.append(condition)
            else:
                result.append(condition)
        if self.excluded and self.targets & {CLOUD, SERVER}:
            out = frozenset(v for e in self.excluded for v in {e, *self._v.members(e)})
            result.append(FacetCondition(CONTENT, out, negated=True))
        if self.contained:
            groups = frozenset(
                v
                for t in self.contained
                for v in {self.node_of(t), *self._v.members(self.node_of(t))}
            )
            result.append(FacetCondition(CONTENT, groups))
        elif not subjects and self.targets & {CLOUD, SERVER}:
            kinds = [
                c
                for t in self.classes
                if not self.is_negated(t)
                for c in t.nodes("class")
                if c in self._v.within(ACCELERATOR)
            ]
            if kinds and not any(c == ACCELERATOR for c in kinds):
                result.append(FacetCondition(CONTENT, frozenset(kinds[:1])))
        return tuple(result), tuple(checked)

    def of_content(self, token: Token) -> tuple[URIRef, URIRef] | None:
        """Return a property of what a machine contains: systems with AMD GPUs."""
        if not self.targets & {CLOUD, SERVER}:
            return None
        inside = [
            t
            for t in self.classes
            if t.start >= token.end
            and not self.rest_between(token, t, op.OWN)
            and set(t.nodes("class")) & self._v.within(ACCELERATOR)
        ]
        if not inside:
            return None
        for value in token.nodes("value"):
            for facet in self.facet_of(value):
                if self._v.facet_classes.get(facet, frozenset()) & self._v.within(ACCELERATOR):
                    return facet, value
        return None

    def facets_of_targets(self) -> set[URIRef]:
        """Return the properties that what is asked about can have."""
        return {f for f, classes in self._v.facet_classes.items() if classes & self.targets}

    def restricts(self, subjects: list[Token], condition: FacetCondition) -> bool:
        """Return whether a property picks some variants of a line: the PCIe one of the H100."""
        return condition.facet in (FORM_FACTOR,)

    def lacks(self, token: Token) -> bool:
        """Return whether a word for "without" stands before a feature."""
        return any(
            t.end <= token.start and self.gap(t, token) <= self.near + 4
            for t in self.tokens
            if op.LACK in self.meant(t)
        )

    def asked_facets(
        self,
        subjects: tuple[URIRef, ...],
        free: tuple[Asked, ...],
        checked: tuple[FacetCondition, ...],
    ) -> tuple[URIRef, ...]:
        """Return the properties asked for of the subjects: which vendor, which CPU."""
        if not subjects:
            return ()
        named = [
            f
            for t in self.of_kind("facet")
            for f in t.nodes("facet")
            if f in self.facets_of_targets()
        ]
        for token in self.classes:
            for c in token.nodes("class"):
                if c in self._v.within(ACCELERATOR) and self.targets & {CLOUD, SERVER} and not free:
                    named.append(CONTENT)
        if not free:
            named += [c.facet for c in checked if c.facet not in LACKS]
        return tuple(dict.fromkeys(named))

    def wanted_unit(self) -> URIRef | None:
        """Return the unit that a number is to be given in: a unit's name without a number."""
        taken = {i for a in self.words.amounts for i in range(a.start, a.end)}
        taken |= {i for t in self.subject_tokens for i in range(t.start, t.end)}
        text = self.words.cased
        found: list[tuple[int, int, URIRef]] = []
        for name, units in self._v.cased_units.items():
            if len(name) == 1 and name != self._v.units[units[0]].symbol:
                continue
            for match in re.finditer(re.escape(name), text):
                before, after = text[match.start() - 1 : match.start()], text[match.end() :][:1]
                inside = name[0].isascii() and re.match(r"[A-Za-z0-9/]", before)
                inside = inside or (name[-1].isascii() and re.match(r"[A-Za-z0-9/]", after))
                if not inside and match.start() not in taken and not self.is_refused(match.start()):
                    found.append((match.end(), len(name), units[0]))
        return max(found)[2] if found else None

    def is_refused(self, place: int) -> bool:
        """Return whether a word for "not" stands right before a place: in W, not kW."""
        return any(0 <= place - t.end <= 1 for t in self.operator_tokens(op.NOT))
