"""Amounts as limits: each with its comparator and its quantity."""

from __future__ import annotations

from dataclasses import replace

from rdflib import URIRef

from assistant.catalogue import operators as op
from assistant.catalogue.measures import Measures
from assistant.catalogue.question import (
    Asked,
    Bound,
    Comparator,
)
from assistant.catalogue.reading import Amount
from assistant.catalogue.things import (
    ACCELERATOR,
    COUNTED,
    DATA,
    MEMORY,
)
from assistant.catalogue.vocabulary import Token

COMPARATOR: dict[URIRef, Comparator] = {
    op.AT_LEAST: ">=",
    op.AT_MOST: "<=",
    op.MORE: ">",
    op.LESS: "<",
    op.EQUAL: "=",
}
FLIPPED: dict[Comparator, Comparator] = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}


CURRENCIES = "unit-usd", "unit-cny", "unit-eur"


class Limits(Measures):
    """Amounts as limits: each with its comparator and its quantity."""

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
        """Return whether two amounts are alternatives."""
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
                        if self.inside(x, amount, token)
                        and x.nodes("quantity", "narrowed", "condition")
                    )
                    gap = max(0, gap)
                reach = 2 if after else self.near + 4
                if means == op.BETWEEN:
                    reach = 14
                elif means in (op.MORE, op.LESS) and after and len(token.text) == 1:
                    continue  # 比…高 is before; 80G 大 is no bound
                if gap > reach or any(
                    a is not amount and self.inside(a, token, amount) for a in self.amounts
                ):
                    continue
                if (
                    best is None
                    or gap < best[0]
                    or (gap == best[0] and len(token.text) > len(best[1].text))
                ):
                    best = gap, token, means, quantity
        return (best[1], best[2], best[3]) if best else (None, None, None)

    def bound_for(self, amount: Amount) -> Bound | None:
        """Return the limit that an amount sets, or None if it sets none."""
        token, means, own = self.comparator_of(amount)
        counted = self.counted_after(amount)
        at: Token | None
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
        """Return whether the word before a comparison denies it."""
        return any(0 <= token.start - t.end <= 1 for t in self.operator_tokens(op.NOT))

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
                x.end - x.start + 1
                for x in self.tokens
                if self.inside(x, amount, t) and set(self.meant(x)) & op.COMPARATORS
            )
            if 0 <= t.start - amount.end <= 2 + inner:
                return t
        for t in words:
            between = [
                x
                for x in self.tokens
                if self.inside(x, t, amount)
                and not set(self.meant(x)) & (op.COMPARATORS | {op.FILLER})
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
            readings = [a for a in self.readings(token) if self.fits(a.quantity, kinds, amount)]
            asked = self.resolved(readings, self.targets)
            if asked is None or not self._v.count_given(asked.quantity, self.targets):
                continue
            with_own = [
                a for t, a in self.asked_tokens if t is token and a.quantity == asked.quantity
            ]
            distance = self.gap(token, amount)
            if token.start >= amount.end:
                distance += 3
            fitting.append((distance, token, with_own[0] if with_own else asked))
        if fitting:
            _, token, asked = min(fitting, key=lambda f: f[0])
            if not asked.conditions:
                # "BF16 throughput": what the bare word lacks stands beside it.
                fuller = [(t, a) for t, a in self.asked_tokens if a.quantity == asked.quantity]
                if fuller:
                    return min(fuller, key=lambda f: self.gap(f[0], amount))
            return token, asked
        usual = [
            Asked(q)
            for q in self._v.quantities
            if self.fits(q, kinds, amount) and self._v.count_given(q, self.targets)
        ]
        if own is not None:
            readings = [Asked(q) for q in self._v.covers.get(own, (own,))]
            kept = [
                a
                for a in readings
                if self.fits(a.quantity, kinds, amount)
                and self._v.count_given(a.quantity, self.targets)
            ]
            usual = kept or usual
        asked = self.resolved_amount(usual, amount)
        if asked is None:
            return None
        same = [(t, a) for t, a in self.asked_tokens if a.quantity == asked.quantity]
        return same[0] if same else (None, asked)

    def resolved_amount(self, usual: list[Asked], amount: Amount) -> Asked | None:
        """Return the quantity that an amount of some unit most likely limits."""
        if not usual:
            return None
        first = self._v.units[amount.units[0]].kind
        exact = [
            a for a in usual if self._v.units[self._v.quantities[a.quantity].unit].kind == first
        ]
        same = [a for a in exact if self._v.quantities[a.quantity].unit in amount.units[:1]]
        exact = same or exact
        if self.has_memory_first(exact):
            exact = [a for a in exact if a.quantity == MEMORY] or exact
        return self.resolved(exact or usual, self.targets)

    def has_memory_first(self, exact: list[Asked]) -> bool:
        """Return whether an amount of bytes means the memory of an accelerator."""
        return bool(self.targets & self._v.within(ACCELERATOR)) and bool(exact)

    def fits(self, quantity: URIRef, kinds: set[URIRef], amount: Amount) -> bool:
        """Return whether a quantity is measured in units of some kinds."""
        kind = self._v.units[self._v.quantities[quantity].unit].kind
        if kind in kinds:
            return True
        return self.is_price(quantity) and any(
            str(u).split("/")[-1].startswith(CURRENCIES) for u in amount.units
        )

    def in_standard(
        self, amount: Amount, asked: Asked
    ) -> tuple[float, float, URIRef | None] | None:
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
