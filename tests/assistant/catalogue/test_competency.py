"""Competency questions: what the catalogue must be able to answer, by data.

`tests/questions/catalogue.json` holds pairs of a Chinese and an English question that ask
the same, with what the tables say: entries, figures with their conditions and units, facts.
The expectations were worked out from the tables, not from any answer. What fails says why
(`fails`), and must go on failing or lose the mark; so with pairs that are understood
differently in the two languages (`same_query`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rdflib import URIRef
from rdflib.namespace import RDFS

from assistant import Answer
from assistant.catalogue import Catalogue
from assistant.messages import Messages
from kg import KnowledgeGraph
from kg.namespaces import PREFIXES

PAIRS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "questions" / "catalogue.json").read_text(encoding="utf-8")
)
LEAST_PAIRS = 150
# What is known to fail: questions, and pairs that are read in two ways. May only fall.
MOST_FAILING = 32
MOST_APART = 24
FAMILIES = {
    "ambiguous", "compare", "count", "difference", "filter", "follow-up", "highest / lowest",
    "links", "list", "look-up", "needs input", "price", "ratio", "same-as-or-better",
    "several quantities", "sources", "top n", "units", "unknown",
}  # fmt: skip
PRICES = {"accelerator-hourly-price", "hourly-price", "price-per-terabyte", "purchase-price"}
ROUNDING = 1e-3
# A table may give what a machine states in another unit in the quantity's own, to compare.
STANDARD = {"kW": ("W", 1000.0), "GiB": ("GB", 1.073741824)}
# A number is not a part of another one, nor of a name.
NUMBER = r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?)"

FIGURES = """
SELECT ?figure ?entry ?quantity ?value ?low ?high ?symbol ?standing ?property ?condition WHERE {
  ?figure tw:figureOf ?entry ; tw:ofQuantity ?quantity ; qudt:numericValue ?value ;
          qudt:unit/qudt:symbol ?symbol ; tw:standing ?standing .
  OPTIONAL { ?figure tw:rangeMinimum ?low ; tw:rangeMaximum ?high }
  OPTIONAL {
    { ?figure ?property ?condition . ?property a tw:FigureCondition }
    UNION { ?figure dcterms:date ?condition BIND(dcterms:date AS ?property) }
    UNION { VALUES ?property { tw:priceKind tw:region } ?figure ?property ?condition }
  }
}
"""
FACTS = """
SELECT ?entry ?property ?value WHERE { ?property a tw:Facet . ?entry ?property ?value }
"""
SOURCES = "SELECT ?source WHERE { ?source a tw:Source }"
CITED = (
    "SELECT DISTINCT ?figure ?source WHERE { ?figure tw:figureOf ?entry ; dcterms:source ?source }"
)
HEAD = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in PREFIXES.items())

Ask = Callable[[str, str], Answer]


def each(pairs: list[dict[str, Any]], marked: bool = False) -> list[Any]:
    """Return the questions of pairs in both languages, with those that fail marked if wanted."""
    params = []
    for pair in pairs:
        for language in ("zh", "en"):
            why = pair.get("fails", {}).get(language) if marked else None
            marks = [pytest.mark.xfail(reason=why, raises=AssertionError)] if why else []
            params.append(pytest.param(pair, language, id=f"{pair['id']}-{language}", marks=marks))
    return params


@pytest.fixture(scope="session")
def asked(catalogue: Catalogue) -> Ask:
    """Ask a pair's question in one language, each once."""
    pairs = {pair["id"]: pair for pair in PAIRS}

    @cache
    def answer(name: str, language: str) -> Answer:
        pair = pairs[name]
        earlier = (pair["context"][language],) if pair["context"] else ()
        return catalogue.answer(catalogue.read(pair["question"][language], earlier))

    return answer


