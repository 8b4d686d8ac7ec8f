"""Limits that are figures of another entry: more memory than an H100."""

from __future__ import annotations

import re

from rdflib import URIRef

from assistant.catalogue import operators as op
from assistant.catalogue.limits import Limits
from assistant.catalogue.question import (
    Asked,
    Bound,
    Comparator,
)
from assistant.catalogue.things import (
    ACCELERATOR,
    THROUGHPUT,
)
from assistant.catalogue.vocabulary import Token
from assistant.normalisation import has_han

COMPARATOR: dict[URIRef, Comparator] = {
    op.AT_LEAST: ">=",
    op.AT_MOST: "<=",
    op.MORE: ">",
    op.LESS: "<",
    op.EQUAL: "=",
}
FLIPPED: dict[Comparator, Comparator] = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}


_PUNCTUATION = re.compile(r"[\s,，、/&;；-]+")


class References(Limits):
    """Limits that are figures of another entry: more memory than an H100."""

    def bind_references(self) -> None:
        """Turn "more memory than an H100" into a bound, if others than it are sought."""
        self.reference_tokens: list[Token] = []
        subjects = [t for t in self.subject_tokens if t not in self.contained]
        if not subjects and self.has(op.SAME_THING, op.THAN, op.NOT_THAN):
            subjects = self.excluded_tokens
        if not subjects or len({self.node_of(t) for t in subjects}) != 1:
            return
        if self.has(op.DIFFERENCE, op.RATIO, op.MULTIPLE_OF):
            return
        comparing = [
            (t, m, q)
            for t in self.tokens
            if t not in self.used
            for m, q in self.meant(t).items()
            if m in op.COMPARATORS and m != op.EQUAL
        ]
        sought = self.seeks_others(subjects)
        if not comparing or not sought:
            return
        reference = self._v.members(self.node_of(subjects[0]))
        taken: set[Token] = set()
        for token, means, own in comparing:
            pairs = self.compared_quantities(token, own, taken, subjects)
            for at, asked in pairs:
                if at is not None:
                    taken.add(at)
                    self.bound_quantities.add(at)
                comparator = COMPARATOR.get(means)
                if comparator is None:
                    better = self._v.quantities[asked.quantity].better
                    comparator = "<" if better == "Lower" else ">"
                if self.is_flipped(token):
                    comparator = FLIPPED[comparator]
                self.bounds.append((Bound(asked, comparator, reference=reference),))
            if pairs:
                self.used.add(token)
        if self.bounds and any(b.reference for group in self.bounds for b in group):
            self.reference_tokens = subjects
            self.subject_tokens = [t for t in self.subject_tokens if t in self.contained]
            named = {c for t in self.classes for c in t.nodes("class")}
            if named:
                found: set[URIRef] = set()
                for c in named:
                    found |= self._v.within(c)
                if any(
                    self._v.count_given(b.asked.quantity, frozenset(found))
                    for g in self.bounds
                    for b in g
                ):
                    self.targets = frozenset(found)
            elif self.targets & self._v.within(ACCELERATOR):
                self.targets = self._v.within(ACCELERATOR)

    def is_flipped(self, comparator: Token) -> bool:
        """Return whether a comparison is denied: not above it, without a higher, 不比它高."""
        if any(0 <= comparator.start - t.end <= 3 for t in self.operator_tokens(op.NOT, op.LACK)):
            return True
        light = (op.FILLER, op.SAME_THING)
        for t in self.operator_tokens(op.NOT_THAN):
            rest = self.rest_between(t, comparator, *light)
            names = [x.text for x in self.subject_tokens if self.inside(x, t, comparator)]
            if t.end <= comparator.start and rest == _PUNCTUATION.sub("", "".join(names)):
                return True
        return False

    def seeks_others(self, subjects: list[Token]) -> bool:
        """Return whether others than the thing named are sought."""
        if self.classes or self.values or (self.has(op.LIST) and self.has(op.THAN, op.NOT_THAN)):
            return True
        return bool(self.operator_tokens(op.SAME_THING))

    def compared_quantities(
        self, token: Token, own: URIRef | None, taken: set[Token], subjects: list[Token]
    ) -> list[tuple[Token | None, Asked]]:
        """Return the quantities that a word of comparison is said of."""
        general = own == THROUGHPUT or own in self._v.covers
        if own is not None and not (general and self.near_quantity(token, taken)):
            readings = [Asked(q) for q in self._v.covers.get(own, (own,))]
            asked = self.resolved(readings, self.targets)
            near = [
                a
                for t, a in self.asked_tokens
                if a.quantity == own and t not in self.bound_quantities
            ]
            return [(None, near[0] if near else asked)] if asked else []
        candidates = [
            (t, a)
            for t, a in self.asked_tokens
            if t not in taken and t not in self.bound_quantities
        ]
        if not candidates:
            return []
        han = has_han(token.text)

        def distance(pair: tuple[Token, Asked]) -> int:
            behind = pair[0].start >= token.end
            return self.apart(pair[0], token) + (4 if behind == han else 0)

        candidates.sort(key=distance)
        nearest = candidates[0]
        joined = [
            c
            for c in candidates[1:]
            if self.listed(c[0], nearest[0]) and self.is_own_comparator(token, c[0])
        ]
        return [nearest, *joined]

    def is_own_comparator(self, comparator: Token, quantity: Token) -> bool:
        """Return whether no other word of comparison stands nearer to a quantity."""
        own = self.apart(comparator, quantity)
        return not any(
            t is not comparator
            and t not in self.used
            and set(self.meant(t)) & (op.COMPARATORS - {op.EQUAL})
            and self.apart(t, quantity) < own
            for t in self.tokens
        )

    def near_quantity(self, token: Token, taken: set[Token]) -> bool:
        """Return whether a quantity that is still free stands by a word."""
        return any(
            t not in taken
            and t not in self.bound_quantities
            and self.gap(t, token) <= 3
            and not any(c[0] == "precision" for c in a.conditions)
            for t, a in self.asked_tokens
        )
