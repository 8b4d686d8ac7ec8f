"""Reads a SPARQL 1.1 query by its grammar (section 19.8), into its clauses and a canonical text.

Its own parser, since RDFLib's takes 450 ms for 10,000 `VALUES` and fails on 200 triples, and
Oxigraph's does not show what it has read. It knows no updates. The engine is given the canonical
text, written from what was read here: it cannot find a clause that is not in the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urljoin

from kg.errors import QueryFailed, QueryRefused
from kg.tokens import Place, Token, Tokens, canonical

MAX_DEPTH = 100

FORMS = ("SELECT", "CONSTRUCT", "DESCRIBE", "ASK")
UPDATES = frozenset(("ADD", "CLEAR", "COPY", "CREATE", "DELETE", "DROP", "INSERT", "LOAD", "MOVE"))
AGGREGATES = frozenset(("AVG", "COUNT", "GROUP_CONCAT", "MAX", "MIN", "SAMPLE", "SUM"))
_FUNCTION_NAMES = """
    ABS BNODE BOUND CEIL COALESCE CONCAT CONTAINS DATATYPE DAY ENCODE_FOR_URI FLOOR HOURS IF IRI
    ISBLANK ISIRI ISLITERAL ISNUMERIC ISURI LANG LANGMATCHES LCASE MD5 MINUTES MONTH NOW RAND REGEX
    REPLACE ROUND SAMETERM SECONDS SHA1 SHA256 SHA384 SHA512 STR STRAFTER STRBEFORE STRDT STRENDS
    STRLANG STRLEN STRSTARTS STRUUID SUBSTR TIMEZONE TZ UCASE URI UUID YEAR"""
FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_OPERATORS = frozenset(
    ("||", "&&", "=", "!=", "<", ">", "<=", ">=", "IN", "NOT", "+", "-", "*", "/")
)


@dataclass(slots=True)
class Clause:
    """A part of a query: its kind in the algebra, where it starts, what it names, its parts."""

    kind: str
    start: int
    named: str | None = None
    parts: list[Clause] = field(default_factory=list)

    def walk(self) -> Iterator[Clause]:
        """Yield this clause and all below it."""
        stack = [self]
        while stack:
            clause = stack.pop()
            yield clause
            stack.extend(clause.parts)


@dataclass(frozen=True)
class ReadQuery:
    """A query that fits the grammar.

    Attributes:
        form: select, ask, construct or describe.
        text: What the engine is given: one line, no comments, strings and addresses unescaped.
        tree: The clauses; the root is the query.
        variables: The names of all variables, in the order of their first appearance.
        all_selected: Whether it is a SELECT *.
    """

    form: str
    text: str
    tree: Clause
    variables: tuple[str, ...]
    all_selected: bool
    _tokens: Tokens
    _starts: list[int]
    _written: list[str]

    def place(self, clause: Clause) -> Place:
        """Return where a clause starts in the query as it was written."""
        return self._tokens.place(clause.start)

    def place_of_column(self, column: int) -> Place:
        """Return where that is, as written, which stands at a column (from 1) of `text`."""
        end = 0
        for start, piece in zip(self._starts, self._written, strict=True):
            end += len(piece) + 1
            if column <= end:
                return self._tokens.place(start)
        return self._tokens.place(len(self._tokens.text))


def read_query(
    text: str, prefixes: Mapping[str, str] | None = None, base: str | None = None
) -> ReadQuery:
    """Return what a query says.

    Args:
        text: The query.
        prefixes: Usual prefixes, which the query need not declare.
        base: What relative IRIs are resolved against.

    Raises:
        QueryFailed: If it does not fit the grammar, with line and column.
        QueryRefused: If it nests deeper than `MAX_DEPTH`.
    """
    return _Reader(text, prefixes or {}, base or "").query()


class _Reader:
    def __init__(self, text: str, prefixes: Mapping[str, str], base: str) -> None:
        self.tokens = Tokens(text)
        self.base = base
        self.usual = prefixes
        self.declared: dict[str, str] = {}
        self.borrowed: dict[str, str] = {}
        self.written: list[str] = []
        self.starts: list[int] = []
        self.variables: dict[str, None] = {}
        self.all_selected = False
        self.depth = 0
        self.clause = Clause("Query", 0)

    # What every rule is made of

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

    # Queries

    def query(self) -> ReadQuery:
        self.prologue()
        form = self.word
        self.clause = root = Clause(f"{form.capitalize()}Query", self.tokens.next.start)
        if form in UPDATES or form == "WITH":
            raise self.tokens.fail(f"{form} is an update", self.tokens.next.start)
        if form not in FORMS:
            raise self.unexpected(", ".join(FORMS[:-1]) + f" or {FORMS[-1]}")
        {
            "SELECT": self.select,
            "CONSTRUCT": self.construct,
            "DESCRIBE": self.describe,
            "ASK": self.ask,
        }[form]()
        self.values_clause()
        if self.kind != "end":
            raise self.unexpected("the end of the query")
        for prefix, iri in self.borrowed.items():
            self.written.insert(0, f"PREFIX {prefix}: <{iri}>")
            self.starts.insert(0, 0)
        text = " ".join(self.written)
        return ReadQuery(
            form=form.lower(),
            text=text,
            tree=root,
            variables=tuple(self.variables),
            all_selected=self.all_selected,
            _tokens=self.tokens,
            _starts=self.starts,
            _written=self.written,
        )

    def prologue(self) -> None:
        while self.word in ("BASE", "PREFIX"):
            if self.take().word == "PREFIX":
                token = self.tokens.next
                if token.kind != "name" or not token.text.endswith(":"):
                    raise self.unexpected("a prefix with its colon")
                prefix = self.take().text[:-1]
                self.declared[prefix] = self.address()
            else:
                self.base = self.address()

    def address(self) -> str:
        if self.kind != "iri":
            raise self.unexpected("an address in <>")
        self.take()
        return urljoin(self.base, self.written[-1][1:-1])

    def select(self, whole: bool = True) -> None:
        self.expect("SELECT")
        self.accept("DISTINCT", "REDUCED")
        if self.accept("*"):
            self.all_selected = self.all_selected or whole
        else:
            self.several(self.selected, "a variable, (an expression AS a variable) or *")
        if whole:
            self.dataset()
        self.where()
        self.modifiers()

    def selected(self) -> bool:
        if self.kind == "var":
            self.take()
        elif self.accept("("):
            self.expression()
            self.expect("AS")
            self.variable()
            self.expect(")")
        else:
            return False
        return True

    def construct(self) -> None:
        self.expect("CONSTRUCT")
        short = self.word != "{"
        if not short:
            self.template()
        self.dataset()
        if short:
            self.expect("WHERE")
            with self.deeper("Group"):
                self.template()
        else:
            self.where()
        self.modifiers()

    def template(self) -> None:
        """Read triples in braces, with plain verbs only."""
        self.expect("{")
        while self.word != "}":
            self.triples(paths=False)
            if not self.accept("."):
                break
        self.expect("}")

    def describe(self) -> None:
        self.expect("DESCRIBE")
        if not self.accept("*"):
            self.several(self.var_or_iri, "a variable, an IRI or *")
        self.dataset()
        if self.word in ("WHERE", "{"):
            self.where()
        self.modifiers()

    def ask(self) -> None:
        self.expect("ASK")
        self.dataset()
        self.where()
        self.modifiers()

    def dataset(self) -> None:
        while self.word == "FROM":
            start = self.take()
            kind = "FromNamed" if self.accept("NAMED") else "From"
            with self.deeper(kind, start):
                self.clause.named = self.iri_text()

    def where(self) -> None:
        self.accept("WHERE")
        self.group()

    def modifiers(self) -> None:
        if self.accept("GROUP"):
            self.expect("BY")
            self.several(self.group_condition, "what to group by")
        if self.accept("HAVING"):
            self.several(self.constraint, "a condition")
        if self.accept("ORDER"):
            self.expect("BY")
            self.several(self.order_condition, "what to order by")
        seen: set[str] = set()
        while self.word in {"LIMIT", "OFFSET"} - seen:
            seen.add(self.take().word)
            if self.kind != "number" or not self.tokens.next.text.isdigit():
                raise self.unexpected("a whole number")
            self.take()

    def group_condition(self) -> bool:
        if self.kind == "var":
            self.take()
        elif self.accept("("):
            self.expression()
            if self.accept("AS"):
                self.variable()
            self.expect(")")
        else:
            return self.call()
        return True

    def order_condition(self) -> bool:
        if self.accept("ASC", "DESC"):
            self.bracketed()
        elif self.kind == "var":
            self.take()
        else:
            return self.constraint()
        return True

    def values_clause(self) -> None:
        if self.word == "VALUES":
            with self.deeper("Values"):
                self.take()
                self.data_block()

    def several(self, rule: Callable[[], bool], wanted: str) -> None:
        if not rule():
            raise self.unexpected(wanted)
        while rule():
            pass

    # Graph patterns

    def group(self) -> None:
        with self.deeper("Group"):
            self.expect("{")
            if self.word == "SELECT":
                self.clause.kind = "SubSelect"
                self.select(whole=False)
                self.values_clause()
            else:
                self.patterns()
            self.expect("}")

    def patterns(self) -> None:
        triples_may_follow = True
        while self.word != "}":
            if self.pattern():
                self.accept(".")
                triples_may_follow = True
            elif triples_may_follow:
                self.triples(paths=True)
                triples_may_follow = self.accept(".")
            else:
                raise self.unexpected(". or }")

    def pattern(self) -> bool:
        """Read what is no triple, if one stands here."""
        word = self.word
        if word == "{":
            self.group_or_union()
        elif word in ("OPTIONAL", "MINUS"):
            with self.deeper(word.capitalize()):
                self.take()
                self.group()
        elif word in ("GRAPH", "SERVICE"):
            with self.deeper(word.capitalize()):
                self.take()
                if word == "SERVICE":
                    self.accept("SILENT")
                self.clause.named = self.var_or_iri_text()
                self.group()
        elif word == "FILTER":
            with self.deeper("Filter"):
                self.take()
                if not self.constraint():
                    raise self.unexpected("a condition")
        elif word == "BIND":
            with self.deeper("Bind"):
                self.take()
                self.expect("(")
                self.expression()
                self.expect("AS")
                self.variable()
                self.expect(")")
        elif word == "VALUES":
            self.values_clause()
        else:
            return False
        return True

    def group_or_union(self) -> None:
        start = self.tokens.next
        self.group()
        if self.word == "UNION":
            first = self.clause.parts.pop()
            with self.deeper("Union", start):
                self.clause.parts.append(first)
                while self.accept("UNION"):
                    self.group()

    def data_block(self) -> None:
        if self.kind == "var":
            self.take()
            self.expect("{")
            while self.word != "}":
                self.data_value()
        else:
            self.expect("(")
            while self.kind == "var":
                self.take()
            self.expect(")")
            self.expect("{")
            while self.accept("("):
                while self.word != ")":
                    self.data_value()
                self.take()
        self.expect("}")

    def data_value(self) -> None:
        if not self.accept("UNDEF") and not self.iri() and not self.literal():
            raise self.unexpected("an IRI, a literal or UNDEF")

    # Triples

    def triples(self, paths: bool) -> None:
        """Read a subject with its properties; only a compound one may stand alone."""
        compound = self.compound(paths)
        if compound is None and not self.term():
            raise self.unexpected("a pattern, a term or a variable")
        if not compound or self.at_verb(paths):
            self.properties(paths)

    def compound(self, paths: bool) -> bool | None:
        """Read ( nodes ) or [ properties ]; return whether something is inside, None if neither."""
        opening = self.word
        if opening not in ("(", "["):
            return None
        closing = ")" if opening == "(" else "]"
        with self.deeper():
            self.take()
            if self.accept(closing):
                return False
            if opening == "[":
                self.properties(paths)
            while opening == "(" and self.word != closing:
                self.node(paths)
            self.expect(closing)
        return True

    def at_verb(self, paths: bool) -> bool:
        return (
            self.kind in ("iri", "name", "var")
            or self.word == "a"
            or (paths and self.word in ("^", "!", "("))
        )

    def properties(self, paths: bool) -> None:
        self.property(paths)
        while self.accept(";"):
            if self.at_verb(paths):
                self.property(paths)

    def property(self, paths: bool) -> None:
        if self.kind == "var":
            self.take()
        elif paths:
            self.path()
        elif not self.accept("a") and not self.iri():
            raise self.unexpected("a property")
        self.node(paths)
        while self.accept(","):
            self.node(paths)

    def node(self, paths: bool) -> None:
        if self.compound(paths) is None and not self.term():
            raise self.unexpected("a term or a variable")

    def path(self) -> None:
        with self.deeper():
            self.path_step()
            while self.accept("|", "/"):
                self.path_step()

    def path_step(self) -> None:
        self.accept("^")
        if self.accept("("):
            self.path()
            self.expect(")")
        elif self.accept("!"):
            if self.accept("("):
                if self.word != ")":
                    self.path_negated()
                while self.accept("|"):
                    self.path_negated()
                self.expect(")")
            else:
                self.path_negated()
        elif not self.accept("a") and not self.iri():
            raise self.unexpected("a property or a path")
        self.accept("?", "*", "+")

    def path_negated(self) -> None:
        self.accept("^")
        if not self.accept("a") and not self.iri():
            raise self.unexpected("a property")

    # Expressions; the engine minds which operator binds stronger

    def constraint(self) -> bool:
        if self.word == "(":
            self.bracketed()
            return True
        return self.call()

    def bracketed(self) -> None:
        self.expect("(")
        self.expression()
        self.expect(")")

    def expression(self) -> None:
        with self.deeper():
            self.operand()
            self.tokens.compare_next()
            while self.word in _OPERATORS:
                if self.accept("NOT") and self.word != "IN":
                    raise self.unexpected("IN")
                if self.take().word == "IN":
                    self.arguments()
                else:
                    self.operand()
                self.tokens.compare_next()

    def operand(self) -> None:
        if self.literal():
            return
        if self.word in ("!", "+", "-"):
            with self.deeper():
                self.take()
                self.operand()
        elif self.word == "(":
            self.bracketed()
        elif self.iri():
            if self.word == "(":
                self.arguments(distinct=True)
        elif self.kind == "var":
            self.take()
        elif not self.call():
            raise self.unexpected("an expression")

    def call(self) -> bool:
        """Read a function with its arguments, if one stands here."""
        word = self.word
        if word in ("EXISTS", "NOT"):
            with self.deeper("Exists"):
                self.accept("NOT")
                self.expect("EXISTS")
                self.group()
        elif word in AGGREGATES:
            self.take()
            self.aggregate()
        elif word in FUNCTIONS:
            self.take()
            self.arguments()
        elif self.iri():
            self.arguments(distinct=True)
        else:
            return False
        return True

    def arguments(self, distinct: bool = False) -> None:
        """Read ( expressions ), written without spaces in front: Oxigraph wants `CONCAT(`."""
        if self.word != "(":
            raise self.unexpected("(")
        self.take(glue=True)
        if self.word == ")":
            self.take(glue=True)
            return
        if distinct:
            self.accept("DISTINCT")
        self.expression()
        while self.accept(","):
            self.expression()
        self.expect(")")

    def aggregate(self) -> None:
        self.expect("(")
        self.accept("DISTINCT")
        if not self.accept("*"):
            self.expression()
        if self.accept(";"):
            self.expect("SEPARATOR")
            self.expect("=")
            if self.kind != "string":
                raise self.unexpected("a string")
            self.take()
        self.expect(")")

    # Terms

    def variable(self) -> None:
        if self.kind != "var":
            raise self.unexpected("a variable")
        self.take()

    def var_or_iri(self) -> bool:
        if self.kind == "var":
            self.take()
            return True
        return self.iri()

    def var_or_iri_text(self) -> str:
        return self.take().text if self.kind == "var" else self.iri_text()

    def term(self) -> bool:
        if self.kind in ("var", "blank"):
            self.take()
            return True
        return self.iri() or self.literal()

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
