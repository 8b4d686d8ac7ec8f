"""An answer as a file: Markdown to read, JSON to work with."""

from __future__ import annotations

import json

from assistant.answer import Answer, Citation, Table
from assistant.messages import Say
from assistant.pages.literal import escape


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


def _line(text: object) -> str:
    return escape(" ".join(str(text).split()))


def _table(table: Table) -> str:
    cells = [[_line("" if cell is None else cell) for cell in row] for row in table.rows]
    rows = [[_line(column) for column in table.columns], ["---"] * len(table.columns), *cells]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _citation(citation: Citation, say: Say) -> str:
    lines = [f"\\[{citation.n}\\] {_line(citation.title)}"]
    for field in ("section", "statement", "figure", "wording", "quote", "retrieved"):
        if value := getattr(citation, field):
            lines.append(f"- {say(f'citation-{field}')}: {_line(value)}")
    if citation.url:
        lines.append(f"- <{citation.url}>")
    return "\n".join(lines)
