"""Decides who answers a question: the guide, the catalogue, or both.

The guide's ranking says how likely it is that the guide answers. Where it does not, the
catalogue answers what it understood. Where both might, the guide has its own topics, and the
catalogue what is measured: figures of a device that the guide gives none of.
"""

from __future__ import annotations

from rdflib import URIRef

from assistant import cues
from assistant.catalogue import Catalogue, CatalogueReading
from assistant.catalogue import operators as op
from assistant.catalogue.question import Asked, CatalogueQuestion, Missing
from assistant.catalogue.things import (
    CLOUD,
    CONTENT,
    CPU,
    DATA,
    HALF_PRECISION,
    PROVIDER,
    SERVER,
)
from assistant.catalogue.vocabulary import TW
from assistant.conversation import Reading
from assistant.guide_index import GuideIndex

# Aspects of which the guide speaks in words; a catalogue's figure is not what is meant.
SPOKEN_OF = {
    URIRef(DATA + name)
    for name in ("peak-throughput", "purchase-price", "hourly-price", "accelerator-hourly-price")
}
# Properties of chips of which the guide does not speak.
OF_CHIPS = {
    URIRef(TW + name)
    for name in ("memoryType", "architecture", "formFactor", "supportsPrecision", "interconnect")
}
PICKING = {op.LIST, op.COUNT, op.TOP}


