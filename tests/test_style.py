"""Names, docstrings and their examples, and that the linter finds calls that could run code from a file."""

import ast
import doctest
import inspect
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import lense

PACKAGE, ROOT = Path(lense.__file__).parent, Path(__file__).parents[1]


def test_no_two_classes_share_a_name() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []


def test_no_test_imports_from_another() -> None:
    for path in Path(__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert ".test_" not in f".{node.module}", f"{path.name} imports from {node.module}"


def test_the_smoke_tests_of_ci_exist() -> None:
    named = re.findall(r"^  (tests/\S+\.py)$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


LINES = [
    "import pickle",
    "from marshal import loads",
    "import dill",
    "import yaml",
    "eval('1')",
    "exec('x = 1')",
    "import os; os.system('ls')",
    "import subprocess; subprocess.run('ls', shell=True)",
    "import torch; torch.load('a')",
    "import joblib; joblib.load('a')",
    "import numpy as np; np.load('a', allow_pickle=True)",
    "import xml.etree.ElementTree as tree; tree.parse('a')",
    "import tarfile; tarfile.open('a').extractall('b')",
]


def test_the_linter_finds_calls_that_run_code() -> None:
    command = [sys.executable, "-m", "ruff", "check", "--output-format", "json"]
    here = ["--stdin-filename", "src/lense/example.py", "-"]
    found = subprocess.run([*command, *here], input="\n".join(LINES), capture_output=True, text=True, cwd=ROOT)
    messages = [one for one in json.loads(found.stdout) if re.fullmatch(r"S\d+|TID251", one["code"])]
    flagged = {one["location"]["row"] for one in messages}
    assert {line for i, line in enumerate(LINES, start=1) if i not in flagged} == set(), found.stdout + found.stderr


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
