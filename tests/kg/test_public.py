"""What the packages offer is listed, and imports go one way: kg <- assistant <- app.py."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("kg", "assistant")
# For each part of the product: what it must not import.
FORBIDDEN = {
    "kg": {"assistant", "app", "tests", "benchmarks"},
    "assistant": {"app", "tests", "benchmarks"},
    "app.py": {"tests", "benchmarks"},
}


def files(part: str) -> list[Path]:
    path = ROOT / part
    return [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Return the top-level packages that a file imports, wherever in it the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), path.name)):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(str(node.module).split(".")[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            found |= {str(a.value).split(".")[0] for a in node.args if isinstance(a, ast.Constant)}
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_are_sorted(package: str) -> None:
    """`__all__` is sorted as ruff sorts it, constants first, and names nothing twice."""
    names = importlib.import_module(package).__all__
    assert names == sorted(set(names), key=lambda n: (not n.isupper(), not n[0].isupper(), n))


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_can_be_imported(package: str) -> None:
    """Every name in `__all__` is there, and every public class or function imported is listed.

    A package may import late, and say what under `TYPE_CHECKING`.
    """
    module = importlib.import_module(package)
    assert all(hasattr(module, name) for name in module.__all__)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    late = [
        node
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
    ]
    elsewhere = {"__future__", "importlib", "typing"}
    bound = {
        alias.asname or alias.name
        for node in [*tree.body, *late]
        if isinstance(node, ast.ImportFrom) and node.module not in elsewhere
        for alias in node.names
    }
    assert bound == set(module.__all__)


@pytest.mark.parametrize("part", FORBIDDEN)
def test_imports_go_one_way(part: str) -> None:
    """No file imports from a part that is built on it."""
    paths = files(part)
    assert paths
    wrong = {
        str(path.relative_to(ROOT)): sorted(imported(path) & FORBIDDEN[part]) for path in paths
    }
    assert not {path: names for path, names in wrong.items() if names}


def test_the_files_are_found() -> None:
    """The check of imports sees the packages' files, and what they really import."""
    assert len(files("kg")) >= 6
    assert len(files("assistant")) >= 15
    assert "kg" in imported(ROOT / "assistant" / "assistant.py")
    assert "assistant" in set().union(*map(imported, files("app.py")))


def test_the_graph_knows_nothing_of_streamlit_or_models() -> None:
    """The graph can be used without the page and without the encoder."""
    used = set().union(*map(imported, files("kg")))
    assert not used & {"streamlit", "torch", "sentence_transformers", "faiss", "typer"}
