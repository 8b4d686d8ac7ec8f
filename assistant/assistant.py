"""From a question to a cited answer: link, rank, bind, select, answer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rdflib import URIRef

from assistant import cues
from assistant.answer import Answer, Citation, Kind, Language, Premise, Step
from assistant.conversation import ACCELERATOR, Reader, Reading
from assistant.encoder import Encoder, encoder_of_environment
from assistant.guide_index import GuideIndex
from assistant.lexicon import Lexicon
from assistant.linking import Linked, Linker
from assistant.messages import Messages
from assistant.normalisation import has_han
from assistant.premises import Contradiction, PremiseChecker
from assistant.provenance import Provenance
from assistant.ranking import OUTSIDE, SHORT, FusionWeights, Ranked, Ranker, build_index
from assistant.selecting import ABOUT, Candidate, Gate, Selector
from assistant.speech import Speech
from assistant.templates import TemplateLibrary
from assistant.wordings import wordings_of
from kg import KnowledgeGraph, SourceText, shorten

WORDING = Path(__file__).parent / "wording.ttl"
GUIDE_VARIABLE = "TRAINWRIGHT_GUIDE"
MAX_QUESTION = 4_000
N_SUGGESTED = 6
MOST_NEARBY = 2
# This near an example of small talk a short text is no follow-up: thanks, hello.
SMALL_TALK = 0.75
# Below this share of the ranking's likelihood a statement is not called nearby.
NEARBY_SHARE = 0.05

NODE = URIRef("https://w3id.org/trainwright/data/node")
# With more mentions than this a question is about a configuration, not a property.
MOST_BEYOND = 3
RANKING_CUES = frozenset({cues.GREATER, cues.LOWER})
SUBJECT_CUES = frozenset({cues.CHOICE, cues.COUNT, cues.AMOUNT, cues.REASON, cues.FOLLOW_UP})
# A statement this likely compared with the best one may be what was meant.
LIKELY_SHARE = 0.15
NUMBER_CUES = frozenset({cues.COUNT, cues.AMOUNT})
# How far, in characters, "how many" may stand from what is counted.
NEAR_CUE = {"zh": 6, "en": 16}
# What a figure of the guide measures, and the number of parts a thing has.
MEASURED = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?quantity WHERE { ?figure tw:ofQuantity ?quantity }
"""

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
    ) -> None:
        self.graph = graph
        self.library = library
        guide = GuideIndex.of(graph)
        linker = Linker(graph, Lexicon.of(graph, library.usual_words()))
        wordings = wordings_of(graph)
        index = build_index(encoder, linker, guide, library.examples, wordings)
        self._guide = guide
        self._measured = {URIRef(str(r["quantity"])) for r in graph.select(MEASURED)}
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
        self._messages = Messages.load(WORDING)
        self._speech = Speech(graph, self._messages)
        self._provenance = Provenance(graph, source_text)

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
        graph = KnowledgeGraph.shipped()
        library = TemplateLibrary.load()
        tell("loading-encoder", 0.2)
        encoder = encoder_of_environment()
        guide_file = os.environ.get(GUIDE_VARIABLE, "").strip()
        source_text = SourceText.read(Path(guide_file).expanduser()) if guide_file else None
        tell("building-index", 0.4)
        assistant = cls(graph, encoder, library, FusionWeights.load(), source_text)
        tell("warming-up", 0.9)
        for language in ("zh", "en"):
            assistant.ask(assistant.suggested_questions(language)[0])
        tell("warming-up", 1.0)
        return assistant

    def suggested_questions(self, language: str) -> tuple[str, ...]:
        """Return questions that show what can be asked."""
        return tuple(self._messages(f"question-{n}", language) for n in range(1, N_SUGGESTED + 1))

    def ask(self, question: str, context: str | None = None) -> Answer:
        """Return the answer to a question.

        Args:
            question: In Chinese or English, as people type.
            context: The question asked before it, or None.
        """
        started = time.perf_counter()
        # A lone surrogate is no text and could not be printed.
        question = question.encode("utf-8", errors="replace").decode("utf-8")
        answer = self._refused(question) or self._answered(question, context)
        return replace(answer, elapsed_ms=round((time.perf_counter() - started) * 1000, 3))

    def _answered(self, question: str, context: str | None) -> Answer:
        reading = self._reader.read(question, context)
        if reading.follows and self._is_no_follow_up(reading):
            reading = self._reader.read(question)
        ranked = self._ranker.rank(reading.linked, self._ranker.evidence(list(reading.texts)))
        kind = self._kind(reading, ranked)
        if kind == "outside" and self._lacks_its_subject(reading, ranked):
            return self._needs_subject(reading, ranked)
        if kind == "outside":
            return self._out_of_scope(reading, ranked)
        if kind == "not_stated" and not self._misstated(reading, ranked):
            return self._unknown(reading, ranked)
        selected = self._selector.select(reading, ranked)
        return self._worded(reading, ranked, selected)

    def _kind(self, reading: Reading, ranked: Ranked) -> str:
        """Return the likeliest kind of answer, where the mentions leave it open."""
        linked = reading.linked
        kind = max(ranked.kinds, key=ranked.kinds.__getitem__)
        if linked.designators:
            return "not_stated"  # a product this graph has never heard of
        unspoken = self._ranker.unspoken(linked)
        if kind == "outside" and unspoken and cues.INSTRUCTION not in linked.cue_nodes:
            return "not_stated"  # a thing of this field, if not of the guide
        if kind == "not_stated" and not unspoken and self._selector.bare(reading) is not None:
            return "in_guide"  # names a thing of the guide and nothing else
        if kind == "in_guide" and (
            self._compares_the_uncompared(linked) or self._asks_beyond(linked)
        ):
            return "not_stated"
        return kind

    def _compares_the_uncompared(self, linked: Linked) -> bool:
        """Return whether two products are to be ranked of which no statement speaks together."""
        if not linked.cue_nodes & RANKING_CUES:
            return False
        products = {n for n in linked.nodes if ACCELERATOR in self._guide.exclusive.get(n, ())}
        return len(products) == 2 and not any(products <= a for a in self._guide.about.values())

    def _asks_beyond(self, linked: Linked) -> bool:
        """Return whether a product's property is asked for that no statement puts with it.

        "A100 memory size": the guide speaks of the A100 and of memory, never of both.
        """
        products = [n for n in linked.nodes if ACCELERATOR in self._guide.exclusive.get(n, ())]
        others = [n for n in linked.nodes if n in self._measured or n in self._guide.parts]
        properties = [n for n in others if n not in self._guide.broader and n not in products]
        if len(products) != 1 or not properties or len(linked.things) > MOST_BEYOND:
            return False
        if NODE in linked.nodes or any(self._guide.is_for_scenario(n) for n in linked.nodes):
            return False
        about_product = self._guide.credit(products[0]) >= ABOUT
        return not any((about_product & (self._guide.credit(n) >= ABOUT)).any() for n in properties)

    def _is_no_follow_up(self, reading: Reading) -> bool:
        """Return whether a short text only seems to lean on the question before: thanks, hello."""
        own = reading.own
        if own.things or own.cues or own.quantities or own.designators:
            return False
        return self._is_small_talk(self._ranker.rank(own))

    def _misstated(self, reading: Reading, ranked: Ranked) -> bool:
        """Return whether a question the guide does not answer asserts what the guide denies."""
        likely = self._likely(reading.linked, ranked)
        wrong = self._premises.check(reading.linked, likely)
        if wrong is None or wrong.statement not in likely:
            return False
        spans = [(q.start, q.end) for q in reading.linked.quantities]
        unspoken = set(self._ranker.unspoken(reading.linked))
        named = {value for value in wrong.fields.values() if isinstance(value, URIRef)}
        explained = {
            m.node
            for m in reading.linked.things
            if any(low <= m.start < high for low, high in spans)
        }
        return unspoken <= named | explained

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

    def _lacks_its_subject(self, reading: Reading, ranked: Ranked) -> bool:
        """Return whether a short question asks which, how many or why, and of nothing."""
        linked = reading.linked
        asks = linked.cue_nodes & SUBJECT_CUES
        short = not linked.things and len(linked.asked) <= SHORT
        return bool(asks) and short and not self._is_small_talk(ranked)

    def _is_small_talk(self, ranked: Ranked) -> bool:
        return any(ranked.templates.get(t, 0.0) >= SMALL_TALK for t in OUTSIDE)

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
        nearby = self._nearby(ranked)
        if nearby:
            listed = self._speech.cited(nearby, language)
            text += " " + self._messages("nearby", language, statements=listed)
        return self._answer(reading, ranked, "unknown", text, nearby)

    def _nearby(self, ranked: Ranked) -> tuple[URIRef, ...]:
        order = ranked.statements.argsort()[::-1][:MOST_NEARBY]
        return tuple(
            self._guide.statements[i] for i in order if ranked.statements[i] >= NEARBY_SHARE
        )

    def _worded(self, reading: Reading, ranked: Ranked, selected: Candidate) -> Answer:
        linked = reading.linked
        language = linked.language
        statements = list(selected.statements)
        likely = self._likely(linked, ranked)
        if self._asks_number(linked, selected) and not self._has_figure(likely, statements):
            return self._unknown(reading, ranked)
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

    def _asks_number(self, linked: Linked, selected: Candidate) -> bool:
        """Return whether a question asks how much or how many, and not for a list."""
        if selected.template.counts_rows:
            return False
        for cue in linked.cues:
            if cue.node in NUMBER_CUES:
                for mention in linked.things:
                    measured = mention.node in self._guide.parts or mention.node in self._measured
                    gap = max(mention.start - cue.end, cue.start - mention.end)
                    if measured and gap <= NEAR_CUE[linked.language]:
                        return True
        return False

    def _has_figure(self, likely: Sequence[URIRef], said: Sequence[URIRef]) -> bool:
        return any(s in self._guide.figures for s in likely if s in said)

    def _likely(self, linked: Linked, ranked: Ranked) -> list[URIRef]:
        """Return the statements that come near the best and concern no other scenario or thing."""
        conflict = self._guide.features(linked.nodes, ())[:, 2]
        best = float(ranked.statements.max())
        return [
            self._guide.statements[i]
            for i in ranked.statements.argsort()[::-1][:4]
            if ranked.statements[i] >= LIKELY_SHARE * best and not conflict[i]
        ] or [self._guide.statements[ranked.best()]]

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
