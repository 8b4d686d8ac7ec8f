"""Answers questions about entries of the catalogue: any quantity of any device."""
