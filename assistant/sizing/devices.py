"""Accelerators and the offers to rent them, as the catalogue states them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rapidfuzz import process

from assistant.sizing.problems import PlanRefused, Problem
from kg import KnowledgeGraph, shorten

PREFIXES = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX qudt: <http://qudt.org/schema/qudt/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
PREFIX twd: <https://w3id.org/trainwright/data/>
"""
ENTRIES = (
    PREFIXES
    + """
SELECT ?device ?class ?label ?fact ?value WHERE {
  ?device tw:listedIn ?table ; a ?class ; rdfs:label ?label .
  ?class rdfs:subClassOf* tw:Accelerator . FILTER(LANG(?label) = "en")
  OPTIONAL { VALUES ?fact { tw:lacksPrecision tw:supportsPrecision tw:interconnect
                            tw:lacksInterconnect tw:formFactor tw:productSegment tw:vendor
                            tw:madeForInference }
             ?device ?fact ?value }
}
ORDER BY ?device ?class ?fact ?value
"""
)
FIGURES = (
    PREFIXES
    + """
SELECT ?device ?quantity ?value ?precision ?unit ?date ?source WHERE {
  VALUES ?quantity { twd:accelerator-memory twd:accelerator-memory-bandwidth twd:peak-throughput
                     twd:power-draw twd:interconnect-bandwidth twd:pcie-generation
                     twd:purchase-price }
  ?figure tw:figureOf ?device ; tw:ofQuantity ?quantity ; tw:standing tw:Preferred ;
          qudt:numericValue ?number ; qudt:unit ?unit ; dcterms:source ?source .
  OPTIONAL { ?figure tw:standardValue ?standard }
  BIND(COALESCE(?standard, ?number) AS ?value)
  OPTIONAL { ?figure tw:precision ?precision }
  OPTIONAL { ?figure dcterms:date ?date }
  FILTER NOT EXISTS { ?figure tw:sparsity tw:Sparse }
}
ORDER BY ?device ?quantity ?precision ?value ?source
"""
)
NAMES = (
    PREFIXES
    + """
SELECT ?device ?name WHERE {
  { ?device tw:listedIn ?table ; a/rdfs:subClassOf* tw:Accelerator ;
            rdfs:label|skos:altLabel ?name }
  UNION
  { ?device tw:listedIn ?table ; a/rdfs:subClassOf* tw:Accelerator ;
            tw:variantOf+ ?line .
    ?line rdfs:label|skos:altLabel ?name }
}
ORDER BY ?name ?device
"""
)
OFFERS = (
    PREFIXES
    + """
SELECT ?instance ?label ?device ?provider ?count ?price ?unit ?kind ?date ?region ?network
       ?source
WHERE {
  ?instance a tw:CloudInstance ; rdfs:label ?label ; tw:accelerator ?device ;
            tw:provider/rdfs:label ?provider .
  FILTER(LANG(?label) = "en" && LANG(?provider) = "en")
  ?counted tw:figureOf ?instance ; tw:ofQuantity twd:accelerator-count ;
           tw:standing tw:Preferred ; qudt:numericValue ?count .
  ?figure tw:figureOf ?instance ; tw:ofQuantity twd:hourly-price ; tw:standing tw:Preferred ;
          qudt:numericValue ?price ; qudt:unit ?unit ; dcterms:source ?source .
  OPTIONAL { ?figure tw:priceKind ?kind }
  OPTIONAL { ?figure dcterms:date ?date }
  OPTIONAL { ?figure tw:region ?region }
  OPTIONAL { ?wired tw:figureOf ?instance ; tw:ofQuantity twd:network-bandwidth-total ;
                    tw:standing tw:Preferred ; tw:standardValue ?network }
}
ORDER BY ?device ?instance ?date ?source
"""
)

GB = 1e9
SIXTEEN_BIT = ("bf16", "fp16")


@dataclass(frozen=True)
class Purchase:
    """A price to buy one accelerator: amount, currency, date and source."""

    amount: float
    currency: str
    date: str
    source: str


@dataclass(frozen=True)
class Device:
    """An accelerator: memory in bytes, bandwidths in bytes/s, peaks in dense operations/s."""

    node: str
    name: str
    kind: str
    memory: float
    bandwidth: float | None = None
    peaks: Mapping[str, float] = field(default_factory=dict)
    power: float | None = None
    link: float | None = None
    links: tuple[str, ...] = ()
    pcie: int | None = None
    form_factor: str | None = None
    segment: str | None = None
    vendor: str | None = None
    lacks: frozenset[str] = frozenset()
    supports: frozenset[str] = frozenset()
    prices: tuple[Purchase, ...] = ()
    sources: tuple[str, ...] = ()
    inference_only: bool = False

    @property
    def peak(self) -> float | None:
        """Return the dense peak in 16 bit, or None if the catalogue does not state it."""
        return next((self.peaks[p] for p in SIXTEEN_BIT if p in self.peaks), None)

    def can(self, precision: str) -> bool | None:
        """Return whether it computes in a precision; None where the catalogue is silent."""
        if precision in self.lacks:
            return False
        return True if precision in self.supports or precision in self.peaks else None


@dataclass(frozen=True)
class Offer:
    """An instance for rent: price per hour of the whole, with date, region and source."""

    instance: str
    provider: str
    device: str
    accelerators: int
    price: float
    currency: str
    kind: str
    date: str | None
    region: str | None
    source: str
    network_gbit: float | None = None

    @property
    def per_accelerator(self) -> float:
        """Return the price of one accelerator for one hour."""
        return self.price / self.accelerators


