"""Run the Python blocks of the docs: each page in its own process and folder, its blocks one after the other.

``python -m tools.blocks [PAGE ...]``

A page may use the files ``graph.txt.gz``, ``train.txt.gz``, ``edges/*.parquet``, ``my-model`` (a LeNSE) and
``results``, a graph called ``graph``, and a slow function ``f`` with its objective ``value``. Blocks marked
``py`` instead of ``python`` need a cluster and are not run.
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
_BEFORE = """
import lense
graph = lense.open_graph("graph.txt.gz")
train, test = lense.split(graph, 0.3, seed=0)
problem = lense.get_problem("mvc")
def f(graph, budget):
    return sorted(graph, key=graph.degree, reverse=True)[:budget]
def value(graph, vertices):
    chosen = set(vertices)
    return sum(1 for u, v in graph.edges if u in chosen or v in chosen)
"""


def blocks(page: Path) -> list[str]:
    """The Python blocks of a page."""
    return _BLOCK.findall(page.read_text())


def run(page: Path) -> str:
    """Run the blocks of a page; what went wrong, or nothing."""
    program = "\n".join([_BEFORE, *blocks(page)])
    with TemporaryDirectory() as folder:
        _furnish(Path(folder), program)
        done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr


def _furnish(folder: Path, program: str) -> None:
    """The files that pages speak of; results only where the ``program`` does, since they take time."""
    import numpy as np

    from lense import compare, write_graph
    from lense.graph import power_law

    (folder / "edges").mkdir()
    for name, seed in (("graph.txt.gz", 1), ("train.txt.gz", 2), ("edges/part-0.parquet", 3)):
        write_graph(power_law(1500, 6, 2.4, np.random.default_rng(seed)), folder / name)
    copytree(str(files("lense") / "models" / "facebook-mvc"), folder / "my-model")
    if '"results"' not in program:
        return
    compare(str(folder / "graph.txt.gz"), "mvc", 10, ["top-degree"], out=folder / "results", seeds=[0])


def main(names: list[str]) -> int:
    """Run all pages, or those named; how many fail."""
    pages = [Path(name) for name in names] or sorted((ROOT / "docs").rglob("*.md"))
    chosen = [page for page in pages if blocks(page)]
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for page, fault in zip(chosen, pool.map(run, chosen), strict=True):
            name = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page
            print(f"{'failed' if fault else 'runs'}: {name}\n{fault}", end="", flush=True)
            failed += bool(fault)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
