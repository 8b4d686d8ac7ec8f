"""What every rule is made of, and the rules for terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urljoin

from kg.errors import QueryFailed, QueryRefused
from kg.sparql.clauses import Clause
from kg.sparql.tokens import Token, Tokens, canonical

MAX_DEPTH = 100


class TermReader:
    """Reads terms: IRIs, literals, blank nodes and variables."""

    def __init__(self, text: str, prefixes: Mapping[str, str], base: str) -> None:
        self.tokens = Tokens(text)
        self.base = base
        self.usual = prefixes
        self.declared: dict[str, str] = {}
        self.borrowed: dict[str, str] = {}
        self.written: list[str] = []
        self.starts: list[int] = []
        self.variables: dict[str, None] = {}
        # Where in what is written a variable's value, or a selected variable, stands.
        self.values: list[tuple[int, str]] = []
        self.selection: list[tuple[int, str]] = []
        self.all_selected = False
        self.limited = False
        self.depth = 0
        self.clause = Clause("Query", 0)

    @property
    def word(self) -> str:
        return self.tokens.next.word

    @property
    def kind(self) -> str:
        return self.tokens.next.kind

    def take(self, glue: bool = False) -> Token:
        """Take the next token and write it, right behind the one before if they belong together."""
        token = self.tokens.advance()
        form = canonical(token, self.tokens)
        if token.kind == "var":
            self.variables.setdefault(form[1:])
        if glue:
            self.written[-1] += form
        else:
            self.written.append(form)
            self.starts.append(token.start)
        return token

    def take_value(self) -> Token:
        """Take a variable that stands for its value."""
        self.values.append((len(self.written), self.tokens.next.text[1:]))
        return self.take()

    def accept(self, *words: str) -> bool:
        if self.word in words:
            self.take()
            return True
        return False

    def expect(self, *words: str) -> Token:
        if self.word not in words:
            raise self.unexpected(" or ".join(words))
        return self.take()

    def unexpected(self, wanted: str) -> QueryFailed:
        token = self.tokens.next
        return self.tokens.fail(f"expected {wanted}, found {token}", token.start)

    @contextmanager
    def deeper(self, kind: str | None = None, start: Token | None = None) -> Iterator[None]:
        """Count one more level of nesting, and a clause if it is one."""
        token = start or self.tokens.next
        self.depth += 1
        if self.depth > MAX_DEPTH:
            place = self.tokens.place(token.start)
            raise QueryRefused(
                f"nested deeper than {MAX_DEPTH} levels", None, place.line, place.column
            )
        outer = self.clause
        if kind is not None:
            self.clause = Clause(kind, token.start)
            outer.parts.append(self.clause)
        yield
        self.clause = outer
        self.depth -= 1

    def several(self, rule: Callable[[], bool], wanted: str) -> None:
        if not rule():
            raise self.unexpected(wanted)
        while rule():
            pass

    def address(self) -> str:
        if self.kind != "iri":
            raise self.unexpected("an address in <>")
        self.take()
        return urljoin(self.base, self.written[-1][1:-1])

    def variable(self) -> None:
        if self.kind != "var":
            raise self.unexpected("a variable")
        self.take()

    def var_or_iri(self) -> bool:
        if self.kind == "var":
            self.take_value()
            return True
        return self.iri()

    def var_or_iri_text(self) -> str:
        return self.take_value().text if self.kind == "var" else self.iri_text()

    def term(self) -> bool:
        if self.kind == "var":
            self.take_value()
        elif self.kind == "blank":
            self.take()
        else:
            return self.iri() or self.literal()
        return True

    def iri(self) -> bool:
        """Read an address or a prefixed name whose prefix is known, if one stands here."""
        token = self.tokens.next
        if token.kind == "name":
            prefix = token.text.partition(":")[0]
            if prefix not in self.declared:
                if prefix not in self.usual:
                    raise self.tokens.fail(f"the prefix {prefix}: is not declared", token.start)
                self.borrowed[prefix] = self.usual[prefix]
        elif token.kind != "iri":
            return False
        self.take()
        return True

    def iri_text(self) -> str:
        """Read an IRI and return it in full."""
        token = self.tokens.next
        if not self.iri():
            raise self.unexpected("an IRI")
        if token.kind == "iri":
            return urljoin(self.base, self.written[-1][1:-1])
        prefix, _, local = token.text.partition(":")
        return self.declared.get(prefix, self.usual.get(prefix, "")) + local.replace("\\", "")

    def literal(self) -> bool:
        if self.kind == "string":
            self.take()
            if self.kind == "lang":
                self.take(glue=True)
            elif self.word == "^^":
                self.take(glue=True)
                self.iri_glued()
        elif self.kind == "number" or self.word in ("TRUE", "FALSE"):
            self.take()
        elif self.word in ("+", "-") and self.number_follows():
            self.take()
            self.take(glue=True)
        else:
            return False
        return True

    def iri_glued(self) -> None:
        """Read a datatype and write it right behind its string."""
        if not self.iri():
            raise self.unexpected("a datatype")
        self.starts.pop()
        self.written[-2:] = ["".join(self.written[-2:])]

    def number_follows(self) -> bool:
        """Whether the sign that stands here belongs to a number: nothing is between them."""
        after = self.tokens.text[self.tokens.next.end :][:2]
        return after[:1].isdigit() or (after[:1] == "." and after[1:].isdigit())
