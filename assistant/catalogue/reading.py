"""Finds the words of a question that the catalogue knows, and amounts with their units."""

from __future__ import annotations

import re
from dataclasses import dataclass

import cn2an
from rdflib import URIRef

from assistant.catalogue.vocabulary import Token, Vocabulary, canonical
from assistant.lexicon import replaced
from assistant.normalisation import han_share, has_han, normalise, normalise_but_case

YEAR = URIRef("https://w3id.org/trainwright/data/unit-calendar-year")
PIECES = URIRef("http://qudt.org/vocab/unit/NUM")
LONG_UNIT = 6
FEWEST_YUAN = 10
YEARS = range(1990, 2051)

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,15}(?:\.\d{1,6})?"
_HAN_DIGITS = r"[零一二两三四五六七八九十百]+(?:[点][零一二三四五六七八九]+)?"
_SCALE = r"[kK](?![a-zA-Z])|[万亿千百]"
_HYPHENED = re.compile(r"(?<![a-z0-9-])([a-z]{1,6})-(\d[a-z0-9]*)(?![a-z0-9-])")
_SCALES = {"k": 1e3, "K": 1e3, "千": 1e3, "百": 1e2, "万": 1e4, "亿": 1e8}


@dataclass(frozen=True)
class Amount:
    """A number at [start, end), or a range; `units` are those its unit's name may mean."""

    start: int
    end: int
    text: str
    low: float
    high: float
    units: tuple[URIRef, ...]


@dataclass(frozen=True)
class Words:
    """A question taken apart: known words and amounts, in order, and the rest."""

    question: str
    text: str
    cased: str
    language: str
    tokens: tuple[Token, ...]
    amounts: tuple[Amount, ...]