@pytest.fixture(scope="session")
def figures(shipped: KnowledgeGraph) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The graph's figures by entry and quantity, in the form of the questions' data."""
    found: dict[str, dict[str, Any]] = {}
    for row in shipped.select(HEAD + FIGURES):
        figure = found.setdefault(
            local(row["figure"]),
            {
                "entry": local(row["entry"]),
                "quantity": local(row["quantity"]),
                "value": float(str(row["value"])),
                "low": float(str(row["low"])) if "low" in row else None,
                "high": float(str(row["high"])) if "high" in row else None,
                "unit": unit_of(str(row["symbol"])),
                "standing": local(row["standing"]),
                "conditions": {},
            },
        )
        if "property" in row:
            figure["conditions"][local(row["property"])] = local(row["condition"])
    held: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for figure in found.values():
        held.setdefault((figure["entry"], figure["quantity"]), []).append(figure)
    return held


@pytest.fixture(scope="session")
def labels(shipped: KnowledgeGraph) -> Callable[[str, str], str]:
    """Give the label of a node of the data in a language."""

    @cache
    def label(name: str, language: str) -> str:
        node = URIRef(PREFIXES["twd"] + name)
        text = shipped.text(node, RDFS.label, language) or shipped.text(node, RDFS.label, "en")
        assert text is not None, f"{name} has no label"
        return text

    return label


def local(term: object) -> str:
    return re.split(r"[#/]", str(term))[-1]


def unit_of(symbol: str) -> str:
    """Return a symbol as it is shown: counts and years have none."""
    return "" if symbol in ("1", "(year)") else symbol


# --- the data ------------------------------------------------------------------------------


def test_the_questions_are_whole() -> None:
    """At least 150 pairs of every family, each question once, each in both languages."""
    assert len(PAIRS) >= LEAST_PAIRS
    assert len({pair["id"] for pair in PAIRS}) == len(PAIRS)
    assert {pair["family"] for pair in PAIRS} == FAMILIES
    assert {pair["kind"] for pair in PAIRS} == {"answer", "unknown", "needs_input"}
    for language in ("zh", "en"):
        asked = {(p["question"][language], (p["context"] or {}).get(language)) for p in PAIRS}
        assert len(asked) == len(PAIRS)


def test_no_more_questions_fail_than_before() -> None:
    assert sum(len(pair.get("fails", {})) for pair in PAIRS) <= MOST_FAILING
    assert sum(not pair.get("same_query", True) for pair in PAIRS) <= MOST_APART


def test_what_is_expected_is_in_the_graph(
    shipped: KnowledgeGraph, figures: dict[tuple[str, str], list[dict[str, Any]]]
) -> None:
    """Every figure and fact that is expected stands in the graph, and none that is missed does."""
    facts = {tuple(map(local, row.values())) for row in shipped.select(HEAD + FACTS)}
    wrong: list[Any] = []
    for pair in PAIRS:
        for expected in pair.get("figures", ()):
            held = figures.get((expected["entry"], expected["quantity"]), [])
            if sum(is_same(expected, figure) for figure in held) != 1:
                wrong.append((pair["id"], expected))
        for expected in pair.get("absent", ()):
            held = figures.get((expected["entry"], expected["quantity"]), [])
            wanted = expected.get("conditions", {}).items()
            if any(wanted <= figure["conditions"].items() for figure in held):
                wrong.append((pair["id"], expected))
        for fact in pair.get("facts", ()):
            if (fact["entry"], fact["property"], fact["value"]) not in facts:
                wrong.append((pair["id"], fact))
    assert not wrong


def is_same(expected: dict[str, Any], figure: dict[str, Any]) -> bool:
    """Return whether a figure of the graph is the one that is expected."""
    if "low" in expected:
        same = (expected["low"], expected["high"]) == (figure["low"], figure["high"])
    else:
        same = expected["value"] == figure["value"]
    return (
        same
        and expected.get("unit", "") == figure["unit"]
        and expected.get("standing", "Preferred") == figure["standing"]
        and expected.get("conditions", {}) == figure["conditions"]
    )


# --- the answers ---------------------------------------------------------------------------


@pytest.mark.parametrize(("pair", "language"), each(PAIRS, marked=True))
def test_a_question_is_answered(
    asked: Ask, labels: Callable[[str, str], str], pair: dict[str, Any], language: str
) -> None:
    """An answer finds the entries and states the figures, facts and results that are expected."""
    answer = asked(pair["id"], language)
    assert answer.kind == pair["kind"], answer.text
    if "entries" in pair:
        assert set(found_by(answer)) == set(pair["entries"]), answer.text
    shown = Shown(answer, {name: labels(name, language) for name in pair.get("entries", ())})
    missing = [f for f in pair.get("figures", ()) if not shown.states(f)]
    missing += [f for f in pair.get("facts", ()) if labels(f["value"], language) not in shown.all]
    missing += [n for n in pair.get("entries", ()) if labels(n, language) not in shown.all]
    assert not missing, answer.text
    if "value" in pair:
        assert shown.holds(pair["value"], pair.get("unit", "")), answer.text
    if "verdict" in pair:
        assert is_worded(pair["verdict"], language, answer.text), answer.text
    for name in pair.get("sources", ()):
        assert PREFIXES["twd"] + name in {c.source for c in answer.citations}
    if pair.get("absent"):
        assert is_worded("no-figure", language, answer.text), answer.text
    if pair.get("ordered"):
        assert is_in_order(pair, found_by(answer)), answer.text


@pytest.mark.parametrize(("pair", "language"), each([p for p in PAIRS if p["kind"] == "answer"]))
def test_an_answer_is_cited(
    asked: Ask, cited: dict[str, set[str]], pair: dict[str, Any], language: str
) -> None:
    """Every answer has citations, each of a source of the graph and of a figure that has it."""
    answer = asked(pair["id"], language)
    if answer.kind != "answer" or is_worded("none-fits", language, answer.text):
        return
    assert answer.citations
    assert [c.n for c in answer.citations] == list(range(1, len(answer.citations) + 1))
    for citation in answer.citations:
        assert citation.source in cited
        assert citation.title
        if citation.figure is not None:
            assert citation.figure.removeprefix("twd:") in cited[citation.source]
    marks = re.findall(r"\[(\d+)\]", answer.text + json.dumps(answer.table and answer.table.rows))
    assert {int(m) for m in marks} <= {c.n for c in answer.citations}


@pytest.fixture(scope="session")
def cited(shipped: KnowledgeGraph) -> dict[str, set[str]]:
    """For each source of the graph the figures that name it."""
    found: dict[str, set[str]] = {str(r["source"]): set() for r in shipped.select(HEAD + SOURCES)}
    for row in shipped.select(HEAD + CITED):
        found[str(row["source"])].add(local(row["figure"]))
    return found


@pytest.mark.parametrize(
    ("pair", "language"),
    each([p for p in PAIRS if {f["quantity"] for f in p.get("figures", ())} & PRICES]),
)
def test_a_price_has_its_date_and_region(
    asked: Ask, labels: Callable[[str, str], str], pair: dict[str, Any], language: str
) -> None:
    """Beside a price stand its date and region, or that the source does not state them."""
    answer = asked(pair["id"], language)
    shown = Shown(answer, {})
    for figure in pair["figures"]:
        if figure["quantity"] not in PRICES or not shown.states(figure):
            continue
        conditions = figure["conditions"]
        date = conditions.get("date") or wording()("undated", language)
        region = conditions.get("region")
        place = labels(region, language) if region else wording()("no-region", language)
        assert date in shown.all, figure
        assert place in shown.all, figure


@pytest.mark.parametrize("pair", [pytest.param(pair, id=pair["id"]) for pair in PAIRS])
def test_both_languages_ask_the_same(asked: Ask, pair: dict[str, Any]) -> None:
    """The two questions of a pair become one query and find the same entries."""
    chinese, english = asked(pair["id"], "zh"), asked(pair["id"], "en")
    entries = [sorted(found_by(answer)) for answer in (chinese, english)]
    same = chinese.sparql == english.sparql and entries[0] == entries[1]
    if pair.get("same_query", True):
        assert same, f"{chinese.sparql}\n--\n{english.sparql}"
    else:
        assert not same, f"{pair['id']} is read alike now: remove same_query and reason"
        assert pair["reason"]


def found_by(answer: Answer) -> list[str]:
    """Return the entries that an answer is about, in its order."""
    steps = {step.step: step.detail for step in answer.steps}
    return [name.removeprefix("twd:") for name in steps["select"]["entries"]]


def is_in_order(pair: dict[str, Any], found: list[str]) -> bool:
    """Return whether entries come in the order of their figures; ties come in any."""
    values = {f["entry"]: f["value"] for f in pair["figures"]}
    expected = [values[name] for name in pair["entries"]]
    return [values[name] for name in found] == expected


@cache
def wording() -> Messages:
    import assistant.catalogue.catalogue as module

    return Messages.load(module.WORDING)


def is_worded(key: str, language: str, text: str) -> bool:
    """Return whether a text has a sentence of the catalogue's wording, whatever fills it."""
    fields = re.compile(r"⟨\w+⟩")
    names = ("entry", "entries", "what", "marks", "quantities", "quantity", "sources")
    sentence = wording()(key, language, **{name: f"⟨{name}⟩" for name in names})
    parts = [re.escape(part) for part in fields.split(sentence)]
    return re.search(".*".join(parts), text) is not None


