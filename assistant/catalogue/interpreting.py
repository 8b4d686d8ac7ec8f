"""From the words of a question to what is asked of the catalogue.

No word stands here: operators, quantities, classes and facets are known by their names in
the graph. What a word means where it may mean several things is settled by what the
catalogue holds: "memory" of a card is its own, of a cloud instance its host memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rdflib import URIRef

from assistant.catalogue import operators as op
from assistant.catalogue.question import (
    Asked,
    Bound,
    CatalogueQuestion,
    Comparator,
    FacetCondition,
    Missing,
    Operation,
)
from assistant.catalogue.reading import Amount, Words
from assistant.catalogue.vocabulary import TW, Token, Vocabulary
from assistant.normalisation import has_han

DATA = "https://w3id.org/trainwright/data/"
ACCELERATOR = URIRef(TW + "Accelerator")
CLOUD = URIRef(TW + "CloudInstance")
SERVER = URIRef(TW + "Server")
CPU = URIRef(TW + "CPU")
CONTENT = URIRef(TW + "accelerator")
PROVIDER = URIRef(TW + "provider")
LACKS = {
    URIRef(TW + "supportsPrecision"): URIRef(TW + "lacksPrecision"),
    URIRef(TW + "interconnect"): URIRef(TW + "lacksInterconnect"),
}
COUNTED = URIRef(DATA + "accelerator-count")
RELEASE = URIRef(DATA + "release-year")
PRICE = URIRef(DATA + "price")
PER_ACCELERATOR = URIRef(DATA + "accelerator-hourly-price")
CURRENCIES = "unit-usd", "unit-cny", "unit-eur"
# How far, in characters, an operator stands from the amount or name it goes with.
NEAR = {"zh": 4, "en": 8}
# How far a quantity may stand from the amount that bounds it.
MOST_LIMIT = 60
MOST_RARE = 14
# From so many words of content on that nothing here knows, and so many for each known one,
# a question is about something else.
FEWEST_UNKNOWN = 3
UNKNOWN_SHARE = 0.75
MEMORY_OF_MACHINE = URIRef(DATA + "memory-capacity")
# In a question these carry content; a text of fewer characters is no clause.
_WORD = re.compile(r"[a-z][a-z'./-]*\d*[a-z0-9-]*|\d[\d.,]*[a-z%]*|[㐀-䶿一-鿿]+")

# What stands between two things of one list.
LISTING = {"", "和", "与", "、", ",", "and", "及", "跟", "/", "or", "或", "&", "nor"}

_DESIGNATOR = re.compile(r"(?=[a-z]*\d)[a-z]{0,6}\d{2,5}[a-z]{0,4}")

COMPARATOR: dict[URIRef, Comparator] = {
    op.AT_LEAST: ">=",
    op.AT_MOST: "<=",
    op.MORE: ">",
    op.LESS: "<",
    op.EQUAL: "=",
}
FLIPPED: dict[Comparator, Comparator] = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}


class Interpreter:
    """Understands questions to the catalogue."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._v = vocabulary

    def interpret(
        self, words: Words, classes: frozenset[URIRef] = frozenset()
    ) -> CatalogueQuestion | Missing:
        """Return what a question asks, or why that is not clear.

        Args:
            words: The question taken apart.
            classes: What it is about if it does not say so itself.
        """
        return _Interpretation(self._v, words, classes).result()


