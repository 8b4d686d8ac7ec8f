"""Reads single cells: numbers with or without a unit, dates, texts, identifiers, addresses."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from decimal import Decimal

from rdflib.namespace import RDF, RDFS, XSD
from rdflib.term import Literal, Node, URIRef

from kg.importing.problems import BadCell
from kg.importing.quantities import Quantity
from kg.importing.units import Unit
from kg.importing.vocabulary import ADDRESS, Vocabulary
from kg.namespaces import TW, TWD

NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)")
IDENTIFIER = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")
FURTHER = re.compile(r"(.+)--\d+")
"""An identifier of a further reading: the row's that it is a reading of, and a number."""

TITLE_AND_ADDRESS = re.compile(r"(\S.*?)\s*<(\S+)>")

DATES = {
    re.compile(r"[12]\d{3}"): XSD.gYear,
    re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])"): XSD.gYearMonth,
    re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"): XSD.date,
}

Amount = tuple[Decimal, Unit, Decimal | None]
"""A number, its unit, and the number in the quantity's standard unit, if there is one."""


@dataclass(frozen=True)
class NumberCell:
    """A number as it stands in a cell, and the unit beside it, empty if there is none."""

    number: Decimal
    unit: str


def number(value: str) -> NumberCell:
    """Return the number of a cell, which has to be above zero.

    Raises:
        BadCell: If the cell does not begin with a number, or it is zero or below.
    """
    match = NUMBER.match(value)
    rest = value[match.end() :] if match else ""
    # "1,000" could be one or a thousand; "12.5.3" and "8x" are no numbers with a unit behind.
    if match is None or re.match(r"[\d.,:xX~–-]", rest):
        raise BadCell("not-a-number", value)
    found = Decimal(match[1])
    if found <= 0:
        raise BadCell("not-positive", value)
    return NumberCell(found, rest.strip())


def amount(value: str, unit: str, quantity: Quantity, vocabulary: Vocabulary) -> Amount:
    """Return a cell's number in its own unit, else in the one given, and in the standard unit.

    Raises:
        BadCell: If number or unit are not as they must be, or the number is out of
            what is plausible for the quantity, as when a digit slips.
    """
    cell = number(value)
    try:
        found = vocabulary.unit(cell.unit or unit, quantity)
    except BadCell as error:
        # Words behind a number, as in "80 or so", are no unit anybody has heard of.
        if cell.unit and error.key == "unknown-unit" and not re.fullmatch(r"\S+", cell.unit):
            raise BadCell("not-a-number", value) from error
        raise
    standard = vocabulary.units.by_iri[quantity.standard]
    if not found.converts_to(standard):
        return cell.number, found, None
    converted = found.convert(cell.number, standard)
    least, most = quantity.least, quantity.most
    if least is not None and most is not None and not least <= converted <= most:
        bounds = f"{plain(least)}–{plain(most)} {standard.symbol}"
        raise BadCell("implausible", value, [bounds])
    return cell.number, found, converted


def identifier(value: str) -> str:
    """Return an identifier, which becomes part of an IRI.

    Raises:
        BadCell: If it has characters other than Latin letters, digits, and - _ . within.
    """
    if not IDENTIFIER.fullmatch(value):
        raise BadCell("bad-identifier", value)
    return value


def date(value: str) -> Literal:
    """Return a year, month or day.

    Raises:
        BadCell: If it is none of these.
    """
    for pattern, datatype in DATES.items():
        if pattern.fullmatch(value):
            return Literal(value, datatype=datatype)
    raise BadCell("not-a-date", value, ["2026", "2026-11", "2026-11-30"])


def address(value: str) -> URIRef:
    """Return a web address.

    Raises:
        BadCell: If it is none.
    """
    if not ADDRESS.fullmatch(value):
        raise BadCell("not-an-address", value)
    return URIRef(value)


@dataclass(frozen=True)
class WebSource:
    """A page on the web as a source; its title is its address, unless another is given."""

    url: str
    title: str

    @property
    def iri(self) -> URIRef:
        """The source's node; the same address always has the same."""
        name = re.sub(r"[^a-z0-9]+", "-", self.url.partition("://")[2].lower()).strip("-")
        digest = hashlib.sha256(self.url.encode()).hexdigest()[:8]
        return URIRef(TWD[f"source-{name[:60].strip('-')}-{digest}"])

    def triples(self) -> list[tuple[URIRef, URIRef, Node]]:
        """Return what the source's node says."""
        return [
            (self.iri, RDF.type, TW.Source),
            (self.iri, RDFS.seeAlso, URIRef(self.url)),
            (self.iri, RDFS.label, Literal(self.title, lang="en")),
            (self.iri, RDFS.label, Literal(self.title, lang="zh")),
        ]


def web_source(value: str) -> WebSource | None:
    """Return the source that a cell gives by address, as `https://…` or `title <https://…>`."""
    match = TITLE_AND_ADDRESS.fullmatch(value)
    if match is None and ADDRESS.fullmatch(value):
        return WebSource(value, value)
    if match is not None and ADDRESS.fullmatch(match[2]):
        return WebSource(match[2], match[1])
    return None


def decimal(value: Decimal) -> Literal:
    """Return a decimal literal in one form per number: 80 and 80.00 are 80.0."""
    return Literal(
        f"{plain(value)}.0" if value == int(value) else plain(value), datatype=XSD.decimal
    )


def plain(value: Decimal) -> str:
    """Return a number without exponent and trailing zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