class Shown:
    """What an answer shows: its sentences, and its table's cells with the column's unit."""

    def __init__(self, answer: Answer, labels: dict[str, str]) -> None:
        self._labels = labels
        self._text = re.sub(r"\[\d+\]", "", answer.text)
        self._table = answer.table
        rows = answer.table.rows if answer.table else []
        self.all = "\n".join([self._text, *(str(cell) for row in rows for cell in row)])

    def states(self, figure: dict[str, Any]) -> bool:
        """Return whether a figure stands in its entry's row or in a sentence about it."""
        unit = figure.get("unit", "")
        if "low" in figure:
            written = f"{figure['low']}–{figure['high']}"
            return f"{written} {unit}".strip() in self.all or written in self.all
        label = self._labels.get(figure["entry"])
        value = figure["value"]
        standard, factor = STANDARD.get(unit, (unit, 1.0))
        return (
            self._in_rows(label, value, unit)
            or self._in_rows(label, value * factor, standard)
            or any(is_written(value, unit, part) for part in self._about(label))
        )

    def holds(self, value: float, unit: str) -> bool:
        """Return whether a result stands in the text or the table."""
        return is_written(value, unit, self._text) or self._in_rows(None, value, unit)

    def _in_rows(self, label: str | None, value: float, unit: str) -> bool:
        if self._table is None:
            return False
        for row in self._table.rows:
            named = label is None or label not in self._labels_shown() or row[0] == label
            for title, cell in zip(self._table.columns, row, strict=True):
                if named and is_in_cell(value, unit, title, cell):
                    return True
        return False

    def _labels_shown(self) -> set[object]:
        assert self._table is not None
        return {row[0] for row in self._table.rows}

    def _about(self, label: str | None) -> list[str]:
        """Return the parts of the text from an entry's name to the next one."""
        names = sorted(self._labels.values(), key=len, reverse=True)
        if label is None or len(names) < 2:
            return [self._text]
        places = [m.start() for m in re.finditer("|".join(map(re.escape, names)), self._text)]
        parts = [self._text[a:b] for a, b in pairwise([*places, len(self._text)])]
        # Of two that are set against each other, both figures stand behind both names.
        return [p for p in parts if p.startswith(label)] + parts[-1:] * (len(names) == 2)


def is_written(value: float, unit: str, text: str) -> bool:
    """Return whether a number with its unit stands in a text."""
    tail = rf"\s?{re.escape(unit)}(?![A-Za-z/])" if unit else r"(?![\w.]*\d|\s?[A-Za-z]+/)"
    return any(
        math.isclose(float(number.replace(",", "")), value, rel_tol=ROUNDING)
        for number in re.findall(NUMBER + tail, text)
    )


def is_in_cell(value: float, unit: str, title: str, cell: object) -> bool:
    """Return whether a cell holds a number in a unit, of its own or of its column."""
    own = re.search(r"\(([^()]*)\)$", title)
    if isinstance(cell, int | float):
        fits = own is not None and own[1] == unit if unit else True
        return fits and math.isclose(cell, value, rel_tol=ROUNDING)
    text = re.sub(r"\[\d+\]", "", str(cell or ""))
    if is_written(value, unit, text):
        return True
    return own is not None and own[1] == unit and is_written(value, "", text)