class Router:
    """Chooses between the guide and the catalogue."""

    def __init__(self, guide: GuideIndex, catalogue: Catalogue) -> None:
        self._guide = guide
        self._catalogue = catalogue

    def to_catalogue(
        self, found: CatalogueReading, reading: Reading, kind: str, unspoken: bool = False
    ) -> bool:
        """Return whether the catalogue answers.

        Args:
            found: The question as the catalogue understands it.
            reading: The question as the guide understands it.
            kind: The likeliest kind of answer of the guide: in_guide, not_stated, outside.
            unspoken: Whether something is named of which the guide does not speak.
        """
        linked = reading.linked
        scenario = any(self._guide.is_for_scenario(n) for n in linked.nodes)
        if cues.ATTRIBUTION in linked.cue_nodes or (scenario and kind == "in_guide"):
            return False
        if isinstance(found.question, CatalogueQuestion) and (
            found.question.amount is not None or self._catalogue.means(found.words, op.CATALOGUE)
        ):
            return True
        if isinstance(found.question, Missing):
            return self._is_missing(found, reading, kind)
        question = found.question
        if not self._is_substantial(question):
            return False
        if kind == "outside":
            return self._is_measured(question) or self._picks(found, question)
        if kind == "not_stated":
            return True
        if unspoken and question.facets and self._catalogue.means(found.words, *PICKING):
            return True
        return self._is_beyond_guide(found, reading)

    def continues(self, found: CatalogueReading) -> bool:
        """Return whether a question leans on one that the catalogue understood."""
        return (
            found.follows
            and isinstance(found.question, CatalogueQuestion)
            and self._is_substantial(found.question)
        )

    def asks_both(self, found: CatalogueReading, kind: str) -> bool:
        """Return whether the guide is to be set against the catalogue."""
        question = found.question
        return (
            isinstance(question, CatalogueQuestion)
            and bool(question.subjects)
            and self._catalogue.means(found.words, op.GUIDE)
            and (
                self._catalogue.names_itself(found.words)
                or (kind == "not_stated" and bool(question.asked))
            )
        )

    def _is_missing(self, found: CatalogueReading, reading: Reading, kind: str) -> bool:
        """Return whether to say what the catalogue lacks rather than what the guide does."""
        missing = found.question
        assert isinstance(missing, Missing)
        if kind == "in_guide":
            points = found.alone and self._catalogue.means(found.words, op.SAME_THING)
            return points and missing.what.startswith("needs")
        if missing.what == "unknown-attribute":
            return any(s not in self._guide.covered for s in missing.subjects)
        if missing.what == "unknown-name":
            return kind == "not_stated" and bool(reading.linked.things)
        return kind != "outside"

    def _is_substantial(self, question: CatalogueQuestion) -> bool:
        if question.subjects:
            if not question.left_over and not any(
                s in self._guide.covered for s in question.subjects
            ):
                return True  # a name alone: tell of it
            asks = (
                question.asked or question.facets_asked or question.checked or question.everything
            )
            return bool(asks) or question.operation in ("sources", "agreement", "compare")
        picks = question.bounds or question.order or question.among
        return bool(picks or question.facets or question.asked)

    def _is_measured(self, question: CatalogueQuestion) -> bool:
        return bool(
            question.asked or question.order or question.facets_asked or question.checked
        ) and bool(question.subjects or question.order or question.facets or question.bounds)

    def _is_beyond_guide(self, found: CatalogueReading, reading: Reading) -> bool:
        """Return whether a question that fits the guide asks for what only the catalogue has."""
        question = found.question
        assert isinstance(question, CatalogueQuestion)
        beyond = [s for s in question.subjects if s not in self._guide.covered]
        if question.subjects:
            devices = self._catalogue.are_devices(question.subjects)
            measured = (
                devices and not question.implied and any(self._is_figure(a) for a in question.asked)
            )
            computed = question.operation in ("ratio", "sources", "agreement", "convert")
            # Variants of one line: of them the guide knows nothing.
            computed = computed or (question.operation == "compare" and len(question.subjects) == 1)
            return bool(
                beyond
                and (
                    measured
                    or computed
                    or question.asked
                    or question.checked
                    or question.facets_asked
                )
            ) or (
                measured
                or computed
                or (question.everything and not reading.linked.cue_nodes & {cues.REASON})
            )
        return self._is_sought(found, question)

    def _is_sought(self, found: CatalogueReading, question: CatalogueQuestion) -> bool:
        """Return whether entries are sought by figures or by what only the catalogue knows."""
        words, catalogue = found.words, self._catalogue
        devices = catalogue.names_devices(words)
        classes = catalogue.names_classes(words)
        picks = catalogue.means(words, *PICKING)
        told = [f for f in question.facets if f.facet != CONTENT]
        bounded = bool(question.bounds) and any(
            a.units and not a.text.isdigit() for a in words.amounts
        )
        machines = bool(question.classes & {CLOUD, SERVER})
        if picks and any(f.facet in OF_CHIPS for f in question.facets):
            return True
        if picks and classes and any(b.reference for group in question.bounds for b in group):
            return True
        if machines and any(f.facet == PROVIDER for f in told) and catalogue.names_machines(words):
            return True
        if picks and told and machines:
            return True
        if question.operation == "count" and (told or (question.bounds and machines)):
            return True
        if catalogue.enumerates(words) and (told or question.classes):
            return True
        if question.among and bounded:
            return True
        if question.order is not None:
            figure = self._is_figure(question.order)
            processors = CPU in question.classes and question.operation == "superlative"
            return (
                devices and (figure or bool(question.facets) or question.limit is not None)
            ) or (processors and figure)
        if picks and (bounded or (question.bounds and CPU in question.classes)) and classes:
            return True
        return devices and bounded

    def _picks(self, found: CatalogueReading, question: CatalogueQuestion) -> bool:
        """Return whether entries are picked by more than who makes them."""
        devices = self._catalogue.names_devices(found.words)
        chips = any(f.facet in OF_CHIPS for f in question.facets)
        picks = self._catalogue.means(found.words, *PICKING)
        return devices and (
            bool(question.bounds)
            or chips
            or (len(question.facets) > 1)
            or (picks and bool(question.facets))
        )

    def _is_figure(self, asked: Asked) -> bool:
        formats = {v for n, v in asked.conditions if n == "precision"}
        if formats - {HALF_PRECISION}:
            return True
        return asked.quantity not in SPOKEN_OF
