r"""Cuts the text of a SPARQL 1.1 query into tokens (section 19.8 of the specification).

A token is cut only when the grammar asks for one, since `<` begins an address where a
term may stand and compares where an operator may. Each token knows its place and its
canonical form; a query is run from these forms and never from its text, so nothing that
was read as a comment, a string or an address can be read as a clause by the engine.

Codepoint escapes count inside strings and addresses only, as in the engine and in the
W3C tests. Section 19.2 would replace them before anything else; where that could change
what is a string, an address or a comment, the guard refuses them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

from kg.errors import QueryFailed

_BASE = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_START = f"{_BASE}_"
_CHAR = f"{_START}0-9\\-\u00b7\u0300-\u036f\u203f-\u2040"
_VARCHAR = f"{_START}0-9\u00b7\u0300-\u036f\u203f-\u2040"
_CODEPOINT = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_IN_NAME = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_IN_STRING = rf"\\[tbnrf\\\"']|{_CODEPOINT}"

_SPACE = re.compile(r"(?:[ \t\r\n]+|#[^\r\n]*)*")
_TOKEN = re.compile(
    rf"""
      (?P<iri>     <(?:[^\x00-\x20<>"{{}}|^`\\]++|{_CODEPOINT})*+> )
    | (?P<var>     [?$][{_START}0-9][{_VARCHAR}]*+ )
    | (?P<string>  '''(?:[^'\\]++|{_IN_STRING}|'{{1,2}}(?!'))*+'''
                 | \"\"\"(?:[^"\\]++|{_IN_STRING}|"{{1,2}}(?!"))*+\"\"\"
                 | '(?:[^'\\\n\r]++|{_IN_STRING})*+'
                 | "(?:[^"\\\n\r]++|{_IN_STRING})*+" )
    | (?P<blank>   _:[{_START}0-9](?:\.*[{_CHAR}])* )
    | (?P<name>    (?:[{_BASE}](?:\.*[{_CHAR}])*)?:
                   (?:(?:[{_START}:0-9]|{_IN_NAME})(?:\.*(?:[{_CHAR}:]|{_IN_NAME}))*)? )
    | (?P<number>  (?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+ | [0-9]*\.[0-9]+ | [0-9]+ )
    | (?P<lang>    @[A-Za-z]+(?:-[A-Za-z0-9]+)* )
    | (?P<word>    [A-Za-z][A-Za-z0-9_]* )
    | (?P<sign>    \^\^|&&|\|\||!=|<=|>=|[{{}}()\[\].,;=<>+\-*/!^|?] )
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_UNESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_WRITTEN = str.maketrans(
    {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\u0000"}
)
_OUTSIDE_IRIS = frozenset('<>"{}|^`\\') | frozenset(map(chr, range(0x21)))


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a query: line and column, both from 1, and character offset."""

    line: int
    column: int
    offset: int


class Token(NamedTuple):  # a third of a frozen dataclass's time, and a query may have 100,000
    """A piece of a query: its kind, its text as written, and where it starts and ends."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """What it is in the grammar: a keyword in capitals, a sign, or nothing."""
        if self.kind == "word":
            return "a" if self.text == "a" else self.text.upper()
        return self.text if self.kind == "sign" else ""

    def __str__(self) -> str:
        return repr(self.text) if self.text else "the end of the query"


class Tokens:
    """The tokens of one query, cut one at a time."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines: list[int] = []
        self.next = self._cut(0)

    def advance(self) -> Token:
        """Return the next token and cut the one after it."""
        token = self.next
        self.next = self._cut(token.end)
        return token

    def compare_next(self) -> None:
        """Take `<` as the sign, not as the start of an address: an operator may stand here."""
        token = self.next
        if token.kind == "iri":
            length = 2 if token.text.startswith("<=") else 1
            self.next = Token("sign", token.text[:length], token.start, token.start + length)

    def place(self, offset: int) -> Place:
        """Return line and column of an offset."""
        if not self._lines:
            self._lines = [0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", self.text))]
        line = bisect_right(self._lines, offset)
        return Place(line, offset - self._lines[line - 1] + 1, offset)

    def fail(self, problem: str, offset: int) -> QueryFailed:
        """Return the error for a place that does not fit the grammar."""
        place = self.place(offset)
        return QueryFailed(
            f"not a SPARQL query (updates are not accepted): line {place.line}, "
            f"column {place.column}: {problem}",
            place.line,
            place.column,
        )

    def _cut(self, position: int) -> Token:
        space = _SPACE.match(self.text, position)
        start = space.end() if space else position
        if start == len(self.text):
            return Token("end", "", start, start)
        found = _TOKEN.match(self.text, start)
        if found is None:
            raise self.fail(_unreadable(self.text[start]), start)
        return Token(found.lastgroup or "", found.group(), start, found.end())


def canonical(token: Token, fail: Tokens) -> str:
    """Return the one form in which a token is given to the engine."""
    if token.kind == "string":
        return '"' + _value(token, fail).translate(_WRITTEN) + '"'
    if token.kind == "iri" and "\\" in token.text:
        value = _ESCAPE.sub(_escaped, token.text[1:-1])
        if bad := _OUTSIDE_IRIS & set(value):
            raise fail.fail(f"{sorted(bad)[0]!r} cannot be part of an address", token.start)
        return f"<{value}>"
    if token.text.lower() in ("true", "false"):
        return token.text.lower()
    return token.word or token.text


def _value(token: Token, fail: Tokens) -> str:
    quotes = 3 if token.text[:3] in ("'''", '"""') and len(token.text) >= 6 else 1
    value = _ESCAPE.sub(_escaped, token.text[quotes:-quotes])
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise fail.fail("half of a surrogate pair is no character", token.start)
    return value


def _escaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if code[0] in "uU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number <= 0x10FFFF else "\ud800"
    return _UNESCAPED.get(code, code)


def _unreadable(character: str) -> str:
    if character in "'\"":
        return "a string that does not end, or holds an unknown escape"
    return f"{character!r} cannot stand here"
