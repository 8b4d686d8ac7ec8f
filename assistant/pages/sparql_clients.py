"""A query as a program: for curl and for Python, both against `trainwright serve`."""

from __future__ import annotations

import shlex
from typing import Any

from kg.guard import declare_prefixes

ENDPOINT = "http://127.0.0.1:8080/sparql"
PYTHON = """\
import json
from urllib.parse import urlencode
from urllib.request import Request, urlopen

query = {query}
body = urlencode({{"query": query}}).encode()
request = Request("{endpoint}", body, {{"Accept": "{accept}"}})
with urlopen(request) as reply:
    {read}
"""


def as_curl(query: str) -> str:
    """Return a shell command that runs the query."""
    accept = "text/turtle" if gives_graph(query) else "application/sparql-results+json"
    return (
        f"curl -sS {ENDPOINT} -H 'Accept: {accept}' \\\n"
        f"  --data-urlencode {shlex.quote(f'query={declare_prefixes(query).strip()}')}"
    )


def as_python(query: str) -> str:
    """Return a Python program that runs the query and needs no package."""
    if gives_graph(query):
        accept, read = "text/turtle", "print(reply.read().decode())"
    else:
        accept = "application/sparql-results+json"
        read = "result = json.load(reply)\nprint(json.dumps(result, ensure_ascii=False, indent=2))"
        read = read.replace("\n", "\n    ")
    text = declare_prefixes(query).strip()
    program = PYTHON.format(query=_literal(text), endpoint=ENDPOINT, accept=accept, read=read)
    return program if "json." in read else program.replace("import json\n", "")


def gives_graph(query: str) -> bool:
    """Return whether the result is a graph; a query that does not parse gives none."""
    from kg import GraphError
    from kg.guard import admit

    try:
        return admit(query).form in ("construct", "describe")
    except GraphError:
        return False


def _literal(text: str) -> Any:
    """Return a Python literal of the text, on several lines where that is safe."""
    plain = '"""' not in text and "\\" not in text and not text.endswith('"')
    return f'"""\\\n{text}\n"""' if plain else repr(text)
