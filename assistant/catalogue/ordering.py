"""By which quantity entries are ordered, which end comes first, and how many."""

from __future__ import annotations

from rdflib import URIRef

from assistant.catalogue import operators as op
from assistant.catalogue.question import (
    Asked,
    Direction,
)
from assistant.catalogue.references import References
from assistant.catalogue.things import (
    THROUGHPUT,
)
from assistant.catalogue.vocabulary import Token
from assistant.normalisation import has_han

# More entries than this are not asked for by number.
MOST_LIMIT = 60


class Ordering(References):
    """By which quantity entries are ordered, which end comes first, and how many."""

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
        if self.has(op.SORT) and not picks and free and not (tops and number):
            word = self.operator_tokens(op.SORT)[0]
            named, sorting = min(free, key=lambda f: self.gap(f[0], word))
            self.order = sorting
            self.bound_quantities.add(named)
            end = op.BEST if self.is_price(sorting.quantity) else op.HIGHEST
            self.direction = self.end_of(end, sorting)
            return
        if self.reference_tokens:
            picks, tops = [], []
        if picks:
            token, means, own = picks[0]
            self.superlative = token
            at, asked = self.ordering_quantity(token, own, free)
            if asked is None and self.before is not None:
                asked = self.before.order  # the same for workstation cards
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
                self.direction = self.end_of(
                    op.BEST if self.is_price(asked.quantity) else op.HIGHEST, asked
                )
                if at is not None:
                    self.bound_quantities.add(at)

    def ordering_quantity(
        self, token: Token, own: URIRef | None, free: list[tuple[Token, Asked]]
    ) -> tuple[Token | None, Asked | None]:
        """Return the quantity to order by, with the word for it if there is one."""
        if own is not None:
            covered = self._v.covers.get(own, (own,))
            same = [
                (t, a)
                for t, a in free
                if a.quantity in covered or (a.conditions and a.quantity == own)
            ]
            if same:
                return same[0]
            if free and own == THROUGHPUT:
                near = min(free, key=lambda f: self.gap(f[0], token))
                if self.gap(near[0], token) <= 12 or not self._v.count_given(own, self.targets):
                    return near
            return None, self.resolved([Asked(q) for q in covered], self.targets)
        if not free:
            return None, None
        return min(
            free,
            key=lambda f: (
                self.gap(f[0], token)
                + (2 if (f[0].start < token.start) != has_han(token.text) else 0)
            ),
        )

    def end_of(self, means: URIRef, asked: Asked | None) -> Direction:
        """Return which end of an order a word asks for."""
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
            if amount.units and not all(
                self._v.units[u].symbol in ("CNY",) or amount.text[-1:] in "块张款台"
                for u in amount.units
            ):
                continue
            if not 1 <= amount.low <= MOST_LIMIT:
                continue
            if tops or picks:
                self.spent.add(amount)
                return int(amount.low)
        return None
