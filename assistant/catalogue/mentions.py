"""The words of a question and how they stand to each other."""

from __future__ import annotations

import re

from rdflib import URIRef

from assistant.catalogue import operators as op
from assistant.catalogue.question import (
    Asked,
    Bound,
    CatalogueQuestion,
    Direction,
)
from assistant.catalogue.reading import Amount, Words
from assistant.catalogue.things import (
    CLOUD,
    COUNTED,
    PRICE,
    SERVER,
)
from assistant.catalogue.vocabulary import Token, Vocabulary

# How far, in characters, an operator stands from the amount or name it goes with.
NEAR = {"zh": 4, "en": 8}
_PUNCTUATION = re.compile(r"[\s,，、/&;；-]+")
_STOP = re.compile(r"[,，;；。]")


class Mentions:
    """The words of a question and how they stand to each other."""

    def __init__(
        self, vocabulary: Vocabulary, words: Words, before: CatalogueQuestion | None = None
    ) -> None:
        self._v = vocabulary
        self.words = words
        self.before = before
        self.fallback: frozenset[URIRef] = frozenset()
        if before is not None:
            self.fallback = before.classes or frozenset(
                c for s in before.subjects for c in vocabulary.class_of(s)
            )
        self.text = words.text
        self.near = NEAR[words.language]
        self.used: set[Token] = set()
        self.tokens = self.split_counts(words.tokens)
        self.amounts = list(words.amounts)
        self.spent: set[Amount] = set()
        # Filled in as the question is taken up: what it is about ...
        self.subject_tokens: list[Token] = []
        self.classes: list[Token] = []
        self.values: list[tuple[Token, URIRef, URIRef, bool]] = []
        self.excluded: list[URIRef] = []
        self.excluded_tokens: list[Token] = []
        self.contained: list[Token] = []
        self.targets: frozenset[URIRef] = frozenset()
        # ... what is asked of it, under which limits ...
        self.asked_tokens: list[tuple[Token, Asked]] = []
        self.bounds: list[tuple[Bound, ...]] = []
        self.bound_quantities: set[Token] = set()
        self.reference_tokens: list[Token] = []
        # ... and in which order.
        self.order: Asked | None = None
        self.direction: Direction = "highest"
        self.superlative: Token | None = None
        self.limit: int | None = None

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

    def meant(self, token: Token) -> dict[URIRef, URIRef | None]:
        """Return the plain operations a token may stand for, with their quantity if any."""
        return {
            self._v.operators[node][0]: self._v.operators[node][1]
            for node in token.nodes("operator")
        }

    def operator_tokens(self, *wanted: URIRef) -> list[Token]:
        """Return the words not yet used that stand for some operations."""
        return [t for t in self.tokens if t not in self.used and set(wanted) & set(self.meant(t))]

    def has(self, *wanted: URIRef) -> bool:
        """Return whether any word stands for one of some operations."""
        return any(set(wanted) & set(self.meant(t)) for t in self.tokens)

    def of_kind(self, *kinds: str) -> list[Token]:
        """Return the words not yet used that may mean something of some kinds."""
        return [t for t in self.tokens if t not in self.used and t.nodes(*kinds)]

    def between(self, one: Token | Amount, other: Token | Amount) -> str:
        """Return the text between two words."""
        first, second = sorted((one, other), key=lambda x: x.start)
        return self.text[first.end : second.start]

    def gap(self, one: Token | Amount, other: Token | Amount) -> int:
        """Return how many characters stand between two words."""
        return max(0, max(one.start - other.end, other.start - one.end))

    def inside(self, what: Token | Amount, one: Token | Amount, other: Token | Amount) -> bool:
        """Return whether a word stands between two others."""
        first, second = sorted((one, other), key=lambda x: x.start)
        return first.end <= what.start and what.end <= second.start

    def rest_between(self, one: Token | Amount, other: Token | Amount, *without: URIRef) -> str:
        """Return what stands between two words: neither punctuation nor some operators."""
        first, second = sorted((one, other), key=lambda t: t.start)
        kept = [
            self.text[i]
            for i in range(first.end, second.start)
            if not any(
                t.start <= i < t.end and set(self.meant(t)) & set(without)
                for t in self.tokens
                if self.inside(t, first, second)
            )
        ]
        return _PUNCTUATION.sub("", "".join(kept))

    def apart(self, one: Token, other: Token) -> int:
        """Return how many characters stand between two words, of those that count.

        The thing compared with and words without content do not; a comma counts for many.
        """
        first, second = sorted((one, other), key=lambda t: t.start)
        inside = [t for t in self.tokens if self.inside(t, first, second)]
        light = {op.FILLER, op.THAN, op.NOT_THAN, op.SAME_THING}
        skipped = [t for t in inside if t in self.subject_tokens or set(self.meant(t)) & light]
        stops = len(_STOP.findall(self.between(first, second)))
        stops += sum(op.CLAUSE in self.meant(t) for t in inside)
        return max(0, second.start - first.end - sum(t.end - t.start for t in skipped)) + 8 * stops

    def listed(self, one: Token, other: Token) -> bool:
        """Return whether two quantities stand in one list: memory and bandwidth."""
        measured = [
            t
            for t in self.tokens
            if self.inside(t, one, other) and t.nodes("quantity", "narrowed", "wide")
        ]
        links = (op.LISTING, op.OR, op.SAME_THING, op.FILLER)
        rest = self.rest_between(one, other, *links)
        return rest == "" or rest == "".join(t.text for t in measured)

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
                for node, held in sorted(self._v.quantities.items()):
                    if name in held.conditioned_by:
                        found.append(Asked(node, frozenset({(name, conditioned)})))
        return found

    def is_hourly(self, quantity: URIRef) -> bool:
        """Return whether a quantity is only given for rented machines."""
        return {c for (c, q) in self._v.given if q == quantity} == {CLOUD}

    def is_price(self, quantity: URIRef) -> bool:
        """Return whether a quantity is an amount of money."""
        return quantity in self._v.covers.get(PRICE, ())

    def node_of(self, token: Token) -> URIRef:
        """Return the entry or line a token names; of both the line, if it is sold as one."""
        lines = token.nodes("line")
        entries = token.nodes("entry")
        if entries and all(n in self._v.wide_lines and n not in entries for n in lines):
            return entries[0]
        return (lines or entries)[0]

    def is_wide(self, token: Token) -> bool:
        """Return whether a word names what entries are kinds of, not a product line."""
        return not token.nodes("entry") and all(
            n in self._v.wide_lines for n in token.nodes("line")
        )