class _Interpretation:
    """One question on its way to being understood."""

    def __init__(
        self, vocabulary: Vocabulary, words: Words, classes: frozenset[URIRef] = frozenset()
    ) -> None:
        self._v = vocabulary
        self.words = words
        self.fallback = classes
        self.text = words.text
        self.near = NEAR[words.language]
        self.used: set[Token] = set()
        self.tokens = self.split_counts(words.tokens)
        self.amounts = list(words.amounts)
        self.spent: set[Amount] = set()

    def split_counts(self, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        """Read "how many GPUs" as a count of entries where no machine is spoken of."""
        machines = {CLOUD, SERVER}
        for t in tokens:
            classes = set() if t.nodes("value") else set(t.nodes("class"))
            for node in t.nodes("entry", "line"):
                classes |= self._v.class_of(node)
            for value in t.nodes("value"):
                for facet, values in self._v.facets.items():
                    if value in values and self._v.facet_classes[facet] <= machines:
                        classes |= machines
            if classes & machines:
                return tokens
        found: list[Token] = []
        for t in tokens:
            if COUNTED in t.nodes("quantity") and not t.nodes("class"):
                found += self._v.parts_of(t.start, t.text) or [t]
            else:
                found.append(t)
        return tuple(found)

    # --- small things -------------------------------------------------------------------

    def meant(self, token: Token) -> dict[URIRef, URIRef | None]:
        """Return the plain operations a token may stand for, with their quantity if any."""
        return {
            self._v.operators[node][0]: self._v.operators[node][1]
            for node in token.nodes("operator")
        }

    def operator_tokens(self, *wanted: URIRef) -> list[Token]:
        return [t for t in self.tokens if t not in self.used and set(wanted) & set(self.meant(t))]

    def has(self, *wanted: URIRef) -> bool:
        return any(set(wanted) & set(self.meant(t)) for t in self.tokens)

    def of_kind(self, *kinds: str) -> list[Token]:
        return [t for t in self.tokens if t not in self.used and t.nodes(*kinds)]

    def between(self, one: Token | Amount, other: Token | Amount) -> str:
        first, second = sorted((one, other), key=lambda x: x.start)
        return self.text[first.end : second.start]

    def gap(self, one: Token | Amount, other: Token | Amount) -> int:
        return max(0, max(one.start - other.end, other.start - one.end))

    # --- the whole ----------------------------------------------------------------------

    def result(self) -> CatalogueQuestion | Missing:
        self.subject_tokens = self.find_subjects()
        self.provider_targets()
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

    def find_subjects(self) -> list[Token]:
        """Return the words that name entries or lines; TPU names a class and is one."""
        found = [
            t for t in self.of_kind("entry", "line") if not t.nodes("class") and not self.is_value(t)
        ]
        if len(found) > 1 or self.of_kind("class", "value"):
            # PCIe or NVLink beside a device, a class or a property is no subject of its own.
            others = [t for t in self.of_kind("class", "value") if t not in found]
            proper = [t for t in found if not self.is_wide(t)]
            if proper or others:
                return proper
            quantities = {
                a.quantity for t in self.of_kind("quantity", "narrowed", "wide") for a in self.readings(t)
            }
            fitting = [
                t for t in found
                if any(self._v.count_given(q, self._v.class_of(self.node_of(t))) for q in quantities)
            ]
            return fitting or found
        return found

    def is_value(self, token: Token) -> bool:
        """Return whether a word that names a line rather names a property: Ampere, Intel."""
        return bool(token.nodes("value")) and not self.is_wide(token) and not token.nodes("entry")

    def is_wide(self, token: Token) -> bool:
        """Return whether a word names what entries are kinds of, not a product line."""
        return not token.nodes("entry") and all(n in self._v.wide_lines for n in token.nodes("line"))

    def provider_targets(self) -> None:
        self.hard: frozenset[URIRef] = frozenset()

    def find_classes(self) -> list[Token]:
        words = [t for t in self.of_kind("class") if t not in self.subject_tokens]
        plain = [
            t for t in words
            if not self.is_quantity_word(t) and not self.is_descriptor(t, words)
        ]
        if plain or self.subject_tokens or self.has(*op.SUPERLATIVES):
            return plain
        return words if self.has(op.LIST) else []

    def is_quantity_word(self, token: Token) -> bool:
        return bool(set(token.nodes("quantity", "narrowed", "wide")) - {COUNTED})

    def is_descriptor(self, token: Token, words: list[Token]) -> bool:
        """Return whether a class's name stands before another and only describes it.

        A server CPU is a CPU; a workstation card is a card of that segment.
        """
        follows = [
            t for t in words
            if t is not token and t.start >= token.end and not self.between(token, t).strip(" -的级")
        ]
        return bool(follows) and (bool(token.nodes("value")) or SERVER in token.nodes("class"))

    def node_of(self, token: Token) -> URIRef:
        """Return the entry or line a token names; of both the line, if it is sold as one."""
        lines = token.nodes("line")
        entries = token.nodes("entry")
        if entries and all(n in self._v.wide_lines and n not in entries for n in lines):
            return entries[0]
        return (lines or entries)[0]

    # --- facets -------------------------------------------------------------------------

    def facet_of(self, value: URIRef) -> list[URIRef]:
        return [f for f, values in sorted(self._v.facets.items()) if value in values]

    def find_facets(self) -> None:
        """Collect values of properties: vendor, architecture, kind of memory, provider …"""
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
            self.is_hourly(a.quantity) for t in self.tokens for a in self.readings(t)
            if t.nodes("quantity")
        )
        if not named or hourly:
            return 0 if facet == PROVIDER else 1
        classes = self._v.facet_classes.get(facet, frozenset())
        wide = {d for c in named for d in self._v.within(c)}
        return 0 if classes & wide else 1

    def is_negated(self, token: Token) -> bool:
        before = [
            t
            for t in self.operator_tokens(op.NOT)
            if t.end <= token.start and self.gap(t, token) <= self.near
        ]
        after = [
            t
            for t in self.operator_tokens(op.NOT)
            if has_han(t.text) and t.text.endswith("外") and 0 <= t.start - token.end <= 3
        ]
        for t in before + after:
            inside = [
                x for x in self.tokens
                if min(t.end, token.end) <= x.start and x.end <= max(token.start, t.start)
                and x.nodes("entry", "line", "quantity", "narrowed", "value")
            ]
            if not inside or all(self.listed_with(x, token) for x in inside):
                return True
        return False

    def listed_with(self, one: Token, other: Token) -> bool:
        words = self.between(one, other).strip()
        return bool(one.nodes("value")) and words in LISTING

    def find_negated_subjects(self) -> None:
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
            and any(self.node_of(t) in self.content_values() or
                    self._v.members(self.node_of(t)) & self.content_values() for _ in (0,))
        ]

    def content_values(self) -> frozenset[URIRef]:
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

    def subject_is(self, wanted: URIRef) -> bool:
        return any(wanted in self._v.class_of(self.node_of(t)) for t in self.subject_tokens)

    # --- what the question is about -----------------------------------------------------

    def find_targets(self) -> frozenset[URIRef]:
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
            d for t in self.classes if self.is_negated(t) for c in t.nodes("class") for d in self._v.within(c)
        }
        named = {c for c in named if c not in without}
        if named:
            widest = {c for c in named if not any(c != d and d in self._v.supers.get(c, ()) for d in named)}
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

    def readings(self, token: Token) -> list[Asked]:
        """Return the quantities that a token may mean, with the conditions in its name."""
        found = [Asked(q) for q in token.nodes("quantity")]
        for node in token.nodes("narrowed"):
            quantity, conditions = self._v.narrowed[node]
            found.append(Asked(quantity, conditions))
        if not found:
            for node in token.nodes("wide"):
                found += [Asked(q) for q in self._v.covers[node]]
        for conditioned in token.nodes("condition"):
            name = self._v.condition_of[conditioned]
            if name == "precision" and not found:
                for node, quantity in sorted(self._v.quantities.items()):
                    if name in quantity.conditioned_by:
                        found.append(Asked(node, frozenset({(name, conditioned)})))
        return found

    def resolved(self, readings: Sequence[Asked], classes: frozenset[URIRef]) -> Asked | None:
        """Return the reading of which the classes have most figures."""
        if not readings:
            return None
        def weight(asked: Asked) -> tuple[int, int, int, str]:
            given = self._v.count_given(asked.quantity, classes)
            machine = bool(classes & {CLOUD, SERVER}) and asked.quantity == MEMORY_OF_MACHINE
            per = asked.quantity == PER_ACCELERATOR and self.wants_per_accelerator()
            return (int(given > 0), int(machine or per), given, str(asked.quantity))
        best = max(readings, key=weight)
        return best

    def wants_per_accelerator(self) -> bool:
        return bool(self.contained) or (
            self.has(*op.SUPERLATIVES) and any(c in self._v.within(ACCELERATOR) for t in self.classes for c in t.nodes("class"))
        )

    # --- quantities ---------------------------------------------------------------------

    def find_quantities(self) -> list[tuple[Token, Asked]]:
        """Return the quantities named, each with the conditions that stand with it."""
        found: list[tuple[Token, Asked]] = []
        supports = self.support_tokens()
        for token in self.of_kind("quantity", "narrowed", "wide", "condition"):
            if token in self.subject_tokens or token in supports:
                continue
            if token.nodes("class") and not token.nodes("narrowed") and self.is_class_word(token):
                continue
            if COUNTED in token.nodes("quantity") and token.nodes("class") and not self.is_counted(token):
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
        return not any(
            self._v.count_given(q, self.targets) for q in token.nodes("quantity", "wide")
        )

    def machine_counts(self) -> bool:
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
                    or name in ("priceKind", "region") and self.is_price(a.quantity)
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

    def is_hourly(self, quantity: URIRef) -> bool:
        return {c for (c, q) in self._v.given if q == quantity} == {CLOUD}

    def is_price(self, quantity: URIRef) -> bool:
        return quantity in self._v.covers.get(PRICE, ())

    def support_tokens(self) -> list[Token]:
        """Return words for formats or links that are asked about as features."""
        features = [
            t for t, f, v, n in self.values
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
            verb = [v for v in verbs if v.end <= t.start and self.gap(v, t) <= 12 or 0 <= t.end <= v.start and self.gap(v, t) <= 3]
            if verb and not quantity_near and not self.has(*op.SUPERLATIVES, op.RATIO, op.DIFFERENCE, op.COMPARE) and not self.comparators_near(t):
                found.append(t)
        if len(found) and len(found) < len([t for t in features if t.nodes("condition")]):
            found = [t for t in features]
        return found

    def comparators_near(self, token: Token) -> bool:
        def reaches(other: Token | Amount, most: int) -> bool:
            """Whether something stands near the word with no quantity of its own between."""
            between = [
                t for t in self.tokens
                if self.inside(t, token, other) and t.nodes("quantity", "narrowed", "wide", "class")
            ]
            return self.gap(other, token) <= most and not between

        compared = any(
            set(self.meant(t)) & op.COMPARATORS and t.start >= token.end and reaches(t, 6)
            for t in self.tokens
        )
        return compared or any(reaches(a, 12) for a in self.amounts if a.units)

    # --- amounts ------------------------------------------------------------------------

    def bind_amounts(self) -> None:
        """Turn amounts into bounds: each with its comparator and its quantity."""
        self.bounds: list[tuple[Bound, ...]] = []
        self.bound_quantities: set[Token] = set()
        made: list[tuple[Amount, Bound]] = []
        self.limit: int | None = None
        for amount in self.amounts:
            bound = self.bound_for(amount)
            if bound is not None:
                made.append((amount, bound))
                self.spent.add(amount)
        groups: list[list[tuple[Amount, Bound]]] = []
        for amount, bound in made:
            if groups and self.joined_by_or(groups[-1][-1][0], amount):
                groups[-1].append((amount, bound))
            else:
                groups.append([(amount, bound)])
        self.bounds += [tuple(b for _, b in group) for group in groups]

    def joined_by_or(self, one: Amount, other: Amount) -> bool:
        return any(
            op.OR in self.meant(t) and one.end <= t.start and t.end <= other.start
            for t in self.tokens
        )

    def comparator_of(self, amount: Amount) -> tuple[Token | None, URIRef | None, URIRef | None]:
        """Return the operator that goes with an amount, what it means, and its quantity."""
        best: tuple[int, Token, URIRef, URIRef | None] | None = None
        for token in self.tokens:
            if token in self.used:
                continue
            for means, quantity in self.meant(token).items():
                if means not in op.COMPARATORS and means != op.BETWEEN:
                    continue
                plain = not amount.units or self.text[token.end : token.end + 1] == "的"
                if set(self.meant(token)) & op.SUPERLATIVES and plain:
                    continue  # 最多的四款 picks four; 最多 700 W bounds
                nearer = [a for a in self.amounts if self.gap(a, token) < self.gap(amount, token)]
                if nearer and means != op.BETWEEN:
                    continue
                after = token.start >= amount.end
                gap = self.gap(token, amount)
                if after:
                    gap -= sum(
                        x.end - x.start + 1
                        for x in self.tokens
                        if self.inside(x, amount, token) and x.nodes("quantity", "narrowed", "condition")
                    )
                    gap = max(0, gap)
                reach = 2 if after else self.near + 4
                if means == op.BETWEEN:
                    reach = 14
                elif means in (op.MORE, op.LESS) and after and len(token.text) == 1:
                    continue  # 比…高 is before; 80G 大 is no bound
                if gap > reach or any(a is not amount and self.inside(a, token, amount) for a in self.amounts):
                    continue
                if best is None or gap < best[0] or (gap == best[0] and len(token.text) > len(best[1].text)):
                    best = gap, token, means, quantity
        return (best[1], best[2], best[3]) if best else (None, None, None)

    def inside(self, what: Token | Amount, one: Token | Amount, other: Token | Amount) -> bool:
        first, second = sorted((one, other), key=lambda x: x.start)
        return first.end <= what.start and what.end <= second.start

    def bound_for(self, amount: Amount) -> Bound | None:
        token, means, own = self.comparator_of(amount)
        counted = self.counted_after(amount)
        if not amount.units:
            if counted is not None and self.machine_counts():
                asked, at = Asked(COUNTED), counted
            else:
                near = self.unitless_quantity(amount, means)
                if near is None:
                    return None
                at, asked = near
        else:
            chosen = self.quantity_for(amount, own)
            if chosen is None:
                return None
            at, asked = chosen
        if token is not None:
            self.used.add(token)
        if at is not None:
            self.bound_quantities.add(at)
        standard = self.in_standard(amount, asked)
        if standard is None:
            return None
        low, high, unit = standard
        asked = replace(asked, unit=unit) if self.is_price(asked.quantity) else asked
        comparator: Comparator = "=" if means is None else COMPARATOR.get(means, "=")
        if means == op.BETTER:
            better = self._v.quantities[asked.quantity].better
            comparator = "<=" if better == "Lower" else ">="
        if low != high:
            comparator = "between"
        if token is not None and self.negated_bound(token):
            comparator = FLIPPED.get(comparator, comparator)
        return Bound(asked, comparator, low, high, negated=False)

    def negated_bound(self, token: Token) -> bool:
        return any(
            0 <= token.start - t.end <= 1 for t in self.operator_tokens(op.NOT)
        )

    def counted_after(self, amount: Amount) -> Token | None:
        """Return the word for accelerators right after a number: 8 cards."""
        words = [
            t
            for t in self.tokens
            if COUNTED in t.nodes("quantity")
            or any(c in self._v.within(ACCELERATOR) for c in t.nodes("class"))
            or t in self.contained
        ]
        for t in words:
            inner = sum(
                x.end - x.start + 1 for x in self.tokens
                if self.inside(x, amount, t) and set(self.meant(x)) & op.COMPARATORS
            )
            if 0 <= t.start - amount.end <= 2 + inner:
                return t
        for t in words:
            between = [
                x for x in self.tokens
                if self.inside(x, t, amount) and not set(self.meant(x)) & (op.COMPARATORS | {op.FILLER})
            ]
            if 0 <= amount.start - t.end <= 6 and not between:
                return t
        return None

    def unitless_quantity(self, amount: Amount, means: URIRef | None) -> tuple[Token, Asked] | None:
        """Return a quantity counted in pieces that stands by a bare number."""
        best: tuple[int, Token, Asked] | None = None
        if means is None and self.has(op.TOP, *op.SUPERLATIVES):
            return None  # the number says how many are wanted
        for token, asked in self.asked_tokens:
            unit = self._v.units[self._v.quantities[asked.quantity].unit]
            if unit.symbol != "1" and means is None:
                continue
            gap = self.gap(token, amount)
            reach = 3 if means is None else 10
            if gap <= reach and (best is None or gap < best[0]):
                best = gap, token, asked
        return (best[1], best[2]) if best else None

    def quantity_for(self, amount: Amount, own: URIRef | None) -> tuple[Token | None, Asked] | None:
        """Return the quantity that an amount bounds: the nearest of its kind, or the usual one."""
        kinds = {self._v.units[u].kind for u in amount.units}
        fitting: list[tuple[int, Token, Asked]] = []
        for token in self.tokens:
            if token in self.subject_tokens or token in self.bound_quantities:
                continue
            readings = [
                a for a in self.readings(token) if self.fits(a.quantity, kinds, amount)
            ]
            asked = self.resolved(readings, self.targets)
            if asked is None or not self._v.count_given(asked.quantity, self.targets):
                continue
            with_own = [a for t, a in self.asked_tokens if t is token and a.quantity == asked.quantity]
            distance = self.gap(token, amount)
            if token.start >= amount.end:
                distance += 3
            fitting.append((distance, token, with_own[0] if with_own else asked))
        if fitting:
            _, token, asked = min(fitting, key=lambda f: f[0])
            return token, asked
        usual = [
            Asked(q) for q in self._v.quantities
            if self.fits(q, kinds, amount) and self._v.count_given(q, self.targets)
        ]
        if own is not None:
            readings = [Asked(q) for q in self._v.covers.get(own, (own,))]
            kept = [a for a in readings if self.fits(a.quantity, kinds, amount) and self._v.count_given(a.quantity, self.targets)]
            usual = kept or usual
        asked = self.resolved_amount(usual, amount)
        if asked is None:
            return None
        same = [(t, a) for t, a in self.asked_tokens if a.quantity == asked.quantity]
        return same[0] if same else (None, asked)

    def resolved_amount(self, usual: list[Asked], amount: Amount) -> Asked | None:
        if not usual:
            return None
        first = self._v.units[amount.units[0]].kind
        exact = [a for a in usual if self._v.units[self._v.quantities[a.quantity].unit].kind == first]
        same = [a for a in exact if self._v.quantities[a.quantity].unit in amount.units[:1]]
        exact = same or exact
        if self.has_memory_first(exact):
            exact = [a for a in exact if a.quantity == URIRef(DATA + "accelerator-memory")] or exact
        return self.resolved(exact or usual, self.targets)

    def has_memory_first(self, exact: list[Asked]) -> bool:
        return bool(self.targets & self._v.within(ACCELERATOR)) and bool(exact)

    def fits(self, quantity: URIRef, kinds: set[URIRef], amount: Amount) -> bool:
        kind = self._v.units[self._v.quantities[quantity].unit].kind
        if kind in kinds:
            return True
        return self.is_price(quantity) and any(
            str(u).split("/")[-1].startswith(CURRENCIES) for u in amount.units
        )

    def in_standard(self, amount: Amount, asked: Asked) -> tuple[float, float, URIRef | None] | None:
        """Return an amount in the standard unit of a quantity, and for prices its own unit."""
        standard = self._v.units[self._v.quantities[asked.quantity].unit]
        for unit in amount.units:
            if self._v.units[unit].kind == standard.kind:
                factor = self._v.units[unit].factor / standard.factor
                return amount.low * factor, amount.high * factor, unit
        if self.is_price(asked.quantity) and amount.units:
            currency = str(amount.units[0]).split("/")[-1].split("-per-")[0]
            suffix = str(standard.node).split("/")[-1].removeprefix("unit-usd")
            unit = URIRef(DATA + currency + suffix)
            return amount.low, amount.high, unit if unit in self._v.units else standard.node
        return (amount.low, amount.high, None) if not amount.units else None

    # --- comparison with another entry --------------------------------------------------

    def bind_references(self) -> None:
        """Turn "more memory than an H100" into a bound, if others than it are sought."""
        self.reference_tokens: list[Token] = []
        subjects = [t for t in self.subject_tokens if t not in self.contained]
        if not subjects and self.has(op.SAME_THING, op.THAN):
            subjects = self.excluded_tokens
        if not subjects or len({self.node_of(t) for t in subjects}) != 1:
            return
        if self.has(op.DIFFERENCE, op.RATIO):
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
                if any(self._v.count_given(b.asked.quantity, frozenset(found)) for g in self.bounds for b in g):
                    self.targets = frozenset(found)
            elif self.targets & self._v.within(ACCELERATOR):
                self.targets = self._v.within(ACCELERATOR)

    def is_flipped(self, comparator: Token) -> bool:
        """Return whether a comparison is denied: not above it, without a higher, 不比它高."""
        if any(
            0 <= comparator.start - t.end <= 3 for t in self.operator_tokens(op.NOT, op.LACK)
        ):
            return True
        for t in self.operator_tokens(op.THAN):
            if t.text.startswith("不") and t.end <= comparator.start:
                inner = self.text[t.end : comparator.start]
                for x in self.tokens:
                    if self.inside(x, t, comparator):
                        inner = inner.replace(x.text, "")
                if len(inner.strip()) <= 1:
                    return True
        return False

    def seeks_others(self, subjects: list[Token]) -> bool:
        if self.classes or self.values or (self.has(op.LIST) and self.has(op.THAN)):
            return True
        return bool(self.operator_tokens(op.SAME_THING))

    def compared_quantities(
        self, token: Token, own: URIRef | None, taken: set[Token], subjects: list[Token]
    ) -> list[tuple[Token | None, Asked]]:
        general = own == URIRef(DATA + "peak-throughput") or own in self._v.covers
        if own is not None and not (general and self.near_quantity(token, taken)):
            readings = [Asked(q) for q in self._v.covers.get(own, (own,))]
            asked = self.resolved(readings, self.targets)
            near = [a for t, a in self.asked_tokens if a.quantity == own and t not in self.bound_quantities]
            return [(None, near[0] if near else asked)] if asked else []
        candidates = [
            (t, a) for t, a in self.asked_tokens if t not in taken and t not in self.bound_quantities
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
            if self.listed(c[0], nearest[0])
        ]
        return [nearest, *joined]

    def apart(self, one: Token, other: Token) -> int:
        """Return how many characters stand between two words that are neither the thing
        compared with nor words without content; a comma counts for many."""
        first, second = sorted((one, other), key=lambda t: t.start)
        inner = [
            t
            for t in self.tokens
            if first.end <= t.start and t.end <= second.start
            and (t in self.subject_tokens or set(self.meant(t)) & {op.FILLER, op.THAN, op.SAME_THING})
        ]
        words = self.text[first.end : second.start]
        commas = len(re.findall(r"[,，;；。]|\band\b|且|并|但|又", words))
        return max(0, second.start - first.end - sum(t.end - t.start for t in inner)) + 8 * commas

    def listed(self, one: Token, other: Token) -> bool:
        """Return whether two quantities stand in one list: memory and bandwidth."""
        words = self.between(one, other)
        for t in self.tokens:
            quantity = t.nodes("quantity", "narrowed", "wide")
            if self.inside(t, one, other) and (quantity or op.SAME_THING in self.meant(t)):
                words = words.replace(t.text, " ")
        words = re.sub(r"\b(?:its|the|both|their|in|on)\b|都|其|均", " ", words)
        return "".join(words.split()) in LISTING

    def near_quantity(self, token: Token, taken: set[Token]) -> bool:
        return any(
            t not in taken and t not in self.bound_quantities and self.gap(t, token) <= 3
            and not any(c[0] == "precision" for c in a.conditions)
            for t, a in self.asked_tokens
        )

    # --- order --------------------------------------------------------------------------

    def order_by(self) -> None:
        """Settle by which quantity entries are ordered, which end comes first, how many."""
        self.order: Asked | None = None
        self.direction = "highest"
        self.superlative: Token | None = None
        free = [(t, a) for t, a in self.asked_tokens if t not in self.bound_quantities]
        picks = [
            (t, m, q)
            for t in self.tokens
            if t not in self.used
            for m, q in self.meant(t).items()
            if m in op.SUPERLATIVES
        ]
        if not picks and self.fallback and not self.amounts and not self.subject_tokens:
            ends = {op.MORE: op.HIGHEST, op.LESS: op.LOWEST, op.BETTER: op.BEST}
            picks = [
                (t, ends[m], q)
                for t in self.tokens
                if t not in self.used
                for m, q in self.meant(t).items()
                if m in ends and (q is not None or self.asked_tokens)
            ][:1]
        tops = self.operator_tokens(op.TOP)
        number = self.wanted_number(tops, picks)
        if self.reference_tokens:
            picks, tops = [], []
        if picks:
            token, means, own = picks[0]
            self.superlative = token
            at, asked = self.ordering_quantity(token, own, free)
            self.order = asked
            if at is not None:
                self.bound_quantities.add(at)
            self.direction = self.end_of(means, asked)
            self.limit = number
        elif tops and number is not None:
            at, asked = self.ordering_quantity(tops[0], None, free)
            if asked is not None:
                self.superlative = tops[0]
                self.order, self.limit = asked, number
                self.direction = self.end_of(op.BEST if self.is_price(asked.quantity) else op.HIGHEST, asked)
                if at is not None:
                    self.bound_quantities.add(at)

    def ordering_quantity(
        self, token: Token, own: URIRef | None, free: list[tuple[Token, Asked]]
    ) -> tuple[Token | None, Asked | None]:
        if own is not None:
            covered = self._v.covers.get(own, (own,))
            same = [(t, a) for t, a in free if a.quantity in covered or (a.conditions and a.quantity == own)]
            if same:
                return same[0]
            if free and own == URIRef(DATA + "peak-throughput"):
                near = min(free, key=lambda f: self.gap(f[0], token))
                if self.gap(near[0], token) <= 12 or not self._v.count_given(own, self.targets):
                    return near
            return None, self.resolved([Asked(q) for q in covered], self.targets)
        if not free:
            return None, None
        return min(free, key=lambda f: (self.gap(f[0], token) + (2 if (f[0].start < token.start) != has_han(token.text) else 0)))

    def end_of(self, means: URIRef, asked: Asked | None) -> str:
        if means in (op.BEST, op.WORST) and asked is not None:
            lower = self._v.quantities[asked.quantity].better == "Lower"
            return "lowest" if lower == (means == op.BEST) else "highest"
        return "lowest" if means == op.LOWEST else "highest"

    def wanted_number(
        self, tops: list[Token], picks: list[tuple[Token, URIRef, URIRef | None]]
    ) -> int | None:
        """Return how many entries are wanted, where a bare number says so."""
        for amount in self.amounts:
            if amount in self.spent or amount.low != amount.high or not amount.low.is_integer():
                continue
            if amount.units and not all(self._v.units[u].symbol in ("CNY",) or amount.text[-1:] in "块张款台" for u in amount.units):
                continue
            if not 1 <= amount.low <= MOST_LIMIT:
                continue
            if tops or picks:
                self.spent.add(amount)
                return int(amount.low)
        return None

    # --- putting together ---------------------------------------------------------------

    def assembled(self) -> CatalogueQuestion | Missing:
        facets, checked = self.facet_conditions()
        free = tuple(
            a for t, a in self.asked_tokens if t not in self.bound_quantities
        )
        subjects = tuple(
            dict.fromkeys(self.node_of(t) for t in self.subject_tokens if t not in self.contained)
        )
        facets_asked = self.asked_facets(subjects, free, checked)
        operation = self.operation(subjects, free, checked)
        among: frozenset[URIRef] = frozenset()
        if len(subjects) == 1 and self.has(op.COMPARE) and self.bounds:
            wider = self.wider_line(subjects[0])
            if wider is not None:  # the A100 with 40 GB against that with 80 GB
                subjects, operation, self.bounds = (wider,), "compare", []
        if self.sought_among(subjects, operation):
            among = frozenset(e for s in subjects for e in self._v.members(s))
            subjects, facets_asked, facets, checked = (), (), (*facets, *self.as_conditions(checked)), ()
            operation = self.operation((), free, ())
        if subjects and not free and not checked and (unit := self.wanted_unit()) is not None:
            kind = self._v.units[unit].kind
            free = tuple(
                Asked(q)
                for q, held in sorted(self._v.quantities.items())
                if self._v.units[held.unit].kind == kind
                and self._v.count_given(q, self.targets)
            )
        if subjects and not among and self.order is not None:
            free = (*free, self.order)
        if subjects and not among:
            free = (*free, *(b.asked for group in self.bounds for b in group))
            free = tuple(a for a in free if a.quantity in self._v.quantities)
            if len(subjects) == 1 and not self.is_bound_kept():
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
            self.unique(free),
            facets_asked,
            tuple(sorted(self.bounds, key=_written)),
            tuple(sorted(facets, key=_written)),
            excluded,
            self.order,
            "lowest" if self.direction == "lowest" else "highest",
            self.limit,
            among=among,
            checked=checked,
            everything=self.has(op.ALL),
            unit=self.wanted_unit() if subjects else None,
            left_over=self.left_over(),
        )
        return self.complaint(question) or question

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
        before = [
            t for t in self.tokens if op.RATIO in self.meant(t) and t.end <= first.start
        ]
        return any(
            re.fullmatch(r"(?:\s*of)?(?:\s*(?:the|a|an))?\s*", self.text[t.end : first.start])
            and (t.text.endswith(" of") or " of" in self.text[t.end : first.start])
            for t in before
        )

    def is_bound_kept(self) -> bool:
        return False

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
        if self.superlative is not None and self.order is not None and (several or len(subjects) > 2):
            return True
        if not several or operation == "compare" or self.has(op.COMPARE):
            return False
        listing = self.has(op.COUNT, op.LIST) and not self.asked_tokens
        # "Is it 40 or 80 GB?" asks which; it does not pick.
        picking = any(b.comparator != "=" for group in self.bounds for b in group)
        return bool(self.bounds) and (picking or self.has(op.COUNT, op.LIST)) or listing

    def as_conditions(self, checked: tuple[FacetCondition, ...]) -> tuple[FacetCondition, ...]:
        return checked

    def unique(self, asked: Iterable[Asked]) -> tuple[Asked, ...]:
        return tuple(dict.fromkeys(asked))

    def narrowed_classes(self, subjects: tuple[URIRef, ...]) -> frozenset[URIRef]:
        return self.targets if not subjects else frozenset()

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
            if kinds and not any(ACCELERATOR == c for c in kinds):
                result.append(FacetCondition(CONTENT, frozenset(kinds[:1])))
        return tuple(result), tuple(checked)

    def of_content(self, token: Token) -> tuple[URIRef, URIRef] | None:
        """Return a property of what a machine contains: systems with AMD GPUs."""
        if not self.targets & {CLOUD, SERVER}:
            return None
        inside = [
            t for t in self.classes
            if t.start >= token.end and not self.between(token, t).strip(" -的自家")
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
        return {f for f, classes in self._v.facet_classes.items() if classes & self.targets}

    def restricts(self, subjects: list[Token], condition: FacetCondition) -> bool:
        """Return whether a property picks some variants of a line: the PCIe one of the H100."""
        return condition.facet in (URIRef(TW + "formFactor"),)

    def lacks(self, token: Token) -> bool:
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

    def operation(
        self,
        subjects: tuple[URIRef, ...],
        free: tuple[Asked, ...],
        checked: tuple[FacetCondition, ...],
    ) -> Operation:
        if subjects and self.has(op.AGREEMENT):
            return "agreement"
        if subjects and self.has(op.SOURCES):
            return "sources"
        if len(subjects) == 2 and free and self.has(op.RATIO) and not self.has(op.DIFFERENCE):
            return "ratio"
        if len(subjects) == 2 and free and self.has(op.DIFFERENCE):
            return "difference"
        if len(subjects) == 2 and free and self.counted_subject() is not None:
            return "ratio"
        comparing = any(
            m in op.COMPARATORS and m != op.EQUAL
            for t in self.tokens if t not in self.used for m in self.meant(t)
        )
        if len(subjects) == 2 and free and comparing and self.has(op.COUNT, op.AMOUNT):
            return "difference"
        if len(subjects) == 1 and len(set(free)) == 2 and self.has(op.RATIO):
            return "ratio"
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

    def left_over(self) -> tuple[str, ...]:
        """Return the words that mean nothing here."""
        covered = bytearray(len(self.text))
        for part in (*self.tokens, *self.words.amounts):
            covered[part.start : part.end] = b"\1" * (part.end - part.start)
        rest = "".join(c if not covered[i] else " " for i, c in enumerate(self.text))
        return tuple(w for w in _WORD.findall(rest) if w not in self._v.unit_names)

    def complaint(self, question: CatalogueQuestion) -> Missing | None:
        """Return what a question lacks, or names that nothing here knows."""
        unknown = self.unknown_names()
        if unknown and not question.subjects:
            return Missing("unknown-name", unknown)
        plain = bool(question.subjects and question.asked) or question.operation in (
            "sources", "agreement", "superlative"
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
            question.subjects or question.among or question.bounds or question.facets
            or self.classes or self.superlative is not None or question.excluded
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
        if self.has(op.RATIO, op.DIFFERENCE, op.COMPARE) and len(question.subjects) == 1:
            if self.operator_tokens(op.SAME_THING) or (self.has(op.RATIO) and question.operation == "look-up" and self.has(op.THAN)):
                return Missing("needs-second")
        if self.superlative is not None and question.order is None and not question.subjects:
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
            bool(t.nodes("entry", "line", "class", "value", "quantity", "narrowed", "wide", "condition"))
            or bool(set(self.meant(t)) - {op.FILLER, op.LIST, op.SUPPORT, op.CONTINUATION})
            for t in self.tokens
        ) + len(self.amounts)
        return weight >= patience * max(FEWEST_UNKNOWN, UNKNOWN_SHARE * known)

    def unknown_names(self) -> tuple[str, ...]:
        """Return words shaped like product numbers that no name covers: 5080, k100."""
        numbers = [
            a for a in self.amounts
            if a not in self.spent and not a.units and a.low == a.high
            and (a.low >= 1000 or self.follows_word(a)) and a.low >= 100
        ]
        words = [w for w in self.left_over() if _DESIGNATOR.fullmatch(w)]
        return tuple([*(a.text for a in numbers), *words])

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
