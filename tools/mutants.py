"""Mutation testing: change one thing in the code, and see whether the tests of that module notice.

    python -m tools.mutants [COUNT] [SEED] [GROUP ...]

draws COUNT mutants (50) from all that there are of each group of modules, and runs the tests that mirror the module,
each mutant in its own process. A mutant is killed if a test fails, or if the tests take several times as much
processor time as without it. What survives is printed as a line number, what stood there and what stands there
instead. The exit status is 1 where less than 85 % of a group were killed.
"""

import ast
import os
import random
import re
import resource
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
_PACKAGE = ROOT / "src" / "lense"
GROUPS = {
    "kernels": ("kernels/",),
    "parts": ("graph/subgraph.py", "problems/parts.py"),
    "bounds": ("problems/bounds.py", "pruners/bounds.py"),
    "calibration": ("pruners/calibration.py",),
}
ENOUGH = 0.85
_ALSO = {
    "kernels/coverage.py": ("tests/problems/test_solvers.py",),
    "kernels/cut.py": ("tests/problems/test_bmc.py",),
    "kernels/domination.py": ("tests/problems/test_solvers.py",),
    "kernels/gains.py": ("tests/problems/test_gains.py",),
    "kernels/orders.py": ("tests/solving/test_front.py",),
    "kernels/packed_sets.py": ("tests/kernels/test_reverse_sets.py",),
    "kernels/queues.py": ("tests/problems/test_mvc.py",),
    "kernels/rows.py": ("tests/kernels/test_bounds.py",),
}
"""Tests beside the one that mirrors a module."""
_PATIENCE = 5.0
_LEAST_SECONDS, _MOST_SECONDS = 30.0, 3600.0
_OTHER: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.MatMult: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_OTHER_NAMES = {"min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "all": "any", "any": "all"}
_NOT_RUN = ("decorator_list", "annotation", "returns", "type_params")


@dataclass(frozen=True)
class Change:
    """``node.field``, or its item ``index``, replaced by ``new``."""

    node: ast.AST
    field: str
    index: int | None
    new: object
    shown: ast.AST
    """What to print before and after."""

    def source(self, tree: ast.Module) -> tuple[str, str, str]:
        """The source of the mutant, and what stood at the place before and after."""
        before, old = ast.unparse(self.shown), getattr(self.node, self.field)
        values = self.new if self.index is None else [*old[: self.index], self.new, *old[self.index + 1 :]]
        setattr(self.node, self.field, values)
        source = ast.unparse(tree)
        after = ast.unparse(self.new if isinstance(self.new, ast.stmt | ast.expr) else self.shown)
        setattr(self.node, self.field, old)
        return source, before.partition("\n")[0], after.partition("\n")[0]


def changes(tree: ast.Module) -> list[Change]:
    """All changes of one operator, number, condition, name or statement in what is run."""
    return [change for node in _run(tree) for change in _changes_of(node)]


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are run and that matter: no annotation, decorator, message or assertion."""
    if isinstance(node, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom | ast.JoinedStr):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in _NOT_RUN:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _run(child)


def _changes_of(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare():
            for i, operator in enumerate(node.ops):
                yield Change(node, "ops", i, _OTHER[type(operator)](), node)
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign():
            yield Change(node, "op", None, _OTHER[type(node.op)](), node)
        case ast.Constant(value=bool(value)):
            yield Change(node, "value", None, not value, node)
        case ast.Constant(value=int(value)):
            yield Change(node, "value", None, value + 1, node)
        case ast.Constant(value=float(value)):
            yield Change(node, "value", None, value * 2 or 1.0, node)
        case ast.Call(func=ast.Name(id=name)) if name in _OTHER_NAMES:
            yield Change(node.func, "id", None, _OTHER_NAMES[name], node)
        case ast.Call(func=ast.Attribute(attr=name)) if name in _OTHER_NAMES:
            yield Change(node.func, "attr", None, _OTHER_NAMES[name], node)
        case ast.UnaryOp(op=ast.Invert() | ast.USub()) if not isinstance(node.operand, ast.Constant):
            yield Change(node, "op", None, ast.UAdd(), node)
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Compare):
        yield Change(node, "test", None, ast.UnaryOp(ast.Not(), node.test), node.test)
    for field in ("body", "orelse"):
        statements = getattr(node, field, None)
        if isinstance(statements, list):
            for i, statement in enumerate(statements):
                if (other := _instead(statement)) is not None:
                    yield Change(node, field, i, other, statement)


def _instead(statement: ast.stmt) -> ast.stmt | None:
    """A loop continues instead of ending or the other way round, a call or what it stores is left out."""
    match statement:
        case ast.Break():
            return ast.Continue()
        case ast.Continue():
            return ast.Break()
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            return ast.Pass()
    return None


class Copy:
    """A copy of the package in which one module at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "src" / "lense"
        shutil.copytree(_PACKAGE, self.folder)
        self.imports = {
            path.relative_to(self.folder).as_posix(): set(re.findall(r"^\s*from lense\.([\w.]+) import", text, re.M))
            for path in self.folder.rglob("*.py")
            for text in [path.read_text()]
        }

    def change(self, module: str, source: str) -> None:
        (self.folder / module).write_text(source)
        self._forget(module)

    def restore(self, module: str) -> None:
        shutil.copy2(_PACKAGE / module, self.folder / module)
        self._forget(module)

    def _forget(self, module: str) -> None:
        """Kernels of a module, and of all that import it, were compiled with what it was before."""
        stale, news = set[str](), {module}
        while news:
            stale |= news
            names = {one.removesuffix(".py").replace("/", ".").removesuffix(".__init__") for one in news}
            news = {one for one, imported in self.imports.items() if imported & names} - stale
        for one in stale:
            path = self.folder / one
            for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
                compiled.unlink()


def outcome(copy: Copy, tests: Sequence[str], seconds: float) -> tuple[bool, float]:
    """Whether a test fails or all take more than so many seconds of processor time, and how many they took.

    Time by the clock would count what a busy machine does besides.
    """
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (ceil(seconds), ceil(seconds)))
        os._exit(_run_tests(copy, tests))
    _, status, used = os.wait4(child, 0)
    return status != 0, used.ru_utime + used.ru_stime


