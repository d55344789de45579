"""``python -m tests.audit``: unsafe calls in the sources, and known weaknesses of the packages in constraints.txt."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "jsonpickle", "yaml"}
_CALLS = {"eval", "exec", "__import__", "compile", "os.system", "os.popen", "torch.load", "joblib.load"}
_LOADS = {"np.load", "numpy.load"}


def unsafe_calls(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a source that import what unpickles, evaluate text, or start a shell."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
            for name in names:
                if name.partition(".")[0] in _MODULES:
                    yield node.lineno, f"import of {name}"
        elif isinstance(node, ast.Call):
            name, given = ast.unparse(node.func), {one.arg: ast.unparse(one.value) for one in node.keywords}
            if name in _CALLS or given.get("shell", "False") != "False":
                yield node.lineno, f"call of {name}"
            elif name in _LOADS and given.get("allow_pickle") != "False":
                yield node.lineno, f"call of {name} without allow_pickle=False"


def advisories() -> tuple[list[str] | None, str]:
    """Known weaknesses of the pinned packages, or None and why they could not be had."""
    if find_spec("pip_audit") is None:
        return None, "pip-audit is not installed"
    command = [sys.executable, "-m", "pip_audit", "-r", str(_ROOT / "constraints.txt"), "--no-deps", "--format", "json"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        known = json.loads(found.stdout)["dependencies"]
    except (ValueError, KeyError, subprocess.TimeoutExpired):
        return None, "the advisory data could not be had"
    return [f"{one['name']}: {weakness['id']}" for one in known for weakness in one.get("vulns", ())], ""


def main() -> int:
    unsafe = [
        f"{path}:{line}: {what}" for path in sorted((_ROOT / "src").rglob("*.py")) for line, what in unsafe_calls(path)
    ]
    weak, why = advisories()
    print("\n".join([*unsafe, *(weak or ())]) or "no unsafe calls in the sources")
    print(f"advisories were not checked: {why}" if weak is None else f"{len(weak)} advisories about pinned packages")
    return 1 if unsafe or weak else 0


if __name__ == "__main__":
    sys.exit(main())
