"""An answer as a file: Markdown to read, JSON to work with, its table as CSV."""

from __future__ import annotations

import csv
import io
import json
import re

from assistant.answer import Answer, Citation, Table
from assistant.messages import Say
from assistant.pages.citations import described
from assistant.pages.literal import escape
from assistant.pages.measures import source_column


def as_json(answer: Answer) -> str:
    """Return the answer in the shape that the command line and HTTP give, too."""
    return json.dumps(answer.as_dict(), ensure_ascii=False, indent=2, default=str)


def as_markdown(answer: Answer, say: Say) -> str:
    """Return question, answer, table and sources as a Markdown document."""
    parts = [f"# {_line(answer.question)}"]
    if answer.kind != "answer":
        parts.append(f"**{say(f'kind-{answer.kind}')}**")
    if answer.premise:
        parts.append("> " + say("premise", correction=_line(answer.premise.correction)))
    parts += [escape(line) for line in answer.text.splitlines() if line.strip()]
    if answer.table:
        parts.append(_table(answer.table))
    if answer.citations:
        parts.append(f"## {say('sources')}")
        parts += [_citation(citation, say) for citation in answer.citations]
    if answer.sparql:
        parts += ["## SPARQL", f"```sparql\n{answer.sparql.strip()}\n```"]
    return "\n\n".join(parts) + "\n"


def as_csv(answer: Answer) -> bytes:
    """Return the table for a spreadsheet; the citation marks become the titles of the sources.

    A byte order mark comes first: without it, Excel does not read Chinese as UTF-8.
    """
    assert answer.table is not None
    titles = {str(citation.n): citation.title for citation in answer.citations}
    sources = source_column(answer.table)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(answer.table.columns)
    for row in answer.table.rows:
        cells = list(row)
        if sources is not None:
            numbers = re.findall(r"\d+", str(cells[sources] or ""))
            cells[sources] = "; ".join(titles.get(number, f"[{number}]") for number in numbers)
        writer.writerow(cells)
    return file.getvalue().encode("utf-8-sig")


def _line(text: object) -> str:
    return escape(" ".join(str(text).split()))


def _table(table: Table) -> str:
    cells = [[_line("" if cell is None else cell) for cell in row] for row in table.rows]
    rows = [[_line(column) for column in table.columns], ["---"] * len(table.columns), *cells]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _citation(citation: Citation, say: Say) -> str:
    lines = [f"\\[{citation.n}\\] {_line(citation.title)}"]
    lines += [f"- {label}: {_line(value)}" for label, value in described(citation, say)]
    if citation.url:
        lines.append(f"- <{citation.url}>")
    return "\n".join(lines)
