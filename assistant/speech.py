"""Puts statements, names and figures into words and tables, in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import cache

from rdflib import URIRef
from rdflib.namespace import RDFS
from rdflib.term import Identifier

from assistant.answer import Table
from assistant.linking import Linked
from assistant.messages import Messages
from assistant.normalisation import normalise
from assistant.selecting import Candidate
from kg import KnowledgeGraph, Row

TW = "https://w3id.org/trainwright/ontology#"

FIGURES = """
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?figure ?value ?symbol ?bound ?low ?high WHERE {
  ?figure a tw:Figure ; qudt:numericValue ?value ; qudt:unit/qudt:symbol ?symbol ; tw:bound ?bound .
  OPTIONAL { ?figure tw:probableMinimum ?low ; tw:probableMaximum ?high }
}
"""
COLLECTING = """
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?node WHERE { ?node tw:collects true }
"""
COLUMNS = ("scenario", "part", "model", "count", "capacity")


class Speech:
    """Words for what the graph says."""

    def __init__(self, graph: KnowledgeGraph, messages: Messages) -> None:
        self._graph = graph
        self._messages = messages
        self._figures = {URIRef(str(r["figure"])): r for r in graph.select(FIGURES)}
        self._collecting = {URIRef(str(r["node"])) for r in graph.select(COLLECTING)}
        self.name = cache(self._name)
        self._wording = cache(self._wording_of)

    def _name(self, node: URIRef, language: str) -> str:
        """Return a node's label, or its IRI's last part if it has none."""
        return self._graph.text(node, RDFS.label, language) or str(node).rsplit("/", 1)[-1]

    def names(
        self, nodes: Sequence[URIRef], language: str, as_mentioned: Linked | None = None
    ) -> str:
        """Return the names of nodes in a row.

        A node that gathers many names ("other NVIDIA GPU") is called by the one that was asked.
        """
        mentions = as_mentioned.things if as_mentioned else ()
        asked = as_mentioned.question if as_mentioned else ""
        parts = []
        for node in nodes:
            words = [_as_written(m.text, asked) for m in mentions if m.node == node]
            gathers = node in self._collecting and words
            parts += words if gathers else [self.name(node, language)]
        return self._messages("name-separator", language).join(dict.fromkeys(parts))

    def _wording_of(self, statement: URIRef, language: str) -> str:
        return self._graph.text(statement, URIRef(TW + "wording"), language) or ""

    def cited(self, statements: Sequence[URIRef], language: str, first: int = 1) -> str:
        """Return the wordings of statements, each followed by its citation number."""
        return " ".join(
            f"{self._wording(s, language)}[{n}]"
            if language == "zh"
            else f"{self._wording(s, language)} [{n}]"
            for n, s in enumerate(statements, first)
        )

    def answer(self, selected: Candidate, statements: Sequence[URIRef], language: str) -> str:
        """Return the text of an answer by its template's pattern."""
        candidate = selected
        pattern = candidate.template.patterns[language]
        held = {row["statement"] for row in candidate.rows}
        if not held.issuperset(statements):
            pattern = "{statements}"  # its lead would be said of more than its rows
        subjects = list(dict.fromkeys(n for b in candidate.bindings for n in b.values()))
        return pattern.format(
            statements=self.cited(statements, language),
            passages=self._passages(statements, language) if "{passages}" in pattern else "",
            things=self._things(candidate.rows, statements, language),
            subject=self.names(subjects, language),
        )

    def _passages(self, statements: Sequence[URIRef], language: str) -> str:
        parts = []
        for n, statement in enumerate(statements, 1):
            section = next(iter(self._graph.objects(statement, URIRef(TW + "inSection"))))
            cited = self.cited([statement], language, first=n)
            title = self.name(URIRef(str(section)), language)
            parts.append(self._messages("passage", language, section=title, statement=cited))
        return self._messages("list-separator", language).join(parts)

    def _things(self, rows: Sequence[Row], statements: Sequence[URIRef], language: str) -> str:
        number = {str(s): n for n, s in enumerate(statements, 1)}
        named: dict[str, int] = {}
        for row in rows:
            if "thing" in row and str(row["statement"]) in number:
                label = self.name(URIRef(str(row["thing"])), language)
                named.setdefault(label, number[str(row["statement"])])
        mark = "[{}]" if language == "zh" else " [{}]"
        joined = self._messages("name-separator", language)
        return joined.join(label + mark.format(n) for label, n in named.items())

    def figure(self, node: Identifier, language: str) -> str:
        """Return a figure with its unit, its bound, and both readings if it is damaged."""
        row = self._figures[URIRef(str(node))]
        value = f"{Decimal(str(row['value'])).normalize():f}"
        symbol = str(row["symbol"])
        text = value if symbol == "1" else f"{value} {symbol}"
        if "low" in row:
            low, high = (f"{Decimal(str(row[k])).normalize():f}" for k in ("low", "high"))
            return self._messages("damaged", language, value=text, low=low, high=high)
        if str(row["bound"]).endswith("AtLeast"):
            return self._messages("at-least", language, value=text)
        return text

    def table(self, selected: Candidate, language: str) -> Table | None:
        """Return configured parts as a table, one row a part; None for other rows."""
        rows = [r for r in selected.rows if "scenario" in r and "part" in r]
        if len(rows) < 2 or selected.template.selection != "Exhaustive":
            return None
        merged: dict[tuple[str, str, str], list[str]] = {}
        for row in rows:
            scenario, part = (
                self.name(URIRef(str(row[k])), language) for k in ("scenario", "part")
            )
            cells = merged.setdefault(
                (scenario, part, str(row["statement"])), [scenario, part, "", "", ""]
            )
            if "model" in row:
                model = self.name(URIRef(str(row["model"])), language)
                known = cells[2].split(" / ") if cells[2] else []
                cells[2] = " / ".join(dict.fromkeys([*known, model]))
            for place, key in ((3, "count"), (4, "capacity")):
                if key in row:
                    text = self.figure(row[key], language)
                    if "perNode" in row:
                        text = self._messages("per-node", language, value=text)
                    cells[place] = text
        if len(merged) < 2:
            return None
        cells_by_row = list(merged.values())
        used = [i for i in range(len(COLUMNS)) if any(cells[i] for cells in cells_by_row)]
        titles = [self._messages(f"column-{COLUMNS[i]}", language) for i in used]
        return Table(titles, [[cells[i] for i in used] for cells in cells_by_row])


def _as_written(word: str, question: str) -> str:
    """Return a name as the question spells it: the linked text is in one script and case."""
    for start in range(len(question) - len(word) + 1):
        window = question[start : start + len(word)]
        if window.lower() == word or normalise(window) == word:
            return window
    return word
