"""Answers questions about entries of the catalogue: any quantity of any device."""

from assistant.catalogue.catalogue import Catalogue, CatalogueReading

__all__ = ["Catalogue", "CatalogueReading"]