def _run_tests(copy: Copy, tests: Sequence[str]) -> int:
    import pytest

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    sys.path.insert(0, str(copy.folder.parent))
    # code that is not optimised cannot always be cached; a warning of that would look like a mutant that was noticed
    warnings = ("-W", "ignore::numba.core.errors.NumbaWarning")
    options = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-profile=ci", *warnings)
    return int(pytest.main([*options, *tests]))


def mirrors(module: str) -> list[str]:
    """The tests of a module."""
    folder, _, name = module.rpartition("/")
    paths = (f"tests/{folder}/test_{name}", *_ALSO.get(module, ()))
    return [path for path in paths if (ROOT / path).exists()]


def trial(copy: Copy, group: str, count: int, seed: int) -> float:
    """Print what survives of ``count`` mutants of a group, and return the share that was killed."""
    names = [path.relative_to(_PACKAGE).as_posix() for path in sorted(_PACKAGE.rglob("*.py"))]
    trees = {name: ast.parse((_PACKAGE / name).read_text()) for name in names if name.startswith(GROUPS[group])}
    every = [(module, change) for module, tree in trees.items() for change in changes(tree) if mirrors(module)]
    drawn = random.Random(f"{seed} {group}").sample(every, min(count, len(every)))
    limits = dict[str, float]()
    killed = 0
    for module, change in sorted(drawn, key=lambda one: (one[0], getattr(one[1].shown, "lineno", 0))):
        tests = mirrors(module)
        if module not in limits:
            copy.restore(module)
            fails, seconds = outcome(copy, tests, _MOST_SECONDS)
            if fails:
                raise SystemExit(f"{' '.join(tests)} fails before anything is changed")
            limits[module] = max(_LEAST_SECONDS, _PATIENCE * seconds)
        source, before, after = change.source(trees[module])
        copy.change(module, source)
        if outcome(copy, tests, limits[module])[0]:
            killed += 1
        else:
            print(f"{module}:{getattr(change.shown, 'lineno', 0)}: {before}  ->  {after}", flush=True)
        copy.restore(module)
    print(f"{group}: {killed} of {len(drawn)} mutants killed ({killed / len(drawn):.0%}), {len(every)} there are")
    return killed / len(drawn)


def main(words: list[str]) -> int:
    count, seed = (int(word) for word in [*words[:2], *("50", "0")[len(words[:2]) :]])
    os.environ["NUMBA_OPT"] = "0"  # compiled in a fraction of the time
    sys.dont_write_bytecode = True  # a mutant may be as old and as long as what it was
    os.chdir(ROOT)
    for library in ("numba", "pyarrow", "pydantic", "pytest", "scipy.sparse", "typer"):
        import_module(library)  # once, not in each process
    with TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        shares = [trial(copy, group, count, seed) for group in words[2:] or GROUPS]
    return 0 if min(shares) >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