class DeviceCatalogue:
    """The accelerators of the graph by name, and what renting them costs."""

    def __init__(
        self,
        devices: Mapping[str, Device],
        names: Mapping[str, tuple[str, ...]],
        offers: Mapping[str, tuple[Offer, ...]],
    ) -> None:
        self._devices = devices
        self._names = names
        self._offers = offers

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> DeviceCatalogue:
        """Return the accelerators of a graph; those without a stated memory are left out."""
        devices = _devices(graph)
        names: dict[str, tuple[str, ...]] = defaultdict(tuple)
        for row in graph.select(NAMES):
            key, node = _key(str(row["name"])), str(row["device"])
            if node in devices and node not in names[key]:
                names[key] += (node,)
        return cls(devices, names, _offers(graph))

    def __iter__(self) -> Iterator[Device]:
        return iter(self._devices.values())

    def named(self, name: str) -> tuple[Device, ...]:
        """Return the accelerators a name means; several if it is that of a line.

        Raises:
            PlanRefused: If there is none; the message names the nearest.
        """
        nodes = self._names.get(_key(name), ())
        if not nodes:
            near = process.extract(_key(name), list(self._names), limit=4, score_cutoff=45)
            found = [self._devices[self._names[key][0]].name for key, _, _ in near]
            allowed = ", ".join(dict.fromkeys(found)) or ", ".join(d.name for d in self)
            raise PlanRefused([Problem("unknown-accelerator", "accelerator", name, allowed)])
        own = [n for n in nodes if _key(self._devices[n].name) == _key(name)]
        return tuple(self._devices[n] for n in (own or nodes))

    def offers(self, device: Device) -> tuple[Offer, ...]:
        """Return the offers with an accelerator, cheapest per accelerator first."""
        found = self._offers.get(device.node, ())
        return tuple(sorted(found, key=lambda o: (o.currency, o.per_accelerator, o.instance)))


def _devices(graph: KnowledgeGraph) -> dict[str, Device]:
    figures: dict[str, dict[tuple[str, str], list[tuple[float, str, str, str]]]] = {}
    for row in graph.select(FIGURES):
        key = (_local(row["quantity"]), _local(row.get("precision", "")))
        entry = (float(str(row["value"])), _local(row["unit"]), str(row.get("date", "")))
        held = figures.setdefault(str(row["device"]), {}).setdefault(key, [])
        held.append((*entry, str(row["source"])))
    facts: dict[str, dict[str, set[str]]] = {}
    heads: dict[str, tuple[str, str]] = {}
    for row in graph.select(ENTRIES):
        node = str(row["device"])
        heads[node] = (str(row["label"]), _local(row["class"]))
        if "fact" in row:
            held_facts = facts.setdefault(node, {}).setdefault(_local(row["fact"]), set())
            held_facts.add(_local(row["value"]))
    return {
        node: _device(node, *heads[node], figures[node], facts.get(node, {}))
        for node in sorted(heads)
        if ("accelerator-memory", "") in figures.get(node, {})
    }


def _device(
    node: str,
    name: str,
    kind: str,
    figures: Mapping[tuple[str, str], list[tuple[float, str, str, str]]],
    facts: Mapping[str, set[str]],
) -> Device:
    def number(quantity: str) -> float | None:
        held = figures.get((quantity, ""))
        return held[0][0] if held else None

    def fact(name: str) -> str | None:
        return min(facts.get(name, ()), default=None)

    memory, bandwidth, link = (
        number(q)
        for q in ("accelerator-memory", "accelerator-memory-bandwidth", "interconnect-bandwidth")
    )
    prices = {
        (v, unit.removeprefix("unit-").upper(), date): source
        for v, unit, date, source in figures.get(("purchase-price", ""), ())
    }
    pcie = number("pcie-generation")
    return Device(
        node,
        name,
        kind,
        (memory or 0) * GB,
        bandwidth and bandwidth * GB,
        {p: h[0][0] * 1e12 for (q, p), h in figures.items() if q == "peak-throughput" and p},
        number("power-draw"),
        link and link * GB,
        tuple(sorted(facts.get("interconnect", ()))),
        int(pcie) if pcie else None,
        fact("formFactor"),
        fact("productSegment"),
        fact("vendor"),
        frozenset(facts.get("lacksPrecision", ())),
        frozenset(facts.get("supportsPrecision", ())),
        tuple(Purchase(*key, source) for key, source in sorted(prices.items())),
        tuple(sorted({s for held in figures.values() for *_, s in held})),
        "true" in facts.get("madeForInference", ()),
    )


def _offers(graph: KnowledgeGraph) -> dict[str, tuple[Offer, ...]]:
    found: dict[str, dict[tuple[str, str, str], Offer]] = {}
    for row in graph.select(OFFERS):
        unit = _local(row["unit"]).removeprefix("unit-").split("-")[0].upper()
        offer = Offer(
            str(row["label"]),
            str(row["provider"]),
            str(row["device"]),
            int(float(str(row["count"]))),
            float(str(row["price"])),
            unit,
            _local(row.get("kind", "")).removesuffix("-price"),
            str(row["date"]) if "date" in row else None,
            _local(row["region"]).removeprefix("region-") if "region" in row else None,
            str(row["source"]),
            float(str(row["network"])) if "network" in row else None,
        )
        key = (offer.instance, offer.kind, offer.region or "")
        held = found.setdefault(offer.device, {})
        # Of one instance in one region the newest price counts.
        if key not in held or (offer.date or "") > (held[key].date or ""):
            held[key] = offer
    return {device: tuple(offers.values()) for device, offers in found.items()}


def _local(node: object) -> str:
    return shorten(node).rsplit("/", 1)[-1].split(":", 1)[-1]


def _key(name: str) -> str:
    key = re.sub(r"[\s_\-]+", "", name).lower()
    return re.sub(r"(?<=\d)g$", "gb", re.sub(r"(?<=\d)gb?(?=[^a-z]|$)", "gb", key))
