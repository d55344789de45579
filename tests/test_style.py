"""What no linter checks: short functions, commands with few parameters, and which warnings are errors in tests."""

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import lense

PACKAGE = Path(lense.__file__).parent
MOST_LINES, MOST_PARAMETERS = 60, 12


def functions(folder: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield f"{path.relative_to(PACKAGE)}: {node.name}", node


def _lines_of_code(node: ast.FunctionDef) -> int:
    """Lines of a function without its arguments and docstring, which may explain at length."""
    first, *rest = node.body
    body = rest if rest and ast.get_docstring(node) is not None else node.body
    return (node.end_lineno or 0) - (body[0] if body else first).lineno + 1


def test_no_function_is_longer_than_a_screen() -> None:
    lengths = {name: _lines_of_code(node) for name, node in functions(PACKAGE)}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_no_command_takes_more_parameters_than_one_can_remember() -> None:
    counts = {name: len(node.args.args) + len(node.args.kwonlyargs) for name, node in functions(PACKAGE / "cli")}
    assert {name: count for name, count in counts.items() if count > MOST_PARAMETERS} == {}


@pytest.mark.parametrize("module", ["lense", "lense.graph.csr", "tests.test_style", "tools.site", "benchmarks.measure"])
def test_warnings_of_our_own_modules_are_errors(module: str) -> None:
    with pytest.raises(DeprecationWarning):
        warnings.warn_explicit("old", DeprecationWarning, "file.py", 1, module=module)


@pytest.mark.parametrize("module", ["torch_geometric.inspector", "numba.core", "lensed", "other.lense"])
def test_warnings_of_other_packages_are_not(module: str) -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.warn_explicit("old", DeprecationWarning, "file.py", 1, module=module)
    assert [str(one.message) for one in shown] == ["old"]
