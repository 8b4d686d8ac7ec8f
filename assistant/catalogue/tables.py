"""Tables of entries and their figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rdflib import URIRef

from assistant.answer import Table
from assistant.catalogue.naming import Naming
from assistant.catalogue.querying import Selection
from assistant.catalogue.question import Asked, CatalogueQuestion
from assistant.catalogue.results import Figure, Said, plain
from kg import Row


class Tables(Naming):
    """Tables of entries and their figures."""

    def _table(
        self,
        entries: Sequence[URIRef],
        figures: Sequence[Figure],
        facts: Mapping[tuple[URIRef, URIRef], tuple[URIRef, ...]],
        language: str,
        said: Said,
    ) -> Table | None:
        """Return figures with entries down and quantities across; sources in the last column."""
        groups: dict[Any, list[Figure]] = {}
        for f in figures:
            if f.price is None:
                groups.setdefault((f.asked, f.unit), []).append(f)
        facets = [
            x for x in dict.fromkeys(p for _, p in facts) if any((e, x) in facts for e in entries)
        ]
        prices = [f for f in figures if f.price is not None]
        if len(entries) == 1:
            return self._one_entry_table(entries[0], figures, facts, facets, language, said)
        if not groups and not facets:
            return self._price_table(prices, language, said) if prices else None
        columns = [self._say("column-entry", language)]
        columns += [self.facet_name(x, language) for x in facets]
        columns += [
            self._column_title(Asked(key[0][0], key[0][1]), key[1], language) for key in groups
        ]
        columns.append(self._say("column-source", language))
        rows = []
        for entry in entries:
            line: list[Any] = [self.name(entry, language)]
            marks: list[int] = []
            for x in facets:
                line.append(
                    self._join(
                        [self.name(v, language) for v in facts.get((entry, x), ())], language
                    )
                )
            for group in groups.values():
                own = [f for f in group if f.entry == entry]
                best = [f for f in own if not f.alternative] or own
                for f in own:
                    marks += said.marks(f.sources, f.node)
                if not best:
                    line.append(None)
                elif len(own) == 1 and best[0].low is None:
                    line.append(plain(float(best[0].value)))
                else:
                    line.append(" / ".join(self._bare(f) for f in own))
            if facets and not marks:
                marks += said.marks(self._entry_sources(entry))
            line.append("".join(f"[{m}]" for m in dict.fromkeys(marks)))
            rows.append(line)
        return Table(columns, rows)

    def _one_entry_table(
        self,
        entry: URIRef,
        figures: Sequence[Figure],
        facts: Mapping[tuple[URIRef, URIRef], tuple[URIRef, ...]],
        facets: Sequence[URIRef],
        language: str,
        said: Said,
    ) -> Table | None:
        if len(figures) + len(facets) < 2:
            return None
        rows: list[list[Any]] = []
        for x in facets:
            marks = said.marks(self._entry_sources(entry))
            rows.append(
                [
                    self.facet_name(x, language),
                    self._join([self.name(v, language) for v in facts[entry, x]], language),
                    "".join(f"[{m}]" for m in marks),
                ]
            )
        for f in figures:
            marks = said.marks(f.sources, f.node)
            value = self.value(f, language)
            if f.alternative:
                value = self._say("alternative", language, value=value)
            rows.append([self.quantity_name(f, language), value, "".join(f"[{m}]" for m in marks)])
        titles = ("quantity", "value", "source")
        return Table([self._say(f"column-{t}", language) for t in titles], rows)

    def _price_table(self, prices: Sequence[Figure], language: str, said: Said) -> Table:
        titles = ("entry", "quantity", "value", "source")
        return Table(
            [self._say(f"column-{t}", language) for t in titles],
            [
                [
                    self.name(f.entry, language),
                    self.name(f.quantity, language),
                    self.value(f, language),
                    "".join(f"[{m}]" for m in said.marks(f.sources, f.node)),
                ]
                for f in prices
            ],
        )

    def _provenance_table(self, figures: Sequence[Figure], language: str, said: Said) -> Table:
        titles = ["entry", "quantity", "value", "standing", "source"]
        return Table(
            [self._say(f"column-{t}", language) for t in titles],
            [
                [
                    self.name(f.entry, language),
                    self.quantity_name(f, language),
                    self.value(f, language),
                    self._say(
                        "standing-alternative" if f.alternative else "standing-preferred", language
                    ),
                    self._marks_text(said.marks(f.sources, f.node), language).strip(),
                ]
                for f in figures
            ],
        )

    def _selection_table(
        self,
        rows: Sequence[Row],
        selection: Selection,
        details: Mapping[URIRef, Figure],
        language: str,
        said: Said,
        question: CatalogueQuestion,
    ) -> Table:
        columns = [self._say("column-entry", language)]
        for asked in selection.columns:
            unit = asked.unit or self._v.quantities[asked.quantity].unit
            mixed = asked.unit is None and asked.quantity in self._writer.prices
            title = self.asked_name(asked, language)
            columns.append(title if mixed else self._column_title(asked, unit, language))
        priced = any(details and f.price for f in details.values())
        if priced:
            columns.append(self._say("column-terms", language))
        columns.append(self._say("column-source", language))
        cells = []
        seen: set[tuple[str, ...]] = set()
        for row in rows:
            figures = [
                details.get(URIRef(str(row.get(f"figure{i}", ""))))
                for i in range(len(selection.columns))
            ]
            key = (
                str(row["entry"]),
                *(str(row.get(f"figure{i}")) for i in range(len(selection.columns))),
            )
            if key in seen:
                continue
            seen.add(key)
            entry = URIRef(str(row["entry"]))
            line: list[Any] = [self.name(entry, language)]
            marks: list[int] = []
            terms = ""
            for i, f in enumerate(figures):
                asked = selection.columns[i]
                if f is not None and asked.unit is None and f.price is not None:
                    line.append(f"{self._bare(f)}{self._symbol(f.unit)}")
                else:
                    line.append(plain(float(row[f"value{i}"])) if f"value{i}" in row else None)
                if f is not None:
                    marks += said.marks(f.sources, f.node)
                    if f.price:
                        terms = self._terms(f, language)
            if not any(figures):
                marks += said.marks(self._entry_sources(entry))
            if priced:
                line.append(terms)
            line.append("".join(f"[{m}]" for m in dict.fromkeys(marks)))
            cells.append(line)
        return Table(columns, cells)
