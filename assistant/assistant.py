"""From a question to a cited answer: link, rank, bind, select, answer."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rdflib import URIRef

from assistant.answer import Answer, Citation, Kind, Language, Premise, Step
from assistant.catalogue import Catalogue, CatalogueReading
from assistant.conversation import Reader, Reading
from assistant.encoder import Encoder, encoder_of_environment
from assistant.guide_index import GuideIndex
from assistant.lexicon import Lexicon
from assistant.linking import Linked, Linker
from assistant.messages import Messages
from assistant.normalisation import has_han
from assistant.premises import Contradiction, PremiseChecker
from assistant.provenance import Provenance
from assistant.ranking import OUTSIDE, FusionWeights, Ranked, Ranker, build_index
from assistant.routing import Router
from assistant.scope import Scope
from assistant.selecting import Candidate, Gate, Selector
from assistant.speech import Speech
from assistant.templates import TemplateLibrary
from assistant.wordings import wordings_of
from kg import KnowledgeGraph, SourceText, shorten
from kg.contributions import ContributedGraph

WORDING = Path(__file__).parent / "wording.ttl"
GUIDE_VARIABLE = "TRAINWRIGHT_GUIDE"
MAX_QUESTION = 4_000
N_SUGGESTED = 6
MOST_NEARBY = 2
# Below this share of the ranking's likelihood a statement is not called nearby.
NEARBY_SHARE = 0.05
STANDS_OUT = 0.4

Progress = Callable[[str, float], None]


class Assistant:
    """Answers questions from the graph; the same question gives the same answer."""

    def __init__(
        self,
        graph: KnowledgeGraph,
        encoder: Encoder,
        library: TemplateLibrary,
        weights: FusionWeights,
        source_text: SourceText | None = None,
        catalogue: Catalogue | None = None,
    ) -> None:
        self.graph = graph
        self.library = library
        guide = GuideIndex.of(graph)
        self.catalogue = catalogue
        self._router = Router(guide, catalogue) if catalogue else None
        linker = Linker(graph, Lexicon.of(graph, library.usual_words()))
        wordings = wordings_of(graph)
        index = build_index(encoder, linker, guide, library.examples, wordings)
        self._guide = guide
        self._reader = Reader(linker, guide)
        self._ranker = Ranker(encoder, index, guide, weights)
        self._selector = Selector(
            graph,
            guide,
            library,
            {
                name: Gate(g["similarity"], g["support"], bool(g["cue"]))
                for name, g in weights.gates.items()
            },
        )
        self._premises = PremiseChecker(graph, guide)
        self._scope = Scope(graph, guide, self._ranker, self._selector, self._premises)
        self._messages = Messages.load(WORDING)
        self._speech = Speech(graph, self._messages)
        self._provenance = Provenance(graph, source_text)
        self._contributed: ContributedGraph | None = None
        self._noticing = threading.Lock()

    @classmethod
    def load(cls, progress: Progress | None = None) -> Assistant:
        """Return an assistant over the shipped graph, warmed up.

        Args:
            progress: Called with a message key and the share done, from 0 to 1.

        Raises:
            BrokenData: If a shipped file is not as it must be.
            SourceTextError: If TRAINWRIGHT_GUIDE names a file that is no text.
        """
        tell = progress or (lambda key, share: None)
        tell("loading-graph", 0.0)
        graph, whole = KnowledgeGraph.guide(), KnowledgeGraph.with_contributions()
        library = TemplateLibrary.load()
        tell("loading-encoder", 0.2)
        encoder = encoder_of_environment()
        guide_file = os.environ.get(GUIDE_VARIABLE, "").strip()
        source_text = SourceText.read(Path(guide_file).expanduser()) if guide_file else None
        tell("building-index", 0.4)
        catalogue = Catalogue.of(whole, library.usual_words())
        assistant = cls(graph, encoder, library, FusionWeights.load(), source_text, catalogue)
        if isinstance(whole, ContributedGraph):
            assistant._contributed = whole
        tell("warming-up", 0.9)
        for language in ("zh", "en"):
            assistant.ask(assistant.suggested_questions(language)[0])
        tell("warming-up", 1.0)
        return assistant

    def suggested_questions(self, language: str) -> tuple[str, ...]:
        """Return questions that show what can be asked."""
        return tuple(self._messages(f"question-{n}", language) for n in range(1, N_SUGGESTED + 1))

    def ask(self, question: str, context: str | Sequence[str] | None = None) -> Answer:
        """Return the answer to a question.

        Args:
            question: In Chinese or English, as people type.
            context: The question asked before it, or those before it, oldest first, or None.
        """
        started = time.perf_counter()
        # A lone surrogate is no text and could not be printed.
        question = question.encode("utf-8", errors="replace").decode("utf-8")
        earlier = (context,) if isinstance(context, str) else tuple(context or ())
        self._notice_contributions()
        answer = self._refused(question) or self._answered(question, earlier)
        return replace(answer, elapsed_ms=round((time.perf_counter() - started) * 1000, 3))

    def _notice_contributions(self) -> None:
        """Take up what was contributed since the last question; comparing stamps takes 20 µs."""
        if self._contributed is None or not self._contributed.changed:
            return
        with self._noticing:
            if self._contributed.refresh():
                self.catalogue = Catalogue.of(self._contributed, self.library.usual_words())
                self._router = Router(self._guide, self.catalogue)

    def _answered(self, question: str, earlier: Sequence[str]) -> Answer:
        reading = self._reader.read(question, earlier[-1] if earlier else None)
        if reading.follows and self._scope.is_no_follow_up(reading):
            reading = self._reader.read(question)
        ranked = self._ranker.rank(reading.linked, self._ranker.evidence(list(reading.texts)))
        kind = self._scope.kind(reading, ranked)
        if self.catalogue is not None and self._router is not None:
            found = self.catalogue.read(question, earlier)
            if self._router.asks_both(found, kind):
                return self._compared(found, reading, ranked, kind)
            unspoken = bool(self._ranker.unspoken(reading.linked))
            if self._router.to_catalogue(found, reading, kind, unspoken) or (
                self._router.continues(found) and self._goes_to_catalogue(earlier[:-1], earlier[-1])
            ):
                return self.catalogue.answer(found)
        return self._from_guide(reading, ranked, kind)

    def _goes_to_catalogue(self, earlier: Sequence[str], question: str) -> bool:
        """Return whether the catalogue answers a question, as one that others lean on."""
        assert self.catalogue is not None
        assert self._router is not None
        reading = self._reader.read(question, earlier[-1] if earlier else None)
        ranked = self._ranker.rank(reading.linked, self._ranker.evidence(list(reading.texts)))
        found = self.catalogue.read(question, earlier)
        if self._router.to_catalogue(found, reading, self._scope.kind(reading, ranked)):
            return True
        return (
            bool(earlier) and found.follows and self._goes_to_catalogue(earlier[:-1], earlier[-1])
        )

    def _from_guide(self, reading: Reading, ranked: Ranked, kind: str) -> Answer:
        if kind == "outside" and self._scope.lacks_its_subject(reading, ranked):
            return self._needs_subject(reading, ranked)
        if kind == "outside":
            return self._out_of_scope(reading, ranked)
        if kind == "not_stated" and not self._scope.misstated(reading, ranked):
            return self._unknown(reading, ranked)
        selected = self._selector.select(reading, ranked)
        return self._worded(reading, ranked, selected)

    def _compared(
        self, found: CatalogueReading, reading: Reading, ranked: Ranked, kind: str
    ) -> Answer:
        """Return what the guide says beside what the catalogue says."""
        assert self.catalogue is not None
        said = self._from_guide(reading, ranked, kind)
        return self.catalogue.beside(said, found)

    def _refused(self, question: str) -> Answer | None:
        """Return an answer to what is no question: nothing, or far too much of it."""
        language: Language = "zh" if has_han(question) else "en"
        examples = self._examples(language)
        if not question.strip():
            text = self._messages("empty", language, examples=examples)
        elif len(question) > MAX_QUESTION:
            text = self._messages(
                "too-long", language, length=len(question), limit=MAX_QUESTION, examples=examples
            )
        else:
            return None
        suggestions = self.suggested_questions(language)[:3]
        return Answer(question, language, "needs_input", text, suggestions=suggestions)

    def _examples(self, language: str) -> str:
        separator = self._messages("example-separator", language)
        return separator.join(self.suggested_questions(language)[:3])

    def _needs_subject(self, reading: Reading, ranked: Ranked) -> Answer:
        language = reading.linked.language
        text = self._messages("needs-thing", language, examples=self._examples(language))
        suggestions = self.suggested_questions(language)[:3]
        return self._answer(reading, ranked, "needs_input", text, (), suggestions=suggestions)

    def _out_of_scope(self, reading: Reading, ranked: Ranked) -> Answer:
        language = reading.linked.language
        nearest = max(OUTSIDE, key=lambda t: ranked.templates.get(t, -1.0))
        key = f"out-of-scope-{nearest}"
        text = self._messages(key, language, examples=self._examples(language))
        suggestions = self.suggested_questions(language)[:3]
        return self._answer(reading, ranked, "out_of_scope", text, (), suggestions=suggestions)

    def _unknown(self, reading: Reading, ranked: Ranked) -> Answer:
        linked = reading.linked
        language = linked.language
        unspoken = self._ranker.unspoken(linked)
        if unspoken:
            spoken = self._speech.names(unspoken, language, as_mentioned=linked)
            text = self._messages("unknown-things", language, things=spoken)
        elif linked.designators:
            names = self._messages("name-separator", language).join(linked.designators).upper()
            text = self._messages("unknown-name", language, names=names)
        else:
            text = self._messages("unknown", language)
        nearby = self._nearby(linked, ranked)
        if nearby:
            listed = self._speech.cited(nearby, language)
            joint = "" if language == "zh" else " "
            text += joint + self._messages("nearby", language, statements=listed)
        return self._answer(reading, ranked, "unknown", text, nearby)

    def _nearby(self, linked: Linked, ranked: Ranked) -> tuple[URIRef, ...]:
        """Return likely statements that are about something mentioned, or that stand out."""
        coverage = self._guide.features(linked.nodes, linked.quantities)[:, 0]
        return tuple(
            self._guide.statements[i]
            for i in ranked.statements.argsort()[::-1][:MOST_NEARBY]
            if ranked.statements[i] >= (NEARBY_SHARE if coverage[i] else STANDS_OUT)
        )

    def _worded(self, reading: Reading, ranked: Ranked, selected: Candidate) -> Answer:
        linked = reading.linked
        language = linked.language
        statements = list(selected.statements)
        if self._scope.lacks_number(linked, ranked, selected):
            return self._unknown(reading, ranked)
        likely = self._scope.likely(linked, ranked)
        wrong = self._premises.check(linked, likely)
        verdict = wrong or self._premises.sufficiency(linked, likely)
        premise = None
        if verdict is not None:
            statements = [verdict.statement, *(s for s in statements if s != verdict.statement)]
        if verdict is not None:
            lead = self._verdict(verdict, linked)
            rest = self._speech.cited(statements[1:], language, first=2)
            text = f"{lead} {rest}".strip()
            if wrong is not None:
                premise = Premise(False, lead)
        else:
            text = self._speech.answer(selected, statements, language)
        table = self._speech.table(selected, language)
        return self._answer(
            reading, ranked, "answer", text, tuple(statements), selected, premise, table=table
        )

    def _verdict(self, verdict: Contradiction, linked: Linked) -> str:
        language = linked.language
        fields: dict[str, Any] = {
            key: self._speech.names([value], language, linked)
            if isinstance(value, URIRef)
            else value
            for key, value in verdict.fields.items()
        }
        statement = self._speech.cited([verdict.statement], language)
        return self._messages(verdict.message, language, statement=statement, **fields)

    def _answer(
        self,
        reading: Reading,
        ranked: Ranked,
        kind: Kind,
        text: str,
        statements: Sequence[URIRef],
        selected: Candidate | None = None,
        premise: Premise | None = None,
        **more: Any,
    ) -> Answer:
        linked = reading.linked
        citations: tuple[Citation, ...] = self._provenance.citations(statements, linked.language)
        return Answer(
            linked.question,
            "zh" if linked.language == "zh" else "en",
            kind,
            text,
            premise=premise,
            citations=citations,
            steps=self._steps(reading, ranked, selected),
            template=selected.template.name if selected else None,
            sparql=self._query_shown(selected, statements) if selected else None,
            **more,
        )

    def _query_shown(self, selected: Candidate, said: Sequence[URIRef]) -> str:
        """Return the query with its bindings as VALUES, to be run anywhere as it stands.

        Where more is said than the template's rows hold (a correction, a part that is
        asked for beside others), it is the query for just the statements that are said.
        """
        held = {row["statement"] for row in selected.rows}
        candidate = selected if held.issuperset(said) else self._selector.plain(said)
        query = candidate.template.query or ""
        names = sorted({name for bound in candidate.bindings for name in bound})
        if not names:
            return query
        rows = " ".join(
            "(" + " ".join(f"<{bound[n]}>" if n in bound else "UNDEF" for n in names) + ")"
            for bound in candidate.bindings
        )
        variables = " ".join(f"?{n}" for n in names)
        head, body = query.split("WHERE {", 1)
        return f"{head}WHERE {{\n  VALUES ({variables}) {{ {rows} }}{body}"

    def _steps(
        self, reading: Reading, ranked: Ranked, selected: Candidate | None
    ) -> tuple[Step, ...]:
        order = ranked.statements.argsort()[::-1][:5]
        identifiers = self._guide.identifiers
        rank = {
            "kinds": {k: round(v, 3) for k, v in ranked.kinds.items()},
            "statements": {
                identifiers[self._guide.statements[i]]: round(float(ranked.statements[i]), 3)
                for i in order
            },
            "templates": {
                t: round(v, 3)
                for t, v in sorted(ranked.templates.items(), key=lambda item: -item[1])[:5]
            },
        }
        steps = [
            Step("link", reading.linked.as_detail() | {"read_as": list(reading.texts)}),
            Step("rank", rank),
        ]
        if selected is not None:
            candidate = selected
            bindings = [
                {name: shorten(node) for name, node in bound.items()}
                for bound in candidate.bindings
            ]
            rows = [{k: shorten(v) for k, v in row.items()} for row in candidate.rows]
            steps += [
                Step(
                    "bind",
                    {
                        "template": candidate.template.name,
                        "bindings": bindings,
                        "similarity": round(candidate.similarity, 3),
                        "support": round(candidate.support, 3),
                    },
                ),
                Step("select", {"rows": rows}),
                Step("answer", {"statements": [identifiers[s] for s in selected.statements]}),
            ]
        return tuple(steps)
