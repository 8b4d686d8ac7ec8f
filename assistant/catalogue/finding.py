"""Entries that were sought: picked, ordered, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rdflib import URIRef

from assistant.answer import Kind
from assistant.catalogue.arithmetic import Arithmetic
from assistant.catalogue.querying import MOST_ROWS, Selection
from assistant.catalogue.question import CatalogueQuestion
from assistant.catalogue.results import Figure, Result, Said
from assistant.catalogue.telling import MOST_SPOKEN
from kg import Row


class Finding(Arithmetic):
    """Entries that were sought: picked, ordered, counted."""

    def _selected(self, question: CatalogueQuestion, language: str, said: Said) -> Result:
        selection = self._writer.selection(question)
        rows = self._rows(selection)
        entries, rows = self._ranked(question, selection, rows)
        total = len(dict.fromkeys(str(r["entry"]) for r in rows))
        if len(rows) >= MOST_ROWS:
            total = int(self._graph.select(selection.counting)[0]["count"])
        if not entries:
            return Result("answer", self._say("none-fits", language), None, selection.query)
        details = {f.node: f for f in self._figures_by_node(rows, selection)}
        table = self._selection_table(rows, selection, details, language, said, question)
        spoken = self._spoken_entries(question, entries, rows, selection, details, language, said)
        key = {
            "superlative": "found-best" if total == 1 or question.limit is None else "found-top",
            "count": "found-count",
        }.get(question.operation, "found-list")
        order = ""
        if question.order is not None:
            order = self.asked_name(
                self._writer.settled(question.order, question.classes), language
            )
        text = self._say(
            key,
            language,
            entries=spoken,
            count=total,
            quantity=order,
            end=self._say(f"end-{question.direction}", language),
        )
        more, kind = self._columns_without_figures(question, selection, rows, entries, language)
        if question.operation in ("filter",) and total > MOST_SPOKEN:
            more.append(self._say("see-table", language))
        more += self._assumptions(question, selection, language)
        return Result(
            kind, self._sentences([text, *more], language), table, selection.query, entries
        )

    def _columns_without_figures(
        self,
        question: CatalogueQuestion,
        selection: Selection,
        rows: Sequence[Row],
        entries: Sequence[URIRef],
        language: str,
    ) -> tuple[list[str], Kind]:
        """Return what is said of quantities that no entry found has a figure of."""
        empty = [
            a for i, a in enumerate(selection.columns) if not any(f"figure{i}" in r for r in rows)
        ]
        sentences = [
            self._say(
                "no-figure",
                language,
                entries=self._join([self.name(e, language) for e in entries[:4]], language),
                quantity=self.asked_name(a, language),
            )
            for a in empty
        ]
        nothing = bool(empty) and len(empty) == len(selection.columns)
        return sentences, "unknown" if nothing else "answer"

    def _assumptions(
        self, question: CatalogueQuestion, selection: Selection, language: str
    ) -> list[str]:
        """Return what was assumed where the question left it open."""
        said = []
        if question.order is not None:
            settled = self._writer.settled(question.order, question.classes)
            added = {c for c in settled.conditions if c not in question.order.conditions}
            added = {c for c in added if c[0] in ("precision", "direction", "perUnit")}
            if added:
                names = self._join([self.name(v, language) for _, v in sorted(added)], language)
                said.append(self._say("assumed", language, conditions=names))
        if any(a.unit is not None for a in selection.columns) and self._v.covers:
            units = {a.unit for a in selection.columns if a.unit is not None}
            names = self._join([self._v.units[u].symbol for u in sorted(units)], language)
            said.append(self._say("one-currency", language, units=names))
        return said

    def _ranked(
        self, question: CatalogueQuestion, selection: Selection, rows: list[Row]
    ) -> tuple[tuple[URIRef, ...], list[Row]]:
        """Return the entries and rows that count: for a superlative the first, with its equals."""
        if question.operation == "superlative" and question.order is not None and rows:
            limit = question.limit or 1
            settled = self._writer.settled(question.order, question.classes)
            place = selection.columns.index(settled)
            seen: dict[str, Any] = {}
            for row in rows:
                seen.setdefault(str(row["entry"]), row)
            ordered = list(seen.values())
            if len(ordered) > limit:
                edge = ordered[limit - 1][f"value{place}"]
                ordered = [
                    r for i, r in enumerate(ordered) if i < limit or r[f"value{place}"] == edge
                ]
            rows = ordered
        entries = tuple(dict.fromkeys(URIRef(str(r["entry"])) for r in rows))
        return entries, rows

    def _spoken_entries(
        self,
        question: CatalogueQuestion,
        entries: Sequence[URIRef],
        rows: Sequence[Row],
        selection: Selection,
        details: Mapping[URIRef, Figure],
        language: str,
        said: Said,
    ) -> str:
        spoken = []
        shown = list(entries[:MOST_SPOKEN])
        for entry in shown:
            row = next(r for r in rows if str(r["entry"]) == str(entry))
            values = []
            for i in range(len(selection.columns)):
                f = details.get(URIRef(str(row.get(f"figure{i}", ""))))
                if f is not None:
                    values.append(self.value(f, language) + self._marked(f, said, language))
            name = self.name(entry, language)
            if values:
                name = self._say(
                    "entry-values", language, entry=name, values=self._join(values, language)
                )
            else:
                name += self._marks_text(said.marks(self._entry_sources(entry)), language)
            spoken.append(name)
        text = self._join(spoken, language)
        if len(entries) > MOST_SPOKEN:
            text = self._say("and-more", language, entries=text)
        return text

    def entries_of(self, question: CatalogueQuestion) -> tuple[URIRef, ...]:
        """Return the entries that a question is about or finds, for a follow-up."""
        if question.subjects:
            return tuple(e for s in question.subjects for e in sorted(self._v.members(s)))
        selection = self._writer.selection(question)
        return self._ranked(question, selection, self._rows(selection))[0]
