"""All names by which the graph's things, cues, units and numbers can be called.

Names come from labels and synonyms in the graph, so what a user adds is understood
at once. Exact names are found with Aho-Corasick, in time that does not grow with
their number; misspelt Latin words and Chinese homophones through small indexes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import ahocorasick
from pypinyin import lazy_pinyin
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein
from rdflib import URIRef

from assistant.normalisation import has_han, normalise
from kg import KnowledgeGraph

LAYERS = ("thing", "cue", "unit", "number")

# One row per name: members of the root classes, and the classes that people ask about. A
# cue's label names its meaning and is no word of a question; its synonyms are.
NAMES = """
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT DISTINCT ?layer ?subject ?name WHERE {
  {
    VALUES ?root { tw:Hardware tw:Aspect tw:Workload tw:Scenario tw:UserGroup
                   tw:DeploymentOption tw:CloudProvider tw:Party tw:Topic }
    { ?subject a/rdfs:subClassOf* ?root }
    UNION { VALUES ?class { tw:Hardware tw:Framework tw:Scenario tw:UserGroup tw:Workload
                           tw:DeploymentOption tw:CloudProvider } ?subject rdfs:subClassOf* ?class }
    BIND("thing" AS ?layer)
    ?subject rdfs:label|skos:altLabel ?name .
  } UNION { ?subject a tw:Cue ; skos:altLabel ?name BIND("cue" AS ?layer)
  } UNION { ?subject a qudt:Unit ; rdfs:label|skos:altLabel ?name BIND("unit" AS ?layer)
  } UNION { ?subject a tw:NumberWord ; skos:altLabel ?name BIND("number" AS ?layer) }
}
"""

SHORTEST_MISSPELT = 5
# Words up to here are so close to others that only a swap or a missing letter is put right.
SHORT_WORD = 5

_WORD = re.compile(r"[a-z][a-z'-]+")


@dataclass(frozen=True)
class Name:
    """One way to call a node, normalised."""

    text: str
    subject: URIRef


@dataclass(frozen=True)
class Found:
    """A name found in a text at [start, end)."""

    start: int
    end: int
    name: Name


@dataclass
class Lexicon:
    """Finds names of one layer in normalised text."""

    names: dict[str, dict[str, list[URIRef]]]
    usual: frozenset[str] = frozenset()
    _automata: dict[str, ahocorasick.Automaton] = field(init=False, repr=False)
    _words: dict[tuple[str, int], list[str]] = field(init=False, repr=False)
    _homophones: dict[str, list[str]] = field(init=False, repr=False)
    _known_words: set[str] = field(init=False, repr=False)

    @classmethod
    def of(cls, graph: KnowledgeGraph, usual: frozenset[str] = frozenset()) -> Lexicon:
        """Return the lexicon of all names in a graph.

        Args:
            graph: Where the names are.
            usual: Latin words that people use and that are therefore not misspelt names.
        """
        names: dict[str, dict[str, list[URIRef]]] = {layer: {} for layer in LAYERS}
        for row in graph.select(NAMES):
            for text in name_variants(normalise(str(row["name"]))):
                subjects = names[str(row["layer"])].setdefault(text, [])
                if (subject := URIRef(str(row["subject"]))) not in subjects:
                    subjects.append(subject)
        return cls(names, usual)

    def __post_init__(self) -> None:
        self._automata = {layer: _automaton(names) for layer, names in self.names.items()}
        things, cues = self.names["thing"], self.names["cue"]
        # A slip is put right towards names of things only: "could" is no slip of a cue.
        words = _words_of(things)
        self._known_words = words | _words_of(cues) | self.usual
        self._words = defaultdict(list)
        for word in sorted(words):
            self._words[word[0], len(word)].append(word)
        self._homophones = defaultdict(list)
        for text in (*things, *cues):
            if 2 <= len(text) <= 4 and all(has_han(c) for c in text):
                self._homophones[_sound(text)].append(text)

    def find(self, text: str, layer: str) -> list[Found]:
        """Return the names of a layer in a normalised text: longest first, no overlaps."""
        if not self.names[layer]:
            return []
        hits = sorted(
            (
                (end - len(name) + 1, end + 1, name)
                for end, name in self._automata[layer].iter(text)
                if _on_boundary(text, end - len(name) + 1, end + 1)
            ),
            key=lambda hit: (hit[0] - hit[1], hit[0]),
        )
        taken: list[Found] = []
        covered = bytearray(len(text))
        for start, end, name in hits:
            if not any(covered[start:end]):
                covered[start:end] = b"\1" * (end - start)
                taken += [Found(start, end, Name(name, s)) for s in self.names[layer][name]]
        return sorted(taken, key=lambda f: (f.start, f.name.subject))

    def corrected(self, text: str) -> str:
        """Return the text with misspelt names put right; what is spelt well stays."""
        return replaced(text, self.slips(text))

    def slips(self, text: str) -> list[tuple[int, int, str]]:
        """Return the misspelt names as start, end and how they are spelt, in order."""
        covered = bytearray(len(text))
        for layer in ("thing", "cue", "number"):
            for found in self.find(text, layer):
                covered[found.start : found.end] = b"\1" * (found.end - found.start)
        slips: list[tuple[int, int, str]] = []
        for slip in self._corrections(text, covered):
            if not slips or slip[0] >= slips[-1][1]:
                slips.append(slip)
        return slips

    def _corrections(self, text: str, covered: bytearray) -> Iterator[tuple[int, int, str]]:
        for match in _WORD.finditer(text):
            word = match.group()
            unknown = word not in self._known_words and len(word) >= SHORTEST_MISSPELT
            if unknown and not any(covered[match.start() : match.end()]):
                right = self._nearest_word(word)
                if right is not None:
                    yield match.start(), match.end(), right
        if not has_han(text):
            return
        sounds = [_sound(c) if has_han(c) else " " for c in text]
        for start in range(len(text)):
            for length in (4, 3, 2):
                end = start + length
                if end > len(text) or any(covered[start:end]):
                    continue
                right = self._homophone(text[start:end], "".join(sounds[start:end]))
                if right is not None:
                    yield start, end, right
                    break

    def _nearest_word(self, word: str) -> str | None:
        # One slip in a short word, two in a long one; the first letter is rarely wrong.
        allowed = 1 if len(word) < 8 else 2
        best: str | None = None
        for length in range(len(word) - allowed, len(word) + allowed + 1):
            known: Iterable[str] = self._words.get((word[0], length), ())
            if len(word) <= SHORT_WORD:
                known = [k for k in known if _is_likely_slip(word, k)]
            found = process.extractOne(
                word, known, scorer=DamerauLevenshtein.distance, score_cutoff=allowed
            )
            if found is not None:
                best, allowed = found[0], int(found[1]) - 1
                if allowed < 1:
                    break
        return best

    def _homophone(self, text: str, sound: str) -> str | None:
        # At least one character must be right, or any two words that sound alike would do.
        for known in self._homophones.get(sound, ()):
            same_length = known != text and len(known) == len(text)
            if same_length and any(a == b for a, b in zip(known, text, strict=True)):
                return known
        return None


def replaced(text: str, slips: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with words at some places exchanged."""
    parts, last = [], 0
    for start, end, right in slips:
        parts += [text[last:start], right]
        last = end
    return "".join([*parts, text[last:]])


