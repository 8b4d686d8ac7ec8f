"""Nodes of the graph to which code gives a meaning of its own."""

from __future__ import annotations

from rdflib import URIRef

from assistant.catalogue.vocabulary import TW

DATA = "https://w3id.org/trainwright/data/"
ACCELERATOR = URIRef(TW + "Accelerator")
CLOUD = URIRef(TW + "CloudInstance")
CPU = URIRef(TW + "CPU")
SERVER = URIRef(TW + "Server")
CONTENT = URIRef(TW + "accelerator")
FORM_FACTOR = URIRef(TW + "formFactor")
PROVIDER = URIRef(TW + "provider")
# What an entry has, and the property that says that it lacks it.
LACKS = {
    URIRef(TW + "supportsPrecision"): URIRef(TW + "lacksPrecision"),
    URIRef(TW + "interconnect"): URIRef(TW + "lacksInterconnect"),
}
COUNTED = URIRef(DATA + "accelerator-count")
HALF_PRECISION = URIRef(DATA + "fp16")
HOST_MEMORY = URIRef(DATA + "memory-capacity")
MEMORY = URIRef(DATA + "accelerator-memory")
PER_ACCELERATOR = URIRef(DATA + "accelerator-hourly-price")
PRICE = URIRef(DATA + "price")
THROUGHPUT = URIRef(DATA + "peak-throughput")
