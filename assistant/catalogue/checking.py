"""What entries have or lack, and who says so."""

from __future__ import annotations

from assistant.answer import Table
from assistant.catalogue.finding import Finding
from assistant.catalogue.question import CatalogueQuestion
from assistant.catalogue.results import Result, Said
from assistant.catalogue.telling import MOST_SPOKEN
from assistant.catalogue.things import LACKS


class Checking(Finding):
    """What entries have or lack, and who says so."""

    def _support(self, question: CatalogueQuestion, language: str, said: Said) -> Result:
        entries = self._subject_entries(question)
        properties = [p for c in question.checked for p in (c.facet, LACKS.get(c.facet)) if p]
        query = self._writer.facts(entries, properties)
        held = self._facts(entries, properties)
        sentences, rows, known = [], [], False
        for entry in entries:
            for condition in question.checked:
                for value in sorted(condition.values):
                    wide = {value, *self._v.narrower.get(value, frozenset())}
                    has = wide & set(held.get((entry, condition.facet), ()))
                    lacking = LACKS.get(condition.facet)
                    not_has = lacking is not None and value in held.get((entry, lacking), ())
                    key = (
                        "supports" if has else "does-not-support" if not_has else "support-unknown"
                    )
                    known = known or bool(has) or not_has
                    what = self.name(value, language)
                    if has and has != {value}:
                        what = self._join([self.name(v, language) for v in sorted(has)], language)
                    marks = (
                        self._marks_text(said.marks(self._entry_sources(entry)), language)
                        if has or not_has
                        else ""
                    )
                    sentences.append(
                        self._say(
                            key, language, entry=self.name(entry, language), what=what, marks=marks
                        )
                    )
                    rows.append(
                        [
                            self.name(entry, language),
                            self.name(value, language),
                            self._say(
                                "cell-yes" if has else "cell-no" if not_has else "cell-unknown",
                                language,
                            ),
                        ]
                    )
        table = (
            Table(
                [
                    self._say("column-entry", language),
                    self._say("column-feature", language),
                    self._say("column-answer", language),
                ],
                rows,
            )
            if len(rows) > 1
            else None
        )
        return Result(
            "answer" if known else "unknown",
            self._sentences(sentences[:MOST_SPOKEN], language),
            table,
            query,
            tuple(entries),
        )

    def _provenance(self, question: CatalogueQuestion, language: str, said: Said) -> Result:
        entries = self._subject_entries(question)
        query = self._writer.details(entries, question.asked)
        figures = [f for f in self._figures(query) if self._is_asked(f, question.asked, question)]
        if not figures:
            return self._nothing(question, entries, language, said)
        disputed = {(f.entry, f.quantity) for f in figures if f.alternative}
        sentences = []
        shown = [f for f in figures if (f.entry, f.quantity) in disputed]
        if question.operation == "agreement":
            key = (
                "sources-differ"
                if disputed
                else ("sources-agree" if all(len(f.sources) > 1 for f in figures) else "one-source")
            )
            names = self._join([self.name(e, language) for e in entries[:4]], language)
            quantities = self._join(
                list(dict.fromkeys(self.quantity_name(f, language) for f in (shown or figures)))[
                    :6
                ],
                language,
            )
            sentences.append(self._say(key, language, entries=names, quantities=quantities))
            if shown or len(figures) <= MOST_SPOKEN:
                sentences.append(self._each(entries, (shown or figures)[:16], language, said))
        else:
            sources = list(dict.fromkeys(s for f in figures for s in f.sources))
            named = [
                self.name(s, language) + self._marks_text(said.marks([s]), language)
                for s in sources
            ]
            sentences.append(
                self._say(
                    "come-from",
                    language,
                    entries=self._join([self.name(e, language) for e in entries[:4]], language),
                    sources=self._join(named, language),
                )
            )
            if question.asked and len(figures) <= MOST_SPOKEN:
                sentences.append(self._each(entries, figures, language, said))
        table = self._provenance_table(figures, language, said)
        return Result("answer", self._sentences(sentences, language), table, query, tuple(entries))
