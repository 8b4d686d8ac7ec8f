"""The quantities that a question names, with their conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rdflib import URIRef

from assistant.catalogue import operators as op
from assistant.catalogue.question import (
    Asked,
)
from assistant.catalogue.reading import Amount
from assistant.catalogue.subjects import Subjects
from assistant.catalogue.things import (
    ACCELERATOR,
    CLOUD,
    COUNTED,
    HOST_MEMORY,
    LACKS,
    PER_ACCELERATOR,
    PRICE,
    SERVER,
)
from assistant.catalogue.vocabulary import Token


class Measures(Subjects):
    """The quantities that a question names, with their conditions."""

    def resolved(self, readings: Sequence[Asked], classes: frozenset[URIRef]) -> Asked | None:
        """Return the reading of which the classes have most figures."""
        if not readings:
            return None

        def weight(asked: Asked) -> tuple[int, int, int, str]:
            given = self._v.count_given(asked.quantity, classes)
            machine = bool(classes & {CLOUD, SERVER}) and asked.quantity == HOST_MEMORY
            per = asked.quantity == PER_ACCELERATOR and self.wants_per_accelerator()
            return (int(given > 0), int(machine or per), given, str(asked.quantity))

        return max(readings, key=weight)

    def wants_per_accelerator(self) -> bool:
        """Return whether a price is meant for one accelerator of a machine."""
        accelerators = self._v.within(ACCELERATOR)
        named = any(c in accelerators for t in self.classes for c in t.nodes("class"))
        return self.has(*op.SUPERLATIVES) and (bool(self.contained) or named)

    def find_quantities(self) -> list[tuple[Token, Asked]]:
        """Return the quantities named, each with the conditions that stand with it."""
        found: list[tuple[Token, Asked]] = []
        supports = self.support_tokens()
        for token in self.of_kind("quantity", "narrowed", "wide", "condition"):
            if token in self.subject_tokens or token in supports:
                continue
            if token.nodes("class") and not token.nodes("narrowed") and self.is_class_word(token):
                continue
            if (
                COUNTED in token.nodes("quantity")
                and token.nodes("class")
                and not self.is_counted(token)
            ):
                continue
            asked = self.resolved(self.readings(token), self.targets)
            if asked is not None:
                found.append((token, asked))
        found = self.without_bare(self.with_conditions(self.without_bare(found)))
        if not self.machine_counts():
            found = [(t, a) for t, a in found if a.quantity != COUNTED]
        return found

    def is_counted(self, token: Token) -> bool:
        """Return whether "how many" or a number stands before a word for accelerators."""
        before = [t for t in self.operator_tokens(op.COUNT) if 0 <= token.start - t.end <= 1]
        return bool(before) or any(0 <= token.start - a.end <= 2 for a in self.amounts)

    def is_class_word(self, token: Token) -> bool:
        """Return whether a word for a class and a quantity means the class here."""
        return not any(
            self._v.count_given(q, self.targets) for q in token.nodes("quantity", "wide")
        )

    def machine_counts(self) -> bool:
        """Return whether what is asked about has numbers of accelerators."""
        return self._v.count_given(COUNTED, self.targets) > 0

    def without_bare(self, found: list[tuple[Token, Asked]]) -> list[tuple[Token, Asked]]:
        """Drop a plain "throughput" beside "BF16": they are one."""
        conditioned = {a.quantity for _, a in found if a.conditions}
        kept = [(t, a) for t, a in found if a.conditions or a.quantity not in conditioned]
        given = [(t, a) for t, a in kept if self._v.count_given(a.quantity, self.targets)]
        return given or kept

    def with_conditions(self, found: list[tuple[Token, Asked]]) -> list[tuple[Token, Asked]]:
        """Add conditions that stand alone (one way, dense, used) to what they can condition."""
        result = list(found)
        for token in self.of_kind("condition"):
            merged: dict[str, list[URIRef]] = {}
            for value in token.nodes("condition"):
                merged.setdefault(self._v.condition_of[value], []).append(value)
            for name, values in sorted(merged.items()):
                value = values[0]
                if name == "precision":
                    continue
                pairs = frozenset((name, v) for v in values)
                fitting = [
                    i
                    for i, (_, a) in enumerate(result)
                    if value in self._v.condition_values(a.quantity, name)
                    or (name in ("priceKind", "region") and self.is_price(a.quantity))
                ]
                if fitting:
                    for i in fitting if len(fitting) == 1 or name != "priceKind" else fitting[:]:
                        t, a = result[i]
                        if name not in {n for n, _ in a.conditions}:
                            result[i] = t, replace(a, conditions=a.conditions | pairs)
                        elif name == "priceKind":
                            result.append((token, replace(a, conditions=pairs)))
                elif name == "priceKind":
                    prices = [Asked(q, pairs) for q in self._v.covers[PRICE]]
                    if (asked := self.resolved(prices, self.targets)) is not None:
                        result.append((token, asked))
        return result

    def support_tokens(self) -> list[Token]:
        """Return words for formats or links that are asked about as features."""
        features = [
            t
            for t, f, v, n in self.values
            if f in LACKS and (t.nodes("condition") or v not in self._v.condition_of)
        ]
        if not (self.has(op.SUPPORT, op.LACK)):
            return [t for t in features if not t.nodes("condition")]
        verbs = self.operator_tokens(op.SUPPORT, op.LACK)
        found = []
        for t in features:
            if not t.nodes("condition"):
                found.append(t)
                continue
            quantity_near = any(
                0 <= x.start - t.end <= 3
                and any(
                    "precision" in self._v.quantities[q].conditioned_by for q in x.nodes("quantity")
                )
                for x in self.tokens
                if x is not t
            )
            verb = [
                v
                for v in verbs
                if (v.end <= t.start and self.gap(v, t) <= 12)
                or (0 <= t.end <= v.start and self.gap(v, t) <= 3)
            ]
            if (
                verb
                and not quantity_near
                and not self.has(
                    *op.SUPERLATIVES, op.RATIO, op.MULTIPLE_OF, op.DIFFERENCE, op.COMPARE
                )
                and not self.comparators_near(t)
            ):
                found.append(t)
        if len(found) and len(found) < len([t for t in features if t.nodes("condition")]):
            found = list(features)
        return found

    def comparators_near(self, token: Token) -> bool:
        """Return whether a number format is compared or limited, not asked for as a feature."""

        def reaches(other: Token | Amount, most: int) -> bool:
            """Whether something stands near the word with no quantity of its own between."""
            between = [
                t
                for t in self.tokens
                if self.inside(t, token, other) and t.nodes("quantity", "narrowed", "wide", "class")
            ]
            return self.gap(other, token) <= most and not between

        compared = any(
            set(self.meant(t)) & op.COMPARATORS and t.start >= token.end and reaches(t, 6)
            for t in self.tokens
        )
        return compared or any(reaches(a, 12) for a in self.amounts if a.units)
