"""Loads, queries, guards and checks the knowledge graph; knows nothing of questions."""

from __future__ import annotations

from kg.errors import BrokenData, GraphError, QueryFailed, QueryRefused, SourceTextError
from kg.graph import ONTOLOGY, KnowledgeGraph, Row, checked_query, turtle_files
from kg.namespaces import shorten
from kg.source_text import Place, SourceText, places_of_statements

__all__ = [
    "ONTOLOGY",
    "BrokenData",
    "GraphError",
    "KnowledgeGraph",
    "Place",
    "QueryFailed",
    "QueryRefused",
    "Row",
    "SourceText",
    "SourceTextError",
    "checked_query",
    "places_of_statements",
    "shorten",
    "turtle_files",
]
