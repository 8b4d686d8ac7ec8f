"""What a question is about: the entries, classes and properties it names."""

from __future__ import annotations

from rdflib import URIRef

from assistant.catalogue import operators as op
from assistant.catalogue.mentions import Mentions
from assistant.catalogue.things import (
    ACCELERATOR,
    CLOUD,
    CONTENT,
    COUNTED,
    PROVIDER,
    SERVER,
)
from assistant.catalogue.vocabulary import Token


class Subjects(Mentions):
    """What a question is about: the entries, classes and properties it names."""

    def find_subjects(self) -> list[Token]:
        """Return the words that name entries or lines; TPU names a class and is one."""
        found = [
            t
            for t in self.of_kind("entry", "line")
            if not t.nodes("class") and not self.is_value(t)
        ]
        if len(found) > 1 or self.of_kind("class", "value"):
            # PCIe or NVLink beside a device, a class or a property is no subject of its own.
            others = [t for t in self.of_kind("class", "value") if t not in found]
            named = {c for t in others for c in t.nodes("class")}
            proper = [
                t for t in found if not self.is_wide(t) or named & self._v.class_of(self.node_of(t))
            ]
            if proper or others:
                return proper
            quantities = {
                a.quantity
                for t in self.of_kind("quantity", "narrowed", "wide")
                for a in self.readings(t)
            }
            fitting = [
                t
                for t in found
                if any(
                    self._v.count_given(q, self._v.class_of(self.node_of(t))) for q in quantities
                )
            ]
            return fitting or found
        return found

    def is_value(self, token: Token) -> bool:
        """Return whether a word that names a line rather names a property: Ampere, Intel."""
        return bool(token.nodes("value")) and not self.is_wide(token) and not token.nodes("entry")

    def find_classes(self) -> list[Token]:
        """Return the words that name classes; one that only describes another does not."""
        words = [t for t in self.of_kind("class") if t not in self.subject_tokens]
        plain = [
            t
            for t in words
            if not self.is_quantity_word(t)
            and not self.is_descriptor(t, words)
            and not (t.nodes("facet") and len(words) > 1)
        ]
        if plain or self.subject_tokens or self.has(*op.SUPERLATIVES):
            return plain
        return words if self.has(op.LIST) else []

    def is_quantity_word(self, token: Token) -> bool:
        """Return whether a word may mean a quantity other than a count of accelerators."""
        return bool(set(token.nodes("quantity", "narrowed", "wide")) - {COUNTED})

    def is_descriptor(self, token: Token, words: list[Token]) -> bool:
        """Return whether a class's name stands before another and only describes it.

        A server CPU is a CPU; a workstation card is a card of that segment.
        """
        follows = [
            t
            for t in words
            if t is not token and t.start >= token.end and not self.rest_between(token, t, op.OWN)
        ]
        return bool(follows) and (bool(token.nodes("value")) or SERVER in token.nodes("class"))

    def facet_of(self, value: URIRef) -> list[URIRef]:
        """Return the properties that can have a value."""
        return [f for f, values in sorted(self._v.facets.items()) if value in values]

    def find_facets(self) -> None:
        """Collect values of properties: vendor, architecture, kind of memory, provider."""
        self.values: list[tuple[Token, URIRef, URIRef, bool]] = []
        for token in self.of_kind("value"):
            if token in self.subject_tokens:
                continue
            found = [(f, v) for v in token.nodes("value") for f in self.facet_of(v)]
            if found:
                facet, value = min(found, key=lambda x: self.unlikely(x[0]))
                self.values.append((token, facet, value, self.is_negated(token)))

    def unlikely(self, facet: URIRef) -> int:
        """Return 1 for a property that what is named cannot have: AWS makes chips and rents."""
        named = {c for t in self.classes for c in t.nodes("class")}
        hourly = any(
            self.is_hourly(a.quantity)
            for t in self.tokens
            for a in self.readings(t)
            if t.nodes("quantity")
        )
        if not named or hourly:
            return 0 if facet == PROVIDER else 1
        classes = self._v.facet_classes.get(facet, frozenset())
        wide = {d for c in named for d in self._v.within(c)}
        return 0 if classes & wide else 1

    def is_negated(self, token: Token) -> bool:
        """Return whether a thing is named to be left out."""
        before = [
            t
            for t in self.operator_tokens(op.NOT)
            if t.end <= token.start
            and (self.gap(t, token) <= self.near or self.is_bare_between(t, token))
        ]
        after = [t for t in self.operator_tokens(op.NOT_AFTER) if 0 <= t.start - token.end <= 3]
        for t in before + after:
            inside = [
                x
                for x in self.tokens
                if min(t.end, token.end) <= x.start
                and x.end <= max(token.start, t.start)
                and x.nodes("entry", "line", "quantity", "narrowed", "value")
            ]
            if not inside or all(self.listed_with(x, token) for x in inside):
                return True
        return False

    def is_bare_between(self, one: Token, other: Token) -> bool:
        """Return whether only names of properties and words without content stand between."""
        facets = [t.text for t in self.tokens if self.inside(t, one, other) and t.nodes("facet")]
        rest = self.rest_between(one, other, op.FILLER, op.SUPPORT)
        return rest == "".join("".join(facets).split())

    def listed_with(self, one: Token, other: Token) -> bool:
        """Return whether two properties stand in one list: neither NVIDIA nor AMD."""
        return bool(one.nodes("value")) and not self.rest_between(one, other, op.LISTING, op.OR)

    def find_negated_subjects(self) -> None:
        """Set aside the entries that are named to be left out."""
        self.excluded: list[URIRef] = []
        self.excluded_tokens: list[Token] = []
        for token in list(self.subject_tokens):
            if self.is_negated(token) and len(self.subject_tokens) >= 1:
                self.excluded.append(self.node_of(token))
                self.excluded_tokens.append(token)
                self.subject_tokens.remove(token)

    def find_contained(self) -> list[Token]:
        """Return entries that are named as what a machine contains: "AWS instances with A100".

        They are if a class or property is named whose entries contain things of theirs.
        """
        machines = self.machine_classes()
        if not machines:
            return []
        return [
            t
            for t in self.subject_tokens
            if not (self._v.class_of(self.node_of(t)) & machines)
            and self._v.facet_classes.get(CONTENT, frozenset()) & machines
            and any(
                self.node_of(t) in self.content_values()
                or self._v.members(self.node_of(t)) & self.content_values()
                for _ in (0,)
            )
        ]

    def content_values(self) -> frozenset[URIRef]:
        """Return what machines of the catalogue contain."""
        return self._v.facets.get(CONTENT, frozenset())

    def machine_classes(self) -> frozenset[URIRef]:
        """Return the classes of machines that the question names, in words or by what they have."""
        named = {c for t in self.classes for c in t.nodes("class") if c in (CLOUD, SERVER)}
        holders = self._v.facet_classes.get(CONTENT, frozenset())
        for _, facet, _, _ in self.values:
            classes = self._v.facet_classes.get(facet, frozenset())
            if classes and classes <= holders:
                named |= classes
        for token in self.of_kind("facet"):
            for facet in token.nodes("facet"):
                classes = self._v.facet_classes.get(facet, frozenset())
                if classes and classes <= {CLOUD}:
                    named |= classes  # which cloud
        for token in self.of_kind("condition"):
            for kind in token.nodes("condition"):
                if self._v.priced.get(kind) == frozenset({CLOUD}):
                    named.add(CLOUD)  # on demand
        for token in self.of_kind("quantity", "narrowed", "wide"):
            readings = {a.quantity for a in self.readings(token)}
            given = {c for (c, q) in self._v.given if q in readings}
            if given and given <= {CLOUD}:
                named.add(CLOUD)
        for amount in self.amounts:
            kinds = {str(u) for u in amount.units}
            if kinds and all(k.endswith("-per-hour") for k in kinds):
                named.add(CLOUD)
        return frozenset(named)

    def find_targets(self) -> frozenset[URIRef]:
        """Return the classes of what is asked about, named or implied."""
        machines = self.machine_classes()
        subjects = [t for t in self.subject_tokens if t not in self.contained]
        if subjects and not self.contained:
            return frozenset(c for t in subjects for c in self._v.class_of(self.node_of(t)))
        if machines:
            return machines
        telling = [t for t in self.classes if op.FILLER not in self.meant(t)] or self.classes
        named = {c for t in telling for c in t.nodes("class")}
        exact = {c for t in telling if len(t.nodes("class")) == 1 for c in t.nodes("class")}
        if exact and any(d != c and d in self._v.within(c) for c in named for d in exact):
            named = exact  # AMD GPUs … which cards: the narrower word was meant
        without = {
            d
            for t in self.classes
            if self.is_negated(t)
            for c in t.nodes("class")
            for d in self._v.within(c)
        }
        named = {c for c in named if c not in without}
        if named:
            widest = {
                c
                for c in named
                if not any(c != d and d in self._v.supers.get(c, ()) for d in named)
            }
            found: set[URIRef] = set()
            for c in widest:
                found |= self._v.within(c)
            return self.possible(frozenset(found - without))
        if self.fallback:
            return self.fallback
        for _, facet, value, _ in self.values:
            classes = self._v.value_classes.get((facet, value)) or self._v.facet_classes.get(facet)
            if classes:
                everything = self._v.within(ACCELERATOR)
                return everything if classes & everything else classes
        quantities = [q for t in self.of_kind("quantity", "narrowed") for q in self.readings(t)]
        for asked in quantities:
            given = frozenset(c for (c, q) in self._v.given if q == asked.quantity)
            everything = self._v.within(ACCELERATOR)
            if given:
                return everything if given & everything else given
        return self._v.within(ACCELERATOR)

    def possible(self, classes: frozenset[URIRef]) -> frozenset[URIRef]:
        """Return the classes; those of a named vendor's products if it makes none of them."""
        for _, facet, value, negated in self.values:
            held = self._v.value_classes.get((facet, value), frozenset())
            if held and not negated and not held & classes and not classes & {CLOUD, SERVER}:
                return held
        return classes
