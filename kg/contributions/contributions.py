"""Adds to the graph what users know: reads it, checks it, saves it, takes it back.

contributions = Contributions.open()
draft = contributions.check_file(Path("mine.csv"))     # errors, warnings, figures as understood
ids = contributions.save(draft, "Li Wei", confirmed=True)
contributions.undo(ids[0]); contributions.redo(ids[0])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pyoxigraph as ox
import rdflib
from rdflib.namespace import DCTERMS, RDF
from rdflib.term import URIRef

from kg.contributions.completing import Understood, completed, understood
from kg.contributions.contributed_graph import ContributedGraph
from kg.contributions.contribution import Author, Contribution, read
from kg.contributions.errors import ContributionError, ContributionRefused
from kg.contributions.fields import Choice, Form, form, form_classes
from kg.contributions.filled_forms import Values, filled
from kg.contributions.findings import Fault, Finding, RowFault
from kg.contributions.folder import ContributionFolder, chosen_by, new_identifier
from kg.contributions.knowledge import Knowledge
from kg.contributions.likeness import likeness_faults
from kg.contributions.reading import (
    FORMS,
    LARGEST,
    Unreadable,
    file_bytes,
    text_of,
    triples_of,
)
from kg.contributions.rules import rule_faults
from kg.contributions.shapes import shape_faults
from kg.contributions.spreadsheets import (
    BadTable,
    pasted,
    read_table,
    with_headers,
    with_identifiers,
)
from kg.contributions.stamping import contributions_of, exported
from kg.contributions.structure import faults
from kg.errors import BrokenData
from kg.importing import Table, import_rows, load_tables
from kg.importing.csv_file import CsvFile
from kg.importing.turtle import as_turtle, new_graph
from kg.namespaces import TW

DEVICES = "devices"
"""The table of files that are no declared one: any kind of device, quantities as headers."""

TURTLE, JSON_LD = (".ttl", ".turtle"), (".jsonld", ".json")
TABLES = (".csv", ".tsv", ".txt", ".xlsx")

Progress = Callable[[str, float], None]
"""Is told what is being done and which share of it, from 0 to 1."""


def silent(stage: str, share: float) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Draft:
    """Something to be saved, checked.

    Attributes:
        name: What it is called: a file's name.
        findings: Errors first, then warnings.
        version: The state of the graph against which it was checked.
    """

    name: str
    graph: rdflib.Graph
    findings: tuple[Finding, ...]
    version: int
    knowledge: Knowledge = field(repr=False, compare=False)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What keeps it from being saved."""
        return tuple(f for f in self.findings if f.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What somebody has to confirm before it is saved."""
        return tuple(f for f in self.findings if f.severity == "warning")

    @cached_property
    def understood(self) -> tuple[Understood, ...]:
        """Its figures as they are understood."""
        return understood(self.graph, self.knowledge)

    def turtle(self) -> str:
        """Return what would be added, without who adds it."""
        return as_turtle(self.graph)


class Contributions:
    """The contributions of one home, and what they are checked against."""

    def __init__(self, graph: ContributedGraph) -> None:
        self.graph = graph
        self.folder = graph.folder
        self._knowledge: tuple[int, Knowledge] | None = None

    @classmethod
    def open(cls, home: Path | None = None) -> Contributions:
        """Return the contributions of a home, else of `TRAINWRIGHT_HOME`."""
        return cls(ContributedGraph.of(ContributionFolder.at_home(home)))

    @property
    def knowledge(self) -> Knowledge:
        """What the graph knows now."""
        self.graph.refresh()
        if self._knowledge is None or self._knowledge[0] != self.graph.version:
            self._knowledge = self.graph.version, Knowledge(self.graph)
        return self._knowledge[1]

    def check_file(
        self,
        path: Path,
        table: str | None = None,
        mapping: Mapping[str, str] | None = None,
        skip_bad_rows: bool = False,
        progress: Progress = silent,
    ) -> Draft:
        """Return what a file would add, checked; its ending says what kind it is.

        Args:
            path: A Turtle, JSON-LD, CSV, TSV or XLSX file.
            table: What its columns mean, if it is a table: a declared table; else by its name.
            mapping: Other names for its headers; empty ones leave a column out.
            skip_bad_rows: Whether to take the good rows of a table with bad ones.
            progress: Is told how far it is.
        """
        try:
            if path.suffix.lower() in TABLES:
                return self.check_table(
                    read_table(path), path.name, table, mapping, skip_bad_rows, progress
                )
            if path.suffix.lower() not in (*TURTLE, *JSON_LD):
                fault = Fault("unknown-form", path.name, given=path.suffix, allowed=FORMS)
                raise Unreadable(fault)
            text = text_of(file_bytes(path, LARGEST), path.name)
        except Unreadable as error:
            return self._refused(path.name, [error.fault])
        except BadTable as error:
            return self._refused(path.name, [RowFault(error.problem)])
        json = path.suffix.lower() in JSON_LD
        return self.check_text(text, path.name, "json-ld" if json else "turtle", progress)

    def check_text(
        self, text: str, name: str = "", form: str = "turtle", progress: Progress = silent
    ) -> Draft:
        """Return what a text in Turtle or JSON-LD would add, checked."""
        kind = ox.RdfFormat.JSON_LD if form == "json-ld" else ox.RdfFormat.TURTLE
        try:
            graph = triples_of(text, name, kind)
        except Unreadable as error:
            return self._refused(name, [error.fault])
        return self.check_graph(graph, name, progress=progress)

    def check_pasted(
        self, text: str, name: str = "", table: str | None = None,
        mapping: Mapping[str, str] | None = None,
    ) -> Draft:  # fmt: skip
        """Return what a pasted table would add, checked."""
        try:
            return self.check_table(pasted(text, name), name, table, mapping)
        except BadTable as error:
            return self._refused(name, [RowFault(error.problem)])

    def check_table(
        self,
        file: CsvFile,
        name: str,
        table: str | Table | None = None,
        mapping: Mapping[str, str] | None = None,
        skip_bad_rows: bool = False,
        progress: Progress = silent,
    ) -> Draft:
        """Return what rows would add, checked; see `check_file`."""
        declared = table if isinstance(table, Table) else _table(name, table)
        if declared is None:
            allowed = tuple(sorted(load_tables()))
            return self._refused(name, [Fault("unknown-table", name, "", str(table), allowed)])
        file = with_identifiers(with_headers(file, mapping or {}), declared)
        knowledge = self.knowledge
        report = import_rows(
            file,
            Path(name),
            declared,
            knowledge.graph,
            skip_bad_rows=skip_bad_rows,
            progress=lambda done, total: progress("rows", done / max(total, 1)),
        )
        bad = [RowFault(problem) for problem in report.problems]
        if report.refused or (bad and not skip_bad_rows):
            return self._refused(name, bad)
        if not len(report.graph):
            return self._refused(name, [Fault("empty", name)])
        return self.check_graph(report.graph, name, progress=progress)

    def form(self, of_class: URIRef, language: str) -> Form:
        """Return the form of a class in a language."""
        return form(of_class, self.knowledge, language)

    def form_classes(self, language: str) -> list[Choice]:
        """Return the classes that have forms, by name."""
        return form_classes(self.knowledge, language)

    def check_form(self, form: Form, values: Values) -> Draft:
        """Return what a filled form would add, checked; findings name its fields."""
        row = filled(form, values, load_tables()[DEVICES])
        if isinstance(row, list):
            return self._refused("", row)
        report = import_rows(row.file, Path(row.name), row.table, self.knowledge.graph)
        if report.problems:
            return self._refused(row.name, [row.fault(problem) for problem in report.problems])
        graph = report.graph
        if row.date is not None:
            for source in set(graph.subjects(RDF.type, TW.Source)):
                graph.add((source, DCTERMS.date, row.date))
        return self.check_graph(graph, row.name)

    def check_graph(
        self, graph: rdflib.Graph, name: str = "", progress: Progress = silent
    ) -> Draft:
        """Return what a graph would add, checked."""
        knowledge = self.knowledge
        version = self.graph.version
        found: list[Finding] = list(faults(graph, knowledge))
        progress("checks", 0.2)
        if not found:
            # What is of unknown classes and properties would only be objected to again.
            graph = completed(graph, knowledge)
            content = _without_headers(graph)
            found += shape_faults(content, knowledge)
            progress("checks", 0.5)
            found += rule_faults(content, knowledge)
            progress("checks", 0.8)
            if not found:  # only what is sound can be compared
                found += likeness_faults(content, knowledge)
        found.sort(key=lambda finding: finding.severity)
        progress("checks", 1.0)
        return Draft(name, graph, tuple(found), version, knowledge)

    def save(self, draft: Draft, author: str, confirmed: bool = False) -> list[str]:
        """Save what was checked, and return the ids of its contributions.

        What others have saved since the check is taken into account. Several things become
        several contributions of one import.

        Args:
            draft: What to save.
            author: Who adds it.
            confirmed: Whether its warnings are meant to be so.

        Raises:
            ContributionRefused: If it has errors, or warnings that are not confirmed.
            NotSaved: If the folder cannot be written, or the disk is full; nothing is saved.
        """
        who = Author.now(_author(author), draft.name)
        _refuse(draft, confirmed)
        with self.folder.writing():
            self.graph.refresh()
            if draft.version != self.graph.version:
                draft = self.check_graph(draft.graph, draft.name)
                _refuse(draft, confirmed)
            identifier = new_identifier(who.time)
            texts = contributions_of(draft.graph, self.graph.graph, identifier, who)
            return self.folder.add(identifier, texts)

    def undo(self, identifier: str) -> list[str]:
        """Take a contribution, or all of an import, out of use, and return their ids.

        Raises:
            NoSuchContribution: If none of that id is in use.
            ContributionError: If another contribution needs what it adds.
            NotSaved: If the folder cannot be written.
        """
        with self.folder.writing():
            self.graph.refresh()
            chosen = chosen_by(identifier, self.folder.files())
            self._check_unneeded([file.path for file in chosen])
            return self.folder.undo(identifier)

    def redo(self, identifier: str) -> list[str]:
        """Bring a contribution, or all of an import, back into use, and return their ids.

        Raises:
            NoSuchContribution: If none of that id was undone.
            ContributionRefused: If it no longer fits the graph, as when its name is taken.
            NotSaved: If the folder cannot be written.
        """
        with self.folder.writing():
            chosen = chosen_by(identifier, self.folder.undone_files())
            graph = rdflib.Graph(bind_namespaces="none")
            for file in chosen:
                graph.parse(file.path, format="ox-turtle")
            _refuse(self.check_graph(graph), confirmed=True)
            return self.folder.redo(identifier)

    def history(self) -> list[Contribution]:
        """Return all contributions, also those undone, newest first; broken files are left out."""
        found = []
        for file in [*self.folder.files(), *self.folder.undone_files()]:
            try:
                found.append(read(file))
            except BrokenData:
                continue
        return sorted(found, key=lambda c: (c.time, c.id), reverse=True)

    def export(self, identifiers: Iterable[str] = ()) -> str:
        """Return contributions in use as one Turtle file: those of some ids, or all.

        Raises:
            NoSuchContribution: If one of the ids is not in use.
        """
        files = self.folder.files()
        wanted = [f for i in identifiers for f in chosen_by(i, files)] or files
        return exported([file.path.read_text(encoding="utf-8") for file in wanted])

    def _check_unneeded(self, paths: Sequence[Path]) -> None:
        gone: set[rdflib.term.Node] = set()
        for path in paths:
            gone |= set(rdflib.Graph().parse(path, format="ox-turtle").subjects())
        for node in gone:
            for user in self.graph.graph.subjects(None, node):
                if user not in gone:
                    raise ContributionError("needed", thing=str(node), user=str(user))

    def _refused(self, name: str, findings: Sequence[Finding]) -> Draft:
        return Draft(name, new_graph(), tuple(findings), self.graph.version, self.knowledge)


def _author(name: str) -> str:
    tidy = " ".join(name.split())
    if not tidy or len(tidy) > 80 or not tidy.isprintable() or "<" in tidy:
        raise ContributionRefused([Fault("author", given=tidy[:80])])
    return tidy


def _refuse(draft: Draft, confirmed: bool) -> None:
    if draft.errors or (draft.warnings and not confirmed):
        raise ContributionRefused(draft.findings)


def _table(name: str, table: str | None) -> Table | None:
    tables = load_tables()
    if table is not None:
        return tables.get(table)
    return tables.get(Path(name).stem.replace("-", "_"), tables[DEVICES])


def _without_headers(graph: rdflib.Graph) -> rdflib.Graph:
    """Return a graph without what contributions say of themselves."""
    headers = set(graph.subjects(RDF.type, TW.Contribution))
    if not headers:
        return graph
    result = new_graph()
    for triple in graph:
        if triple[0] not in headers:
            result.add(triple)
    return result
