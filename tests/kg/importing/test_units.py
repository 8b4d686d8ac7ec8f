"""Units: QUDT's factors agree with pint's, and spellings mean what people mean by them."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations

import pytest

from kg import KnowledgeGraph, shorten
from kg.importing.units import Units, pint_size


@pytest.fixture(scope="module")
def units(shipped: KnowledgeGraph) -> Units:
    return Units.of(shipped)


def test_every_unit_is_known_to_pint(units: Units) -> None:
    assert len(units.by_iri) >= 35
    for unit in units.by_iri.values():
        assert unit.expression, unit.iri
        assert pint_size(unit.expression), unit.iri


def test_factors_between_units_are_those_of_pint(units: Units) -> None:
    """QUDT and pint have other base units for some kinds, so factors between units are compared."""
    compared = 0
    for one, other in combinations(units.by_iri.values(), 2):
        sizes = [pint_size(unit.expression or "") for unit in (one, other)]
        assert sizes[0] is not None
        assert sizes[1] is not None
        if one.converts_to(other):
            assert sizes[0][1] == sizes[1][1], (one.iri, other.iri)
            ratio = sizes[0][0] / sizes[1][0]
            assert abs(one.convert(Decimal(1), other) / ratio - 1) < Decimal("1e-12")
            compared += 1
        else:
            assert one.kinds.isdisjoint(other.kinds)
    assert compared >= 40


@pytest.mark.parametrize(
    ("spelling", "unit"),
    [
        ("GB", "unit:GigaBYTE"),
        ("gb", "unit:GigaBYTE"),
        ("GiB", "unit:GibiBYTE"),
        ("Gbit/s", "unit:GigaBIT-PER-SEC"),
        ("Gb/s", "unit:GigaBIT-PER-SEC"),
        ("GB/s", "unit:GigaBYTE-PER-SEC"),
        ("gigabyte/second", "unit:GigaBYTE-PER-SEC"),
        ("TB/s", "unit:TeraBYTE-PER-SEC"),
        ("byte * tera / s", None),
        ("TFLOPS", "unit:TeraFLOPS"),
        ("PFLOP/s", "unit:PetaFLOPS"),
        ("kW", "unit:KiloW"),
        ("kilowatt", "unit:KiloW"),
        ("joule/second", "unit:W"),
        ("µs", "unit:MicroSEC"),
        ("瓦", "unit:W"),
        ("USD/h", "twd:unit-usd-per-hour"),
        ("MT/s", "twd:unit-megatransfer-per-second"),
        ("horsepower", None),
        ("9**9**9**9", None),
        ("__import__('os')", None),
        ("", None),
    ],
)
def test_a_spelling_means_its_unit(units: Units, spelling: str, unit: str | None) -> None:
    found = units.find(spelling)
    assert (shorten(found.iri) if found else None) == unit


def test_bits_and_bytes_are_apart_by_eight(units: Units) -> None:
    bits, both = units.find("Gbit/s"), units.find("GB/s")
    assert bits
    assert both
    assert bits.convert(Decimal(400), both) == 50


def test_a_number_is_not_a_number_of_bytes(units: Units) -> None:
    count, memory = units.find("1"), units.find("GB")
    assert count
    assert memory
    assert not count.converts_to(memory)
