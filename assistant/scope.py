"""Decides what kind of answer a question gets, where mentions know better than the ranking.

The ranking says how likely it is that the guide answers a question. A name it has never
heard of, a comparison no statement makes, or a number no statement gives overrule that.
"""

from __future__ import annotations

from rdflib import URIRef

from assistant import cues
from assistant.conversation import ACCELERATOR, Reading
from assistant.guide_index import GuideIndex
from assistant.linking import Linked
from assistant.premises import PremiseChecker
from assistant.ranking import OUTSIDE, SHORT, Ranked, Ranker
from assistant.selecting import ABOUT, Candidate, Selector
from kg import KnowledgeGraph

# This near an example of small talk a short text is no follow-up: thanks, hello.
SMALL_TALK = 0.75
NODE = URIRef("https://w3id.org/trainwright/data/node")
# With more mentions than this a question is about a configuration, not a property.
MOST_BEYOND = 3
RANKING_CUES = frozenset({cues.GREATER, cues.LOWER})
SUBJECT_CUES = frozenset({cues.CHOICE, cues.COUNT, cues.AMOUNT, cues.REASON, cues.FOLLOW_UP})
NUMBER_CUES = frozenset({cues.COUNT, cues.AMOUNT})
# A statement this likely compared with the best one may be what was meant.
LIKELY_SHARE = 0.15
# How far, in characters, "how many" may stand from what is counted.
NEAR_CUE = {"zh": 6, "en": 16}
# What a figure of the guide measures.
MEASURED = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?quantity WHERE { ?figure tw:ofQuantity ?quantity }
"""


class Scope:
    """Knows what the guide can be asked and what it leaves open."""

    def __init__(
        self,
        graph: KnowledgeGraph,
        guide: GuideIndex,
        ranker: Ranker,
        selector: Selector,
        premises: PremiseChecker,
    ) -> None:
        self._guide = guide
        self._ranker = ranker
        self._selector = selector
        self._premises = premises
        self._measured = {URIRef(str(r["quantity"])) for r in graph.select(MEASURED)}

    def kind(self, reading: Reading, ranked: Ranked) -> str:
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

    def is_no_follow_up(self, reading: Reading) -> bool:
        """Return whether a short text only seems to lean on the question before: thanks, hello."""
        own = reading.own
        if own.things or own.cues or own.quantities or own.designators:
            return False
        return self._is_small_talk(self._ranker.rank(own))

    def misstated(self, reading: Reading, ranked: Ranked) -> bool:
        """Return whether a question the guide does not answer asserts what the guide denies."""
        likely = self.likely(reading.linked, ranked)
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

    def lacks_its_subject(self, reading: Reading, ranked: Ranked) -> bool:
        """Return whether a short question asks which, how many or why, and of nothing."""
        linked = reading.linked
        asks = linked.cue_nodes & SUBJECT_CUES
        short = not linked.things and len(linked.asked) <= SHORT
        return bool(asks) and short and not self._is_small_talk(ranked)

    def _is_small_talk(self, ranked: Ranked) -> bool:
        return any(ranked.templates.get(t, 0.0) >= SMALL_TALK for t in OUTSIDE)

    def lacks_number(self, linked: Linked, ranked: Ranked, selected: Candidate) -> bool:
        """Return whether a number is asked for and no statement that fits gives one."""
        fitting = [s for s in self.likely(linked, ranked) if s in selected.statements]
        has_figure = any(s in self._guide.figures for s in fitting)
        return not has_figure and self._asks_number(linked, selected)

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

    def likely(self, linked: Linked, ranked: Ranked) -> list[URIRef]:
        """Return the statements that come near the best and concern no other scenario or thing."""
        conflict = self._guide.features(linked.nodes, ())[:, 2]
        best = float(ranked.statements.max())
        return [
            self._guide.statements[i]
            for i in ranked.statements.argsort()[::-1][:4]
            if ranked.statements[i] >= LIKELY_SHARE * best and not conflict[i]
        ] or [self._guide.statements[ranked.best()]]
