"""Namespaces of the graph, and the prefixes every query may use without declaring them."""

from __future__ import annotations

from rdflib import Namespace
from rdflib.namespace import DCTERMS, OWL, PROV, RDF, RDFS, SH, SKOS, XSD

TW = Namespace("https://w3id.org/trainwright/ontology#")
TWD = Namespace("https://w3id.org/trainwright/data/")
QUDT = Namespace("http://qudt.org/schema/qudt/")
UNIT = Namespace("http://qudt.org/vocab/unit/")
OA = Namespace("http://www.w3.org/ns/oa#")

PREFIXES = {
    "dcterms": str(DCTERMS),
    "oa": str(OA),
    "owl": str(OWL),
    "prov": str(PROV),
    "qudt": str(QUDT),
    "rdf": str(RDF),
    "rdfs": str(RDFS),
    "sh": str(SH),
    "skos": str(SKOS),
    "tw": str(TW),
    "twd": str(TWD),
    "unit": str(UNIT),
    "xsd": str(XSD),
}


def shorten(iri: object) -> str:
    """Return an IRI as prefix:name where a prefix fits, else unchanged."""
    text = str(iri)
    for prefix, namespace in PREFIXES.items():
        if text.startswith(namespace):
            return f"{prefix}:{text[len(namespace) :]}"
    return text
