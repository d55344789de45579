"""Whether ``--solver mip`` keeps the target that its answers state, on 20 pairs of a graph and a problem.

``python -m benchmarks.mip_targets`` writes ``mip_targets.md``: mip with ``prune=True`` against mip on the whole graph,
both without certificates; "default" says which of the two ``lense.solve`` chooses. Where lense can prove an optimum
(mvc, bmc), the ratio is to that; elsewhere it is to the best score known. A pair fails if the ratio is below the target
and ``met_target`` is True.
"""

import argparse
from pathlib import Path
from time import process_time

import numpy as np

import lense
from benchmarks.measure import SEED
from lense._util.files import replacing
from lense.experiments.tables import markdown
from lense.graph import Graph, power_law
from lense.problems import Solution
from lense.problems.base import problem_class

TABLE = Path(__file__).with_suffix(".md")
TARGET = 0.99
HEADINGS = (
    *("problem", "graph", "b", "default", "found by", "edges", "score", "score, whole", "optimum at most", "ratio"),
    *("expected", "CPU s", "CPU s, whole", "met"),
)
PAIRS = {
    "domination": {
        **{"facebook": 20, "wiki": 50, "ca-GrQc": 100, "ca-HepTh": 50, "ca-CondMat": 20},
        **{"openflights": 50, "power-grid": 100, "as-caida20071105": 50},
    },
    "mvc": {"facebook": 100, "wiki": 50, "ca-CondMat": 100, "power-grid": 100, "deezer-RO": 50, "as-caida20071105": 20},
    "bmc": {"facebook": 50, "wiki": 100, "ca-HepTh": 20, "openflights": 100, "deezer-HU": 100, "road-riga": 50},
}
"""Budgets by problem and graph, for names of data sets and of files in ``LENSE_DATA``."""


def solved(graph: Graph, problem: str, budget: int, limit: float, prune: bool) -> tuple[Solution, float]:
    """An answer of mip, and its CPU seconds."""
    options = lense.SolveOptions(settings={"time_limit": limit}, prune=prune, certify=False, seed=SEED)
    begun = process_time()
    found = lense.solve(graph, problem, budget, "mip", options=options)
    return found, process_time() - begun


def row(problem: str, name: str, budget: int, limit: float) -> tuple[str, ...]:
    graph = lense.open_graph(name)
    default = "prunes" if lense.advise(graph, problem, budget, "mip").prune else "whole graph"
    found, seconds = solved(graph, problem, budget, limit, prune=True)
    best, whole_seconds = whole, _ = solved(graph, problem, budget, limit, prune=False)
    if problem_class(problem).pair_loss is not None:
        best = lense.solve(graph, problem, budget, exact=True, seed=SEED, time_limit=limit)
    ratio = found.score / max(best.score, whole.score, found.score)
    bound = "" if best.upper_bound is None else f"{best.upper_bound:.6g}"
    edges = 1.0 if found.pruned is None else 1 - found.pruned.edges_pruned
    return (
        *(problem, name, str(budget), default, found.found_by, f"{100 * edges:.3g} %"),
        *(f"{found.score:.6g}", f"{whole.score:.6g}", "optimal" if best.optimal else bound, f"{ratio:.4f}"),
        *(f"{found.expected_ratio:.4f}", f"{seconds:.2f}", f"{whole_seconds:.2f}"),
        "yes" if ratio >= TARGET else "said so" if not found.met_target else "NO",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for each run of HiGHS")
    limit = parser.parse_args().limit
    small = power_law(300, 6, 2.3, np.random.default_rng(SEED))
    rows = []
    for problem, graphs in PAIRS.items():
        for prune in (True, False):
            solved(small, problem, 5, limit, prune)  # compiles
        for name, budget in graphs.items():
            rows.append(row(problem, name, budget, limit))
            print(*rows[-1], sep=" | ", flush=True)
    met = sum(one[-1] != "NO" for one in rows)
    times = np.exp(np.mean([np.log(float(one[-2]) / float(one[-3])) for one in rows]))
    words = (
        f"Written by `python -m benchmarks.mip_targets`. {met} of {len(rows)} pairs meet the target of {TARGET} or say "
        f"that they miss it. Pruning divides the CPU time by {times:.1f} (geometric mean). HiGHS had {limit:g} s a run."
    )
    with replacing(TABLE) as part:
        part.write_text(f"# mip and its target\n\n{words}\n\n{markdown(HEADINGS, rows)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
