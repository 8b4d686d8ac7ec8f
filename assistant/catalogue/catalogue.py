"""The catalogue as somebody to ask: reads a question, understands it, answers it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rdflib import URIRef

from assistant.answer import Answer
from assistant.catalogue import operators as op
from assistant.catalogue.answering import CatalogueAnswerer
from assistant.catalogue.conversing import Conversing
from assistant.catalogue.interpreting import Interpreter
from assistant.catalogue.question import CatalogueQuestion, Missing
from assistant.catalogue.reading import CatalogueReader, Words
from assistant.catalogue.vocabulary import Vocabulary
from assistant.messages import Messages
from kg import KnowledgeGraph

WORDING = Path(__file__).parent / "wording.ttl"


@dataclass(frozen=True)
class CatalogueReading:
    """A question's words and what they ask."""

    words: Words
    question: CatalogueQuestion | Missing
    follows: bool


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

    def read(self, question: str, context: str | None = None) -> CatalogueReading:
        """Return a question as understood, with the one before it where it leans on that."""
        words = self._reader.read(question)
        before = None
        if context and self._conversing.leans(words):
            earlier = self._conversing.interpret(self._reader.read(context), None)
            before = earlier if isinstance(earlier, CatalogueQuestion) else None
        understood = self._conversing.interpret(words, before)
        return CatalogueReading(words, understood, before is not None)

    def answer(self, reading: CatalogueReading) -> Answer:
        """Return the answer to a question that was read."""
        return self._answerer.answer(reading.question, reading.words)

    def means(self, words: Words, *operations: URIRef) -> bool:
        """Return whether a question has a word for one of some operations."""
        return any(
            self.vocabulary.operators[o][0] in operations
            for t in words.tokens
            for o in t.nodes("operator")
        )


__all__ = ["Catalogue", "CatalogueReading", "op"]
