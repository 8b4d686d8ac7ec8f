"""Loads, queries, guards and checks the knowledge graph; knows nothing of questions."""

from __future__ import annotations

from kg.errors import (
    BrokenData,
    ExecutorBusy,
    GraphError,
    QueryCancelled,
    QueryFailed,
    QueryRefused,
    QueryStopped,
    QueryTimeout,
    QueryTooLarge,
    SourceTextError,
    StoreUnavailable,
)
from kg.executor import Dataset, Executor, Limits, RunningQuery
from kg.graph import ONTOLOGY, KnowledgeGraph, Row, checked_query, turtle_files
from kg.namespaces import shorten
from kg.remote import open_executor
from kg.remote_graph import RemoteGraph
from kg.results import GRAPH_FORMATS, ROW_FORMATS, Document, QueryResult
from kg.source_text import Place, SourceText, places_of_statements

__all__ = [
    "GRAPH_FORMATS",
    "ONTOLOGY",
    "ROW_FORMATS",
    "BrokenData",
    "Dataset",
    "Document",
    "Executor",
    "ExecutorBusy",
    "GraphError",
    "KnowledgeGraph",
    "Limits",
    "Place",
    "QueryCancelled",
    "QueryFailed",
    "QueryRefused",
    "QueryResult",
    "QueryStopped",
    "QueryTimeout",
    "QueryTooLarge",
    "RemoteGraph",
    "Row",
    "RunningQuery",
    "SourceText",
    "SourceTextError",
    "StoreUnavailable",
    "checked_query",
    "open_executor",
    "places_of_statements",
    "shorten",
    "turtle_files",
]
