"""What mutation testing changes, and what it leaves alone."""

import ast
import shutil
from pathlib import Path

import pytest

from tools import mutants
from tools.mutants import GROUPS, ROOT, Copy, changes, mirrors

SOURCE = '''
"""A module, 1."""
from numba import njit

@njit(cache=True)
def f(x: "Array[1]", seen: list[int]) -> "Array[2]":
    """Text, 2."""
    if x is None:
        raise ValueError(f"{1 + 1}")
    for i in seen:
        if not i:
            continue
        seen[i] += x < 3 and min(x, 0.5)
    seen.append(True)
    return -x
'''


def test_operators_numbers_conditions_calls_and_statements_are_changed_one_at_a_time() -> None:
    tree = ast.parse(SOURCE)
    before = ast.unparse(tree)
    found = [change.source(tree) for change in changes(tree)]
    assert ast.unparse(tree) == before
    assert sorted((old, new) for _, old, new in found) == [
        ("-x", "+x"),
        ("0.5", "1.0"),
        ("3", "4"),
        ("True", "False"),
        ("continue", "break"),
        ("min(x, 0.5)", "max(x, 0.5)"),
        ("not i", "not not i"),
        ("seen.append(True)", "pass"),
        ("seen[i] += x < 3 and min(x, 0.5)", "pass"),
        ("seen[i] += x < 3 and min(x, 0.5)", "seen[i] -= x < 3 and min(x, 0.5)"),
        ("x < 3", "x <= 3"),
        ("x < 3 and min(x, 0.5)", "x < 3 or min(x, 0.5)"),
        ("x is None", "x is not None"),
    ]
    assert all(source != before for source, _, _ in found)
    assert len({source for source, _, _ in found}) == len(found)


def test_every_module_has_tests_of_its_own() -> None:
    modules = [path.relative_to(ROOT / "src" / "lense").as_posix() for path in (ROOT / "src" / "lense").rglob("*.py")]
    for group in GROUPS.values():
        of_group = [one for one in modules if one.startswith(group) and not one.endswith("__init__.py")]
        assert of_group
        assert all(mirrors(one) for one in of_group)


def test_what_was_compiled_with_a_module_is_forgotten_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "lense"
    (package / "kernels" / "__pycache__").mkdir(parents=True)
    texts = {"low": "", "high": "from lense.kernels.low import f\n", "other": "import numpy\n"}
    for name, text in texts.items():
        (package / "kernels" / f"{name}.py").write_text(text)
        (package / "kernels" / "__pycache__" / f"{name}.f-1.py311.nbi").touch()
    monkeypatch.setattr(mutants, "_PACKAGE", package)
    copy = Copy(tmp_path / "copy")
    copy.change("kernels/low.py", "changed")
    kept = [path.name for path in copy.folder.rglob("*.nbi")]
    assert kept == ["other.f-1.py311.nbi"]
    copy.restore("kernels/low.py")
    assert (copy.folder / "kernels" / "low.py").read_text() == ""
    shutil.rmtree(copy.folder)
