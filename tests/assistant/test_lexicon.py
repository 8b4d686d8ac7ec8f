"""Names are found whole, longest first, and slips in them are put right."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.lexicon import LAYERS, Lexicon
from assistant.linking import Linker
from kg import KnowledgeGraph

MINI = Path(__file__).parent.parent / "data" / "mini.ttl"
EX = "https://example.org/data/"


@pytest.fixture(scope="module")
def lexicon(mini: KnowledgeGraph) -> Lexicon:
    return Lexicon.of(mini)


def found(lexicon: Lexicon, text: str, layer: str = "thing") -> list[tuple[str, str]]:
    """Return what is found as (words, last part of the node's IRI)."""
    return [
        (text[f.start : f.end], str(f.name.subject).replace("#", "/").rsplit("/", 1)[-1])
        for f in lexicon.find(text, layer)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("zephyr 7", [("zephyr 7", "zephyr-7")], id="a label"),
        pytest.param("z700", [("z700", "zephyr-7")], id="a synonym"),
        pytest.param("zephyr 7 pro", [("zephyr 7 pro", "zephyr-7-pro")], id="longest match"),
        pytest.param(
            "zephyr 7 or zephyr 7 pro",
            [("zephyr 7", "zephyr-7"), ("zephyr 7 pro", "zephyr-7-pro")],
            id="short and long",
        ),
        pytest.param("zephyr7pro", [("zephyr7pro", "zephyr-7-pro")], id="without spaces"),
        pytest.param("zephyr-7-pro", [("zephyr-7-pro", "zephyr-7-pro")], id="with hyphens"),
        pytest.param("cards", [("cards", "GPU")], id="plural"),
        pytest.param(
            "大集群用什么显卡", [("大集群", "large-cluster"), ("显卡", "GPU")], id="Chinese"
        ),
        pytest.param("用z700好", [("z700", "zephyr-7")], id="Latin between Chinese"),
        pytest.param("memory, memory", [("memory", "Memory")] * 2, id="twice"),
        pytest.param("cards topic", [("cards topic", "cards")], id="covers a shorter name"),
        pytest.param("zephyr 75", [], id="not within a longer number"),
        pytest.param("xzephyr 7", [], id="not within a longer word"),
        pytest.param("z7000", [], id="not within a longer designator"),
        pytest.param("30900", [], id="not within digits"),
        pytest.param("scorecards", [], id="not the end of a word"),
        pytest.param("counter", [], id="a cue's label is no word of a question"),
        pytest.param("", [], id="empty"),
    ],
)
def test_names_are_found(lexicon: Lexicon, text: str, expected: list[tuple[str, str]]) -> None:
    """The longest name at a place wins, and Latin names end where words end."""
    assert found(lexicon, text) == expected


def test_layers_are_apart(lexicon: Lexicon) -> None:
    """A word can be a thing and a cue; each layer finds its own."""
    assert found(lexicon, "two cards", "cue") == [("cards", "cue-counter")]
    assert found(lexicon, "two cards", "number") == [("two", "number-2")]
    assert set(lexicon.names) == set(LAYERS)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        pytest.param("bandwith", "bandwidth", id="a letter missing"),
        pytest.param("bandwiddth", "bandwidth", id="a letter too many"),
        pytest.param("bandwidht", "bandwidth", id="two letters swapped"),
        pytest.param("bindwodth", "bandwidth", id="two slips in a long word"),
        pytest.param("zephir 7 pro", "zephyr 7 pro", id="one slip in a short word"),
        pytest.param("zefir 7", "zefir 7", id="too far for a short word"),
        pytest.param("crads", "cards", id="five letters are enough"),
        pytest.param("landwidth", "landwidth", id="another first letter"),
        pytest.param("nemory", "nemory", id="another first letter in a short word"),
        pytest.param("内寸", "内存", id="a character of the same sound"),
        pytest.param("带款", "带宽", id="a homophone without its tone"),
        pytest.param("内村多大", "内存多大", id="retroflex taken for plain"),
        pytest.param("大鸡群", "大集群", id="a name of three characters"),
        pytest.param("呢村", "呢村", id="no character is right"),
        pytest.param("bandwidth 内存", "bandwidth 内存", id="what is right stays"),
        pytest.param("hello world", "hello world", id="other words stay"),
    ],
)
def test_slips_are_put_right(lexicon: Lexicon, typed: str, expected: str) -> None:
    """One slip in a short word and two in a long one are forgiven, and homophones in Chinese."""
    assert lexicon.corrected(typed) == expected


