"""Sets a query's line breaks and indents, and keywords in capitals; nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

TOKEN = re.compile(
    r"""
      (?P<space>   \s+ )
    | (?P<comment> \#[^\r\n]* )
    | (?P<iri>     <[^\s<>"{}|^`]*> )
    | (?P<string>  '''(?:[^'\\]|\\.|'{1,2}(?!'))*''' | \"\"\"(?:[^"\\]|\\.|"{1,2}(?!"))*\"\"\"
                 | '(?:[^'\\\r\n]|\\.)*' | "(?:[^"\\\r\n]|\\.)*" )
    | (?P<lang>    (?<=["'])@[A-Za-z]+(?:-[A-Za-z0-9]+)* )
    | (?P<name>    (?:_|[^\W\d_][\w-]*(?:\.+[\w-]+)*)?:(?:(?:[\w:-]|%[0-9A-Fa-f]{2}|\\.)
                   (?:\.*(?:[\w:-]|%[0-9A-Fa-f]{2}|\\.))*)? )
    | (?P<var>     [?$]\w+ )
    | (?P<number>  \d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)? )
    | (?P<word>    \w+ )
    | (?P<sign>    \^\^ | && | \|\| | != | <= | >= | . )
    """,
    re.VERBOSE | re.DOTALL,
)
BEGINS_LINE = frozenset(
    [
        *("BASE", "PREFIX", "SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "FROM"),
        *("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET"),
    ]
)
BEGINS_LINE_INSIDE = frozenset(
    ["FILTER", "OPTIONAL", "BIND", "VALUES", "MINUS", "GRAPH", "SERVICE"]
)
AFTER_BRACE = frozenset(["UNION", "WHERE", ".", ";", ")", ","])
AS_WRITTEN = frozenset(["a", "true", "false"])
INDENT = "  "
SHORT = 70
TOGETHER = "together"


@dataclass(frozen=True)
class Token:
    """A piece of a query; `space` is what stood before it."""

    kind: str
    text: str
    space: str

    @property
    def word(self) -> str:
        """Its text, keywords in capitals."""
        keyword = self.kind == "word" and self.text not in AS_WRITTEN
        return self.text.upper() if keyword else self.text


def tokens(query: str) -> Iterator[Token]:
    """Yield what a query consists of."""
    space = ""
    for match in TOKEN.finditer(query):
        if match.lastgroup == "space":
            space = match.group()
        else:
            yield Token(match.lastgroup or "sign", match.group(), space)
            space = ""


def formatted(query: str) -> str:
    """Return the query laid out; one whose meaning that would change comes back as it is."""
    found = list(tokens(query))
    layout = _Layout(_short_blocks(found))
    for place, token in enumerate(found):
        layout.add(token, place)
    text = "\n".join([*layout.lines, layout.line.rstrip()]).strip() + "\n"
    same = [t.word for t in tokens(text)] == [t.word for t in tokens(query)]
    return text if same else query


def _short_blocks(found: Sequence[Token]) -> set[int]:
    """Return the places of inner braces whose block is short, on one line, and may stay there."""
    short, opened = set(), []
    for place, token in enumerate(found):
        if token.text == "{":
            opened.append(place)
        elif token.text == "}" and opened:
            start = opened.pop()
            block = found[start + 1 : place + 1]
            plain = not any(t.kind == "comment" or "\n" in t.space or t.text == "{" for t in block)
            if opened and plain and sum(len(t.text) + 1 for t in block) <= SHORT:
                short.add(start)
    return short


class _Layout:
    """Lines so far. Breaks that the author made stay, and spaces are where they were."""

    def __init__(self, short: set[int]) -> None:
        self.short = short
        self.lines: list[str] = []
        self.line = ""
        self.before = Token("", "", "")
        self.blocks: list[str] = []  # of open braces, the word before each
        self.parentheses = 0
        self.continued = False  # after a semicolon
        self.due = False  # a break, unless something comes that belongs to this line
        self.clause = ""

    def add(self, token: Token, place: int) -> None:
        """Append a token, on a new line if it begins one."""
        word = token.word
        if token.kind == "comment":
            self._add_comment(token)
        elif word == "}":
            self._close()
        else:
            if self._breaks(token):
                self._break()
            self._append(word, self._spaced(token))
            if word == "{":
                self.blocks.append(TOGETHER if place in self.short else self.clause)
                self.due, self.continued = self.blocks[-1] not in ("VALUES", TOGETHER), False
            elif word in ("(", "["):
                self.parentheses += 1
            elif word in (")", "]"):
                self.parentheses = max(0, self.parentheses - 1)
            elif word in (".", ";") and self._inside():
                self.due, self.continued = True, word == ";"
            if token.kind == "word" and word not in ("UNDEF", *AS_WRITTEN):
                self.clause = word
        self.before = token

    def _breaks(self, token: Token) -> bool:
        word = token.word
        if self.before.text == "}" and word in AFTER_BRACE:
            return False
        if self.before.kind == "comment" or self.due or (token.kind and "\n" in token.space):
            belongs = (".", ";") if self.before.text == "}" else (".", ";", "{")
            return word not in belongs or self.before.kind == "comment"
        if token.kind != "word" or self.parentheses:
            return False
        if self.blocks and self.blocks[-1] == TOGETHER:
            return False
        return word in BEGINS_LINE or (bool(self.blocks) and word in BEGINS_LINE_INSIDE)

    def _inside(self) -> bool:
        """Whether a full stop or semicolon ends a line here."""
        return bool(self.blocks) and self.blocks[-1] != TOGETHER and not self.parentheses

    def _spaced(self, token: Token) -> bool:
        before, word = self.before.text, token.word
        if before in ("(", "[") or word in (")", "]", ","):
            return False
        if word in ("{", ";") or before in ("{", "}", ";", ",", "."):
            return True
        if word == "." and self.blocks:
            return True
        return bool(token.space)

    def _add_comment(self, token: Token) -> None:
        if "\n" in token.space or not self.line:
            self._break()
        self._append(token.text, True)

    def _close(self) -> None:
        block = self.blocks.pop() if self.blocks else ""
        self.continued = False
        if block not in ("VALUES", TOGETHER) or self.before.kind == "comment":
            self._break()
        self._append("}", True)
        self.due = True
        self.clause = ""

    def _append(self, text: str, spaced: bool) -> None:
        if not self.line:
            depth = len(self.blocks) + (1 if self.continued or self.parentheses else 0)
            self.line = INDENT * depth + text
        else:
            self.line += (" " if spaced else "") + text
        self.due = False

    def _break(self) -> None:
        if self.line:
            self.lines.append(self.line.rstrip())
        self.line = ""
        self.due = False
