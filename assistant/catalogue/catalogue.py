"""The catalogue as somebody to ask: reads a question, understands it, answers it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rdflib import URIRef

from assistant.answer import Answer
from assistant.catalogue import operators as op
from assistant.catalogue.answering import CatalogueAnswerer
from assistant.catalogue.conversing import Conversing
from assistant.catalogue.interpreting import Interpreter
from assistant.catalogue.question import CatalogueQuestion, Missing
from assistant.catalogue.reading import CatalogueReader, Words
from assistant.catalogue.things import ACCELERATOR, CLOUD, CPU, SERVER
from assistant.catalogue.vocabulary import Vocabulary
from assistant.messages import Messages
from kg import KnowledgeGraph

# So many questions back a follow-up may lean.
MOST_EARLIER = 5
WORDING = Path(__file__).parent / "wording.ttl"


_MARK = re.compile(r"\[(\d+)\]")


def _shifted(text: str, by: int) -> str:
    """Return a text with its citation numbers raised."""
    return _MARK.sub(lambda m: f"[{int(m[1]) + by}]", text)


@dataclass(frozen=True)
class CatalogueReading:
    """A question's words and what they ask."""

    words: Words
    question: CatalogueQuestion | Missing
    follows: bool
    alone: bool = True


class Catalogue:
    """Answers questions about any quantity of any entry."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        reader: CatalogueReader,
        conversing: Conversing,
        answerer: CatalogueAnswerer,
    ) -> None:
        self.vocabulary = vocabulary
        self._reader = reader
        self._conversing = conversing
        self._answerer = answerer

    @classmethod
    def of(cls, graph: KnowledgeGraph, usual: frozenset[str] = frozenset()) -> Catalogue:
        """Return the catalogue of a graph.

        Args:
            graph: The whole graph.
            usual: Latin words that are no misspelt names.
        """
        vocabulary = Vocabulary.of(graph, usual)
        answerer = CatalogueAnswerer(graph, vocabulary, Messages.load(WORDING))
        conversing = Conversing(vocabulary, Interpreter(vocabulary), answerer)
        return cls(vocabulary, CatalogueReader(vocabulary), conversing, answerer)

    def read(self, question: str, earlier: Sequence[str] = ()) -> CatalogueReading:
        """Return a question as understood, with those before it where it leans on them.

        Args:
            question: What is asked.
            earlier: The questions asked before, oldest first.
        """
        words = self._reader.read(question)
        before = None
        if earlier and self._conversing.leans(words):
            for text in earlier[-MOST_EARLIER:]:
                asked = self._conversing.interpret(self._reader.read(text), before)
                before = asked if isinstance(asked, CatalogueQuestion) else before
        understood = self._conversing.interpret(words, before)
        return CatalogueReading(words, understood, before is not None, not earlier)

    def answer(self, reading: CatalogueReading) -> Answer:
        """Return the answer to a question that was read."""
        return self._answerer.answer(reading.question, reading.words)

    def beside(self, said: Answer, reading: CatalogueReading) -> Answer:
        """Return the guide's answer with the catalogue's after it, cited on in one count."""
        own = self.answer(reading)
        shift = len(said.citations)
        text = self._answerer.beside(said.text, _shifted(own.text, shift), own.language)
        table = own.table and replace(
            own.table,
            rows=[
                [_shifted(c, shift) if isinstance(c, str) else c for c in r] for r in own.table.rows
            ],
        )
        citations = (*said.citations, *(replace(c, n=c.n + shift) for c in own.citations))
        kind = "answer" if "answer" in (said.kind, own.kind) else own.kind
        return replace(own, text=text, table=table, citations=citations, kind=kind)

    def means(self, words: Words, *operations: URIRef) -> bool:
        """Return whether a question has a word for one of some operations."""
        return any(
            self.vocabulary.operators[o][0] in operations
            for t in words.tokens
            for o in t.nodes("operator")
        )

    def names_devices(self, words: Words) -> bool:
        """Return whether a question speaks of accelerators or offers, by class or maker."""
        accelerators = self.vocabulary.within(ACCELERATOR) | {CLOUD}
        named = {c for t in words.tokens for c in t.nodes("class")}
        return bool(named & accelerators) or (
            not named and any(t.nodes("value", "entry", "line") for t in words.tokens)
        )

    def enumerates(self, words: Words) -> bool:
        """Return whether a question asks in so many words for a list of all."""
        return any(op.ENUMERATE in t.nodes("operator") for t in words.tokens)

    def names_classes(self, words: Words) -> bool:
        """Return whether a question names a class of which there are entries."""
        held = {c for classes in self.vocabulary.classes_of.values() for c in classes}
        return any(not held.isdisjoint(t.nodes("class")) for t in words.tokens)

    def names_machines(self, words: Words) -> bool:
        """Return whether a question names machines as a class."""
        return any({SERVER, CLOUD} & set(t.nodes("class")) for t in words.tokens)

    def are_devices(self, subjects: tuple[URIRef, ...]) -> bool:
        """Return whether entries or lines are accelerators, machines, offers or processors."""
        devices = self.vocabulary.within(ACCELERATOR) | {CLOUD, SERVER, CPU}
        return any(self.vocabulary.class_of(s) & devices for s in subjects)

    def names_itself(self, words: Words) -> bool:
        """Return whether a question speaks of the catalogue and its data."""
        return self.means(words, op.CATALOGUE, op.COMPARE, op.AGREEMENT)
