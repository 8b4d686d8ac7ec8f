"""The meanings of cue words to which code gives effect; the words stand in `language.ttl`."""

from __future__ import annotations

from rdflib import URIRef


def _cue(name: str) -> URIRef:
    return URIRef(f"https://w3id.org/trainwright/data/cue-{name}")


AMOUNT = _cue("amount")
ASIDE = _cue("aside")
AT_LEAST = _cue("at-least")
ATTRIBUTION = _cue("attribution")
CHOICE = _cue("choice")
CONFIRMATION = _cue("confirmation")
CONTRAST = _cue("contrast")
COUNT = _cue("count")
COUNTER = _cue("counter")
EXCLUSIVE = _cue("exclusive")
FOLLOW_UP = _cue("follow-up")
GIVEN = _cue("given")
GREATER = _cue("greater")
HIGH = _cue("high")
INSTRUCTION = _cue("instruction")
LOW = _cue("low")
LOWER = _cue("lower")
OF = _cue("of")
OPENING = _cue("opening")
PROHIBITION = _cue("prohibition")
REASON = _cue("reason")
SUFFICIENCY = _cue("sufficiency")
THAN = _cue("than")
UNIVERSAL = _cue("universal")
YES_NO = _cue("yes-no")
