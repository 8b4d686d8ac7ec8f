"""The rules for whole queries, their prologue and their modifiers."""

from __future__ import annotations

from collections.abc import Mapping

from kg.sparql.clauses import Clause, Form, ReadQuery
from kg.sparql.patterns import PatternReader

FORMS: dict[str, Form] = {
    "SELECT": "select",
    "CONSTRUCT": "construct",
    "DESCRIBE": "describe",
    "ASK": "ask",
}
UPDATES = frozenset(("ADD", "CLEAR", "COPY", "CREATE", "DELETE", "DROP", "INSERT", "LOAD", "MOVE"))


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
    return QueryReader(text, prefixes or {}, base or "").query()


class QueryReader(PatternReader):
    """Reads a query of any form."""

    def query(self) -> ReadQuery:
        self.prologue()
        form = self.word
        self.clause = root = Clause(f"{form.capitalize()}Query", self.tokens.next.start)
        if form in UPDATES or form == "WITH":
            raise self.tokens.fail(f"{form} is an update", self.tokens.next.start)
        if form not in FORMS:
            raise self.unexpected("SELECT, CONSTRUCT, DESCRIBE or ASK")
        {
            "SELECT": self.select,
            "CONSTRUCT": self.construct,
            "DESCRIBE": self.describe,
            "ASK": self.ask,
        }[form]()
        limited = self.limited or self.word == "VALUES"
        self.values_clause()
        if self.kind != "end":
            raise self.unexpected("the end of the query")
        for prefix, iri in self.borrowed.items():
            self.written.insert(0, f"PREFIX {prefix}: <{iri}>")
            self.starts.insert(0, 0)
        text = " ".join(self.written)
        return ReadQuery(
            form=FORMS[form],
            text=text,
            tree=root,
            variables=tuple(self.variables),
            all_selected=self.all_selected,
            limited=limited,
            _values=[(len(self.borrowed) + place, name) for place, name in self.values],
            _selection=[(len(self.borrowed) + place, name) for place, name in self.selection],
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

    def sub_select(self) -> None:
        self.select(whole=False)
        self.values_clause()

    def selected(self) -> bool:
        if self.kind == "var":
            self.selection.append((len(self.written), self.tokens.next.text[1:]))
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
            self.limited = self.limited or self.depth == 0
            self.expect("BY")
            self.several(self.order_condition, "what to order by")
        seen: set[str] = set()
        while self.word in {"LIMIT", "OFFSET"} - seen:
            seen.add(self.take().word)
            self.limited = self.limited or ("LIMIT" in seen and self.depth == 0)
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
