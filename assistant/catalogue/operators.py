"""The meanings of words that say what to do; the words stand in `catalogue/operators.ttl`."""

from __future__ import annotations

from rdflib import URIRef


def _operator(name: str) -> URIRef:
    return URIRef(f"https://w3id.org/trainwright/data/operator-{name}")


HIGHEST = _operator("highest")
LOWEST = _operator("lowest")
BEST = _operator("best")
WORST = _operator("worst")
AT_LEAST = _operator("at-least")
AT_MOST = _operator("at-most")
MORE = _operator("more")
LESS = _operator("less")
BETTER = _operator("better")
EQUAL = _operator("equal")
BETWEEN = _operator("between")
NOT = _operator("not")
OR = _operator("or")
THAN = _operator("than")
COMPARE = _operator("compare")
DIFFERENCE = _operator("difference")
RATIO = _operator("ratio")
AMOUNT = _operator("amount")
COUNT = _operator("count")
LIST = _operator("list")
TOP = _operator("top")
ALL = _operator("all")
SUPPORT = _operator("support")
LACK = _operator("lack")
SOURCES = _operator("sources")
AGREEMENT = _operator("agreement")
CONVERT = _operator("convert")
AMONG = _operator("among")
ONLY = _operator("only")
SAME_THING = _operator("same-thing")
CONTINUATION = _operator("continuation")
REASON = _operator("reason")
GUIDE = _operator("guide")
CATALOGUE = _operator("catalogue")
LISTING = _operator("listing")
CLAUSE = _operator("clause")
NOT_AFTER = _operator("not-after")
NOT_THAN = _operator("not-than")
MULTIPLE_OF = _operator("multiple-of")
RANGE = _operator("range")
OWN = _operator("own")
SORT = _operator("sort")
PER = _operator("per")
ENUMERATE = _operator("enumerate")
FILLER = _operator("filler")

SUPERLATIVES = {HIGHEST, LOWEST, BEST, WORST}
COMPARATORS = {AT_LEAST, AT_MOST, MORE, LESS, BETTER, EQUAL}
