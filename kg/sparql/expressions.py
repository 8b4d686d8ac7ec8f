"""The rules for expressions; the engine minds which operator binds stronger."""

from __future__ import annotations

from kg.sparql.terms import TermReader

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


class ExpressionReader(TermReader):
    """Reads expressions, functions and conditions."""

    def group(self) -> None:
        raise NotImplementedError  # of `PatternReader`; EXISTS holds one

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
            self.take_value()
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