class CatalogueReader:
    """Takes questions apart."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        between = "|".join(["[-~–—]", *map(re.escape, vocabulary.range_words)])
        self._number = re.compile(
            r"(?P<before>[$¥€]\s?)?(?:(?<![a-zA-Z\d./])|(?<=[x×]))"
            rf"(?P<low>{_DIGITS}|{_HAN_DIGITS})(?:\s?(?P<lowscale>{_SCALE}))?"
            rf"(?:\s*(?:{between})\s*[$¥€]?(?P<high>{_DIGITS})(?:\s?(?P<highscale>{_SCALE}))?)?"
        )
        self._range = re.compile(rf"\s*(?:{between})\s*")
        words = "|".join(sorted(vocabulary.number_words, key=len, reverse=True))
        self._number_word = re.compile(
            rf"(?<![a-zA-Z-])({words})(?![a-zA-Z])" if words else r"(?!)", re.IGNORECASE
        )

    def read(self, question: str) -> Words:
        """Return the known words and amounts of a question."""
        cased, text = canonical(normalise_but_case(question)), canonical(normalise(question))
        hyphens = self._hyphens(text)
        text, cased = replaced(text, hyphens), replaced(cased, hyphens)
        slips = self._vocabulary.lexicon.slips(text)
        text = replaced(text, slips)
        # Where a letter has no single small form, the case is lost.
        cased = replaced(cased, slips)
        cased = cased if len(cased) == len(text) else text
        tokens = self._tokens(text)
        tokens = self._without_units(text, tokens)
        amounts = self._amounts(cased, tokens)
        tokens = [
            t for t in tokens if not any(a.start <= t.start and t.end <= a.end for a in amounts)
        ]
        language = "zh" if han_share(question) > 0.2 or has_han(question[-1:]) else "en"
        return Words(question, text, cased, language, tuple(tokens), tuple(amounts))

    def _hyphens(self, text: str) -> list[tuple[int, int, str]]:
        """Return the product numbers spelt with a hyphen that are known without: mi-300x."""
        return [
            (m.start(), m.end(), m[1] + m[2])
            for m in _HYPHENED.finditer(text)
            if m[1] + m[2] in self._vocabulary.meanings
        ]

    def _tokens(self, text: str) -> list[Token]:
        found: dict[tuple[int, int], str] = {}
        for f in self._vocabulary.lexicon.find(text, "thing"):
            found[f.start, f.end] = f.name.text
        return [
            Token(start, end, text[start:end], self._vocabulary.meanings[name])
            for (start, end), name in sorted(found.items())
        ]

    def _without_units(self, text: str, tokens: list[Token]) -> list[Token]:
        """Drop names inside the name of a unit: gigabytes per second name no vendor."""
        spans = [
            (m.start(), m.end())
            for name in self._vocabulary.unit_names
            if len(name) >= LONG_UNIT
            for m in re.finditer(re.escape(name), text)
        ]
        return [
            t
            for t in tokens
            if not any(a <= t.start and t.end <= b and (a, b) != (t.start, t.end) for a, b in spans)
        ]

    def _amounts(self, text: str, tokens: list[Token]) -> list[Amount]:
        named = {i for t in tokens if not t.nodes("operator") for i in range(t.start, t.end)}
        found = []
        for match in self._number.finditer(text):
            low, high = _number(match["low"]), _number(match["high"] or match["low"])
            if low is None or high is None:
                continue
            if match["low"] == "一" and match["lowscale"] is None and match["high"] is None:
                continue  # an article: 一台, 一个月
            high_scale = _SCALES.get(match["highscale"] or match["lowscale"] or "", 1)
            low_scale = _SCALES.get(match["lowscale"] or match["highscale"] or "", 1)
            end, units = self._unit_at(text, match.end(), match["before"])
            inner = range(
                match.start("low"), match.end("high") if match["high"] else match.end("low")
            )
            if any(i in named for i in inner):
                continue
            if match["high"] is not None and high * high_scale < low * low_scale:
                continue
            first, second = low * low_scale, high * high_scale
            if not units and match["high"] is None and first in YEARS and _is_year(match["low"]):
                units = (YEAR,)
            units = tuple(u for u in units if u != PIECES)
            # "A card" counts; money of one or two yuan buys none.
            if match["before"] is None and text[end - 1 : end] == "块" and second < FEWEST_YUAN:
                continue
            if units == (YEAR,) or (match["high"] and not units and low in YEARS and high in YEARS):
                units = (YEAR,)
            start = match.start()
            found.append(Amount(start, end, text[start:end], first, second, units))
        for match in self._number_word.finditer(text):
            if not any(i in named for i in range(match.start(), match.end())):
                value = float(self._vocabulary.number_words[match[1].lower()])
                end, units = self._unit_at(text, match.end(), None)
                if value == 1 and not units:
                    continue  # mostly a pronoun: which one
                units = tuple(u for u in units if u != PIECES)
                found.append(
                    Amount(match.start(), end, text[match.start() : end], value, value, units)
                )
        return self._joined(text, sorted(found, key=lambda a: a.start))

    def _joined(self, text: str, amounts: list[Amount]) -> list[Amount]:
        """Return amounts with "200 W to 300 W" as one range."""
        found: list[Amount] = []
        for amount in amounts:
            before = found[-1] if found else None
            if (
                before is not None
                and before.units
                and set(before.units) & set(amount.units)
                and before.low == before.high < amount.low == amount.high
                and self._range.fullmatch(text[before.end : amount.start])
            ):
                span = text[before.start : amount.end]
                units = tuple(u for u in before.units if u in amount.units)
                found[-1] = Amount(before.start, amount.end, span, before.low, amount.high, units)
            else:
                found.append(amount)
        return found

    def _unit_at(self, text: str, start: int, before: str | None) -> tuple[int, tuple[URIRef, ...]]:
        """Return the end and the possible units of the longest unit name at a place."""
        vocabulary = self._vocabulary
        place = start + len(text[start:]) - len(text[start:].lstrip(" -"))
        if text[place : place + 1] == "+":
            place += 1
        for length in range(min(vocabulary.longest_unit, len(text) - place), 0, -1):
            name = text[place : place + length]
            if (
                re.match(r"[a-zA-Z]", text[place + length : place + length + 1])
                and name[-1].isascii()
            ):
                continue
            units = vocabulary.cased_units.get(name) or vocabulary.unit_names.get(name.lower())
            if units:
                return place + length, units
        if before:
            return start, vocabulary.cased_units.get(before.strip(), ())
        return start, ()


def _number(digits: str) -> float | None:
    if digits[0].isdigit():
        return float(digits.replace(",", ""))
    try:
        return float(cn2an.cn2an(digits.replace("两", "二") if digits != "两" else "二", "smart"))
    except ValueError:
        return None


def _is_year(digits: str) -> bool:
    return len(digits) == 4 and digits.isdigit()
