"""What no linter checks: short functions, few parameters, one meaning for each class name, runnable examples."""

import ast
import doctest
import inspect
import re
import warnings
from collections import Counter
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


def test_no_two_classes_share_a_name() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []


def test_no_test_imports_from_another() -> None:
    for path in Path(__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert ".test_" not in f".{node.module}", f"{path.name} imports from {node.module}"


PUBLIC = [name for name in lense.__all__ if callable(getattr(lense, name))]


def sections_of(text: str) -> dict[str, str]:
    """The numpydoc sections of a docstring by title; "" is what comes before them."""
    titles, *rest = re.split(r"^(\w+)\n-+\n", f"\n{text}\n", flags=re.MULTILINE)
    return {"": titles.strip(), **dict(zip(rest[::2], rest[1::2], strict=True))}


def documented(section: str) -> set[str]:
    """The names that a section of parameters describes, several on a line or one."""
    lines = [line.split(" : ")[0] for line in section.splitlines() if line and not line.startswith(" ")]
    return {name.lstrip("*") for line in lines for name in line.split(", ")}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_a_summary_and_sections(name: str) -> None:
    thing = getattr(lense, name)
    sections, signature = sections_of(inspect.getdoc(thing) or ""), inspect.signature(thing)
    assert sections[""].splitlines()[0].endswith(".")
    found = documented(sections.get("Parameters", "") + sections.get("Attributes", ""))
    assert set(signature.parameters) <= found
    returns = not inspect.isclass(thing) and signature.return_annotation not in (None, "None")
    assert {"Examples", *(["Returns"] if returns else [])} <= set(sections)
    if not inspect.isclass(thing):
        assert found == set(signature.parameters)


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_in_docstrings_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.DocTestFinder(recurse=False).find(getattr(lense, name), name, globs={})
    assert found[0].examples
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert sum(runner.run(one).failed for one in found) == 0
