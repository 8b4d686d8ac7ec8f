"""Differences, ratios and quotients of figures."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from rdflib import URIRef

from assistant.answer import Table
from assistant.catalogue.question import CatalogueQuestion
from assistant.catalogue.results import Figure, Result, Said, spelt
from assistant.catalogue.telling import MOST_SPOKEN, Telling

MOST_PAIRS = 4


class Arithmetic(Telling):
    """Differences, ratios and quotients of figures."""

    def _arithmetic(
        self,
        question: CatalogueQuestion,
        entries: Sequence[URIRef],
        figures: Sequence[Figure],
        language: str,
        said: Said,
    ) -> Result | None:
        """Return by how much or how many times one entry's figure exceeds another's."""
        if question.operation == "quotient":
            return self._quotient(question, entries, figures, language, said)
        first, second = (sorted(self._v.members(s)) for s in question.subjects[:2])
        asked = [self._writer.settled(a, self._classes(entries)) for a in question.asked]
        sentences: list[str] = []
        rows: list[list[Any]] = []
        for a in asked:
            for one in first:
                for other in second:
                    pair = [self._figure_of(e, a, figures) for e in (one, other)]
                    if pair[0] is None or pair[1] is None or one == other:
                        continue
                    f, g = pair[0], pair[1]
                    x, y = self._standard(f), self._standard(g)
                    unit = self._v.units[self._v.quantities[a.quantity].unit]
                    if f.price is not None and f.unit != g.unit:
                        continue
                    fields = {
                        "first": self.name(one, language),
                        "second": self.name(other, language),
                        "quantity": self.quantity_name(f, language),
                        "x": self.value(f, language) + self._marked(f, said, language),
                        "y": self.value(g, language) + self._marked(g, said, language),
                    }
                    if question.operation == "ratio":
                        number = x / y
                        spoken = spelt(
                            Decimal(f"{number:.3g}" if number < 1000 else f"{number:.0f}")
                        )
                        sentences.append(self._say("ratio", language, number=spoken, **fields))
                        rows.append([fields["first"], fields["second"], round(number, 4)])
                    else:
                        gap = x - y
                        number_text = spelt(Decimal(repr(round(abs(gap), 6))))
                        symbol = self._symbol(f.unit if f.price else unit.node)
                        key = "more" if gap > 0 else "less" if gap < 0 else "no-difference"
                        sentences.append(
                            self._say(
                                f"difference-{key}",
                                language,
                                number=f"{number_text}{symbol}",
                                **fields,
                            )
                        )
                        rows.append([fields["first"], fields["second"], round(gap, 6)])
        if not sentences:
            return None
        if len(sentences) > MOST_PAIRS:
            low, high = min(rows, key=lambda r: r[2]), max(rows, key=lambda r: r[2])
            symbol = "" if question.operation == "ratio" else self._symbol(unit.node)
            sentences = [
                self._say(
                    f"{question.operation}-range",
                    language,
                    quantity=self.asked_name(asked[0], language),
                    low=f"{spelt(Decimal(f'{low[2]:.4g}'))}{symbol}",
                    high=f"{spelt(Decimal(f'{high[2]:.4g}'))}{symbol}",
                    lowest=f"{low[0]} / {low[1]}",
                    highest=f"{high[0]} / {high[1]}",
                    marks=self._marks_text(list(said.numbers.values())[:4], language),
                ),
                self._say("see-table", language),
            ]
        title = "column-ratio" if question.operation == "ratio" else "column-difference"
        table = Table(
            [
                self._say("column-first", language),
                self._say("column-second", language),
                self._say(title, language),
            ],
            rows,
        )
        shown = sentences[:MOST_SPOKEN]
        gaps = self._gaps(question, entries, figures, language)
        return Result(
            "answer",
            self._sentences([*shown, *gaps], language),
            table if len(rows) > 1 else Table(table.columns, rows),
        )

    def _quotient(
        self,
        question: CatalogueQuestion,
        entries: Sequence[URIRef],
        figures: Sequence[Figure],
        language: str,
        said: Said,
    ) -> Result | None:
        """Return one quantity of an entry over another: TFLOPS per watt."""
        upper, lower = (self._writer.settled(a, self._classes(entries)) for a in question.asked[:2])
        rows: list[list[Any]] = []
        sentences = []
        for entry in entries:
            pair = [self._figure_of(entry, a, figures) for a in (upper, lower)]
            if pair[0] is None or pair[1] is None:
                continue
            f, g = pair[0], pair[1]
            number = float(f.value / g.value)
            unit = f"{self._symbol(f.unit).strip() or '1'}/{self._symbol(g.unit).strip() or '1'}"
            sentences.append(
                self._say(
                    "quotient",
                    language,
                    entry=self.name(entry, language),
                    upper=self.quantity_name(f, language),
                    lower=self.quantity_name(g, language),
                    number=f"{spelt(Decimal(f'{number:.4g}'))} {unit}",
                    x=self.value(f, language) + self._marked(f, said, language),
                    y=self.value(g, language) + self._marked(g, said, language),
                )
            )
            rows.append([self.name(entry, language), round(number, 4)])
        if not rows:
            return None
        title = self._say("column-quotient", language, unit=unit)
        table = Table([self._say("column-entry", language), title], rows)
        return Result("answer", self._sentences(sentences[:MOST_SPOKEN], language), table)
