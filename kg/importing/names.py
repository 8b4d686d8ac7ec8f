"""Names the nodes that an import makes: readable, and no two alike in a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rdflib.term import Node, URIRef

from kg.namespaces import TWD


@dataclass
class Names:
    """The names given so far; those of a row that is left out are given again."""

    taken: set[URIRef] = field(default_factory=set)
    of_row: set[URIRef] = field(default_factory=set)

    def give(self, kind: str, node: URIRef, parts: Iterable[str]) -> URIRef:
        """Return a name made of its parts, with a number from the second of that name on."""
        base = URIRef(TWD["-".join([kind, node.removeprefix(TWD), *parts])])
        name, count = base, 1
        while name in self.taken or name in self.of_row:
            count += 1
            name = URIRef(f"{base}-{count}")
        self.of_row.add(name)
        return name

    def end_row(self, keep: bool) -> None:
        """Keep the names of a row, or free them."""
        if keep:
            self.taken |= self.of_row
        self.of_row.clear()


def local_name(term: Node) -> str:
    """Return the last part of an IRI as it stands in IRIs of data: `OneWay` is one-way."""
    name = str(term).rpartition("/")[2].rpartition("#")[2]
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")
