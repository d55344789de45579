"""Whether ``--solver mip`` keeps the target that its answers state, on 20 pairs of a graph and a problem.

``python -m benchmarks.mip_targets`` writes ``mip_targets.md``: the default of ``lense.solve``, which may prune, against
mip on the whole graph, both without certificates. Where lense can prove an optimum (mvc, bmc), the ratio is to that;
elsewhere it is to the best score known. A pair fails if the ratio is below the target and ``met_target`` is True.
"""

import argparse
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import lense
from benchmarks.measure import SEED
from lense._util.files import replacing
from lense.experiments.tables import markdown
from lense.graph import power_law
from lense.problems import Solution
from lense.problems.base import problem_class

TABLE = Path(__file__).with_suffix(".md")
TARGET = 0.99
HEADINGS = (
    *("problem", "graph", "b", "found by", "part", "score", "whole graph", "optimum at most", "ratio", "expected"),
    *("CPU s", "CPU s, whole", "met"),
)
PAIRS = {
    "domination": {
        **{"facebook": 20, "wiki": 50, "ca-GrQc.txt.gz": 100, "ca-HepTh.txt.gz": 50, "ca-CondMat.txt.gz": 20},
        **{"openflights.txt.xz": 50, "power-grid.txt.xz": 100, "as-caida20071105.txt.xz": 50},
    },
    "mvc": {
        **{"facebook": 100, "wiki": 50, "ca-CondMat.txt.gz": 100, "power-grid.txt.xz": 100, "deezer-RO.txt.gz": 50},
        **{"as-caida20071105.txt.xz": 20},
    },
    "bmc": {
        **{"facebook": 50, "wiki": 100, "ca-HepTh.txt.gz": 20, "openflights.txt.xz": 100, "deezer-HU.txt.gz": 100},
        **{"road-riga.txt.xz": 50},
    },
}
"""Budgets by problem and graph; the names of files are those in ``LENSE_DATA``."""


def solved(graph: Any, problem: str, budget: int, limit: float, prune: bool | None) -> tuple[Solution, float]:
    """An answer of mip, and its CPU seconds."""
    options = lense.SolveOptions(settings={"time_limit": limit}, prune=prune, certify=False, seed=SEED)
    begun = process_time()
    found = lense.solve(graph, problem, budget, "mip", options=options)
    return found, process_time() - begun


def row(problem: str, name: str, budget: int, limit: float) -> tuple[str, ...]:
    graph = lense.open_graph(name)
    found, seconds = solved(graph, problem, budget, limit, None)
    whole, whole_seconds = solved(graph, problem, budget, limit, False)
    best = whole
    if problem_class(problem).pair_loss is not None:
        best = lense.solve(graph, problem, budget, exact=True, seed=SEED, time_limit=limit)
    known = max(best.score, whole.score, found.score)
    ratio = found.score / known
    bound = "" if best.upper_bound is None else f"{best.upper_bound:.6g}"
    return (
        *(problem, name.split(".")[0], str(budget), found.found_by),
        "whole graph" if found.pruned is None else f"{found.pruned.edges:,} of {graph.num_edges:,} edges",
        *(f"{found.score:.6g}", f"{whole.score:.6g}", "optimal" if best.optimal else bound, f"{ratio:.4f}"),
        f"{found.expected_ratio:.4f}",
        *(f"{seconds:.2f}", f"{whole_seconds:.2f}"),
        "yes" if ratio >= TARGET else "said so" if not found.met_target else "NO",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for each run of HiGHS")
    limit = parser.parse_args().limit
    small = power_law(300, 6, 2.3, np.random.default_rng(SEED))
    for problem in PAIRS:
        for prune in (True, False):
            solved(small, problem, 5, limit, prune)  # compiles
    rows = []
    for problem, graphs in PAIRS.items():
        for name, budget in graphs.items():
            rows.append(row(problem, name, budget, limit))
            print(*rows[-1], sep=" | ", flush=True)
    met = sum(one[-1] != "NO" for one in rows)
    pruned = [one for one in rows if one[4] != "whole graph"]
    times = np.exp(np.mean([np.log(float(one[-2]) / float(one[-3])) for one in pruned]))
    words = (
        f"{met} of {len(rows)} pairs meet the target of {TARGET}, or say that they do not. {len(pruned)} were pruned, "
        f"with {times:.1f}× less CPU time (geometric mean). HiGHS had {limit:g} s for each run."
    )
    with replacing(TABLE) as part:
        part.write_text(f"# mip and its target\n\n{words}\n\n{markdown(HEADINGS, rows)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
