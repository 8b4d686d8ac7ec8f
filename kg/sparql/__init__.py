"""Reads SPARQL 1.1 queries by their grammar, into clauses and the text that is run.

Its own parser, since RDFLib's takes 450 ms for 10,000 `VALUES` and fails on a few hundred
triples, and Oxigraph's does not show what it has read. It knows no updates. The engine is given
the canonical text, written from what was read here: it cannot find a clause that is not in the
tree. Each module adds the rules of one part of the grammar (section 19.8 of the specification):

    tokens <- terms <- expressions <- patterns <- queries
"""

from __future__ import annotations

from kg.sparql.clauses import Clause, Form, ReadQuery
from kg.sparql.queries import read_query
from kg.sparql.terms import MAX_DEPTH

__all__ = ["MAX_DEPTH", "Clause", "Form", "ReadQuery", "read_query"]