def _is_likely_slip(word: str, known: str) -> bool:
    """Return whether a short word is a known one with letters swapped, or lacks a letter."""
    return sorted(word) == sorted(known) or len(known) == len(word) + 1


def _sound(text: str) -> str:
    """Return the toneless pinyin of a text, without what many speakers do not tell apart."""
    sound = "".join(lazy_pinyin(text))
    for mixed, plain in (("zh", "z"), ("ch", "c"), ("sh", "s"), ("ng", "n")):
        sound = sound.replace(mixed, plain)
    return sound


def name_variants(name: str) -> set[str]:
    """Return a name with its spaces and hyphens kept, dropped and exchanged."""
    if not re.search(r"[ -]", name):
        return {name}
    return {name, re.sub(r"[ -]", "", name), re.sub(r"[ -]", " ", name), re.sub(r" ", "-", name)}


def _words_of(names: Iterable[str]) -> set[str]:
    return {word for name in names for word in _WORD.findall(name)}


def _automaton(names: Iterable[str]) -> ahocorasick.Automaton:
    automaton = ahocorasick.Automaton()
    for name in names:
        automaton.add_word(name, name)
    automaton.make_automaton()
    return automaton


def _on_boundary(text: str, start: int, end: int) -> bool:
    """Return whether a Latin name is not part of a longer word or number."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if text[start].isascii() and text[start].isalnum() and before.isascii() and before.isalnum():
        return False
    ends_latin = text[end - 1].isascii() and text[end - 1].isalnum()
    # "h100s" is more than one H100.
    plural = after == "s" and not re.match(r"[a-z0-9]", text[end + 1 : end + 2])
    return plural or not (ends_latin and after.isascii() and after.isalnum())
