"""The graph's formulas and the code give the same numbers, and each needs the other."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.sizing import (
    compute,
    cost,
    fitting,
    host,
    memory,
    models,
    network,
    power,
    storage,
    training_time,
)
from assistant.sizing.coefficients import Coefficients
from kg import BrokenData, KnowledgeGraph

FUNCTIONS: dict[str, Callable[..., float]] = {
    "swiglu-parameters": models.swiglu_parameters,
    "gelu-parameters": models.gelu_parameters,
    "adapter-parameters": models.adapter_parameters,
    "model-states": memory.model_states,
    "quantised-base": memory.quantised_base,
    "activations-tensor-parallel": memory.activations_tensor_parallel,
    "activations-sequence-parallel": memory.activations_sequence_parallel,
    "activations-selective": memory.activations_selective,
    "activations-selective-fused": memory.activations_selective_fused,
    "activations-full-recompute": memory.activations_full_recompute,
    "layers-held": memory.layers_held,
    "activations-swiglu": memory.activations_swiglu,
    "activations-gelu": memory.activations_gelu,
    "logits": memory.logits,
    "dequantisation-workspace": memory.dequantisation_workspace,
    "gathered-workspace": memory.gathered_workspace,
    "training-operations": compute.training_operations,
    "adapter-operations": compute.adapter_operations,
    "recompute-operations": compute.recompute_operations,
    "attention-operations": compute.attention_operations,
    "optimal-token-count": compute.optimal_token_count,
    "expected-utilisation": training_time.expected_utilisation,
    "training-time": training_time.training_time,
    "all-reduce-traffic": network.all_reduce_traffic,
    "sharded-traffic": network.sharded_traffic,
    "tensor-traffic": network.tensor_traffic,
    "expert-traffic": network.expert_traffic,
    "needed-bandwidth": network.needed_bandwidth,
    "link-slowdown": network.link_slowdown,
    "pipeline-bubble": network.pipeline_bubble,
    "checkpoint-size": storage.checkpoint_size,
    "checkpoint-interval": storage.checkpoint_interval,
    "token-read-rate": storage.token_read_rate,
    "offload-host-memory": host.offload_host_memory,
    "comfortable-host-memory": host.comfortable_host_memory,
    "host-cores": host.host_cores,
    "design-power": power.design_power,
    "mean-power": power.mean_power,
    "supply-power": power.supply_power,
    "breaker-rating": power.breaker_rating,
    "heat": power.heat,
    "owned-rate": cost.owned_rate,
    "break-even-utilisation": cost.break_even_utilisation,
    "devices-for-memory": fitting.devices_for_memory_bound,
    "devices-for-time": fitting.devices_for_time,
}
FORMULAS = """
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX tw: <https://w3id.org/trainwright/ontology#>
SELECT ?name ?expression ?symbol ?coefficient ?value WHERE {
  ?formula a tw:SizingFormula ; dcterms:identifier ?name ; tw:symbolicExpression ?expression .
  { ?formula tw:hasInput/tw:symbol ?symbol }
  UNION { ?formula tw:hasCoefficient ?node . ?node tw:symbol ?symbol ;
            tw:coefficientValue ?value ; dcterms:identifier ?coefficient }
}
"""
# Two sets of numbers, so that no two formulas agree by chance.
SYMBOLS = (
    "P", "Pa", "Pt", "Pq", "D", "l", "h", "f", "a", "kv", "V", "s", "b", "t", "p", "c", "m", "n",
    "k", "e", "r", "din", "dout", "w", "g", "o", "zw", "zg", "zo", "q", "C", "F", "M", "B", "S",
    "T", "N", "W", "E", "H", "K", "Y", "R", "u", "x", "A", "top", "mtbf", "Q", "G", "Z",
    "X", "Yr", "L",
)  # fmt: skip
SAMPLES = (
    {s: 3.0 + n for n, s in enumerate(SYMBOLS)},
    {s: 400.5 - 7 * n for n, s in enumerate(SYMBOLS)},
)
SOURCES = Path(__file__).parents[3] / "assistant" / "sizing"


def formulas(graph: KnowledgeGraph) -> dict[str, tuple[str, set[str], dict[str, float]]]:
    found: dict[str, tuple[str, set[str], dict[str, float]]] = {}
    for row in graph.select(FORMULAS):
        held = found.setdefault(str(row["name"]), (str(row["expression"]), set(), {}))
        if "value" in row:
            held[2][str(row["symbol"])] = float(str(row["value"]))
        else:
            held[1].add(str(row["symbol"]))
    return found


@pytest.fixture(scope="module")
def known(shipped: KnowledgeGraph) -> dict[str, tuple[str, set[str], dict[str, float]]]:
    return formulas(shipped)


def test_each_formula_of_the_graph_has_a_function_and_each_function_a_formula(known: Any) -> None:
    assert set(known) == set(FUNCTIONS)
    assert len(known) >= 40


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("sample", SAMPLES, ids=["small", "large"])
def test_the_code_computes_what_the_graph_says(
    known: Any, shipped: KnowledgeGraph, name: str, sample: dict[str, float]
) -> None:
    expression, inputs, coefficients = known[name]
    given: dict[str, Any] = {s: sample[s] for s in inputs}
    arithmetic = {"sqrt": math.sqrt, "min": min, "max": max, "ceil": math.ceil, "__builtins__": {}}
    said = eval(expression, arithmetic, given | coefficients)
    arguments = given | ({"c": Coefficients.of(shipped)} if coefficients else {})
    assert FUNCTIONS[name](**arguments) == pytest.approx(said, rel=1e-12)


def test_an_expression_names_just_its_inputs_and_coefficients(known: Any) -> None:
    for name, (expression, inputs, coefficients) in known.items():
        used = {n.id for n in ast.walk(ast.parse(expression)) if isinstance(n, ast.Name)}
        assert used - {"sqrt", "min", "max", "ceil"} == inputs | set(coefficients), name


def test_every_coefficient_is_used_by_the_code(shipped: KnowledgeGraph) -> None:
    text = "".join(p.read_text(encoding="utf-8") for p in SOURCES.rglob("*.py"))
    assert [name for name in Coefficients.of(shipped) if f'"{name}"' not in text] == []


def test_a_coefficient_that_the_graph_lacks_is_broken_data() -> None:
    with pytest.raises(BrokenData, match="no coefficient speed"):
        Coefficients({})["speed"]
