"""Brings the many spellings of a question to one: width, case, script, stray characters."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from opencc import OpenCC

MAX_CHARACTERS = 1_000

_BREAKING = frozenset({"Cc", "Co", "Cs", "Cn"})
# Marks that are set over or under a Latin letter.
_MARKS = re.compile(r"[\u0300-\u036f]")
_SPACE = re.compile(r"\s+")
_HAN = re.compile(r"[㐀-䶿一-鿿]")
# Letters that stand for a digit inside a product number: V10O, A1OO, 4O90.
_DESIGNATOR = re.compile(r"(?<![a-z0-9])(?=[a-z]*\d)[a-z0-9]{3,8}(?![a-z0-9])")
_DIGIT_LOOKALIKES = re.compile(r"(?<=\d)o+(?=s?$|\d|o)|(?<=\d)l(?=\d)")


@cache
def _simplifier() -> OpenCC:
    # tw2sp also replaces regional words (記憶體 → 内存), which t2s would leave.
    return OpenCC("tw2sp")


def normalise(text: str) -> str:
    """Return the text in lower case, half width, simplified characters, single spaces.

    Accents and characters that join or hide are dropped, control characters separate;
    text beyond `MAX_CHARACTERS` is cut.
    """
    return _DESIGNATOR.sub(
        lambda m: _DIGIT_LOOKALIKES.sub(_as_digits, m.group()), normalise_but_case(text).lower()
    )


def normalise_but_case(text: str) -> str:
    """Return the text normalised, with its case: Gb/s is not GB/s."""
    text = _MARKS.sub("", unicodedata.normalize("NFKD", text[: MAX_CHARACTERS * 4]))
    text = unicodedata.normalize("NFKC", text)
    text = "".join(_visible(c) for c in text)
    text = _SPACE.sub(" ", text).strip()[:MAX_CHARACTERS]
    if has_han(text):
        text = _simplifier().convert(text)
    return text


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf":  # joiners, soft hyphens, direction marks: inside words
        return ""
    return " " if category in _BREAKING else character


def has_han(text: str) -> bool:
    """Return whether the text holds a Chinese character."""
    return _HAN.search(text) is not None


def han_share(text: str) -> float:
    """Return the share of Chinese characters among Chinese characters and Latin words."""
    han = len(_HAN.findall(text))
    words = len(re.findall(r"[A-Za-z]{2,}", text))
    return han / (han + words) if han + words else 0.0


def _as_digits(match: re.Match[str]) -> str:
    return match.group().replace("o", "0").replace("l", "1")
