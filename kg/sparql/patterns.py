"""The rules for graph patterns, triples and property paths."""

from __future__ import annotations

from kg.sparql.expressions import ExpressionReader


class PatternReader(ExpressionReader):
    """Reads what stands in braces."""

    def sub_select(self) -> None:
        raise NotImplementedError  # of `QueryReader`

    def group(self) -> None:
        with self.deeper("Group"):
            self.expect("{")
            if self.word == "SELECT":
                self.clause.kind = "SubSelect"
                self.sub_select()
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

    def values_clause(self) -> None:
        if self.word == "VALUES":
            with self.deeper("Values"):
                self.take()
                self.data_block()

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
            self.take_value()
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
