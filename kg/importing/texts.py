"""Sees to it that what is said in one language is said in both."""

from __future__ import annotations

from collections.abc import Iterable

from rdflib.namespace import RDFS, SKOS
from rdflib.term import Literal, Node, URIRef

Triple = tuple[URIRef, URIRef, Node]

LANGUAGES = ("en", "zh")


def in_both_languages(
    triples: Iterable[Triple], apart: Iterable[list[Triple]] = ()
) -> list[Triple]:
    """Return triples with each text in Chinese and English: one given alone stands for both.

    Synonyms are each language's own, and none repeats its label.

    Args:
        triples: All that is said of a node.
        apart: Texts that belong together only within a group, as those on one part of a machine.
    """
    result: list[Triple] = []
    for group in (list(triples), *apart):
        result += group
        result += _lacking(group)
    labels = {(s, o) for s, p, o in result if p == RDFS.label}
    return [t for t in result if not (t[1] == SKOS.altLabel and (t[0], t[2]) in labels)]


def _lacking(group: list[Triple]) -> list[Triple]:
    """Return the texts of a group again, in the language in which nothing is said instead."""
    spoken: dict[tuple[URIRef, URIRef], list[Literal]] = {}
    for s, p, o in group:
        if isinstance(o, Literal) and o.language and p != SKOS.altLabel:
            spoken.setdefault((s, p), []).append(o)
    return [
        (s, p, Literal(str(text), lang=language))
        for (s, p), texts in spoken.items()
        for language in LANGUAGES
        if all(text.language != language for text in texts)
        for text in texts
    ]