@pytest.mark.parametrize(
    ("typed", "node"),
    [
        pytest.param("A100s", "nvidia-a100", id="plural of a product"),
        pytest.param("GPUs", "GPU", id="plural of an abbreviation"),
        pytest.param("RTX3090", "geforce-rtx-3090", id="without a space"),
        pytest.param("rtx-3090", "geforce-rtx-3090", id="with a hyphen"),
        pytest.param("記憶體", "Memory", id="traditional Chinese"),
        pytest.param("V10O", "nvidia-v100", id="O for 0"),
        pytest.param("infiniban", "infiniband", id="misspelt"),
    ],
)
def test_shipped_names_are_found(shipped_linker: Linker, typed: str, node: str) -> None:
    """The shipped graph's names are found in the forms that people type."""
    nodes = {str(n).replace("#", "/").rsplit("/", 1)[-1] for n in shipped_linker.link(typed).nodes}
    assert node in nodes


def test_a_name_added_to_the_graph_is_found(tmp_path: Path) -> None:
    """What a user adds is understood without any change of code."""
    added = tmp_path / "added.ttl"
    added.write_text(
        "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n"
        "PREFIX tw: <https://w3id.org/trainwright/ontology#>\n"
        f'<{EX}falcon> a tw:GPU ; rdfs:label "Falcon 5000"@en , "猎鹰"@zh .'
    )
    lexicon = Lexicon.of(KnowledgeGraph.load(MINI, added))
    assert found(lexicon, "falcon 5000 or 猎鹰") == [("falcon 5000", "falcon"), ("猎鹰", "falcon")]
    assert lexicon.corrected("falcn 5000") == "falcon 5000"


@pytest.mark.parametrize("layer", LAYERS)
def test_a_graph_without_names_finds_nothing(layer: str) -> None:
    """A layer for which the graph has no names finds nothing and is no error."""
    assert Lexicon.of(KnowledgeGraph.load()).find("zephyr 7", layer) == []


@pytest.mark.parametrize(
    "word",
    [
        "stuff",
        "wants",
        "world",
        "could",
        "which",
        "should",
        "together",
        "explosively",
        pytest.param("promise", marks=pytest.mark.xfail(reason="taken for premise")),
        "influence",
        pytest.param("supposed", marks=pytest.mark.xfail(reason="taken for supported")),
        pytest.param("speaking", marks=pytest.mark.xfail(reason="taken for spending")),
        pytest.param("quite", marks=pytest.mark.xfail(reason="taken for quiet")),
        pytest.param("lunch", marks=pytest.mark.xfail(reason="taken for launch")),
    ],
)
def test_ordinary_words_are_no_slips(shipped_linker: Linker, word: str) -> None:
    """A word that is spelt well stays, however near it is to a name."""
    assert shipped_linker.lexicon.corrected(word) == word


def test_a_usual_word_is_no_slip(mini: KnowledgeGraph) -> None:
    """A word that people use stays, though without that it would be taken for a name."""
    assert Lexicon.of(mini).corrected("bandwith") == "bandwidth"
    assert Lexicon.of(mini, frozenset({"bandwith"})).corrected("bandwith") == "bandwith"


def test_slips_are_put_right_towards_things_only(mini: KnowledgeGraph) -> None:
    """A word near a cue's words and no thing's stays."""
    names = {layer: dict(found) for layer, found in Lexicon.of(mini).names.items()}
    names["cue"]["perhaps"] = []
    assert Lexicon(names).corrected("perhapps") == "perhapps"
    names["thing"]["perhaps"] = []
    assert Lexicon(names).corrected("perhapps") == "perhaps"
