"""Train and evaluate LeNSE on the paper's graphs with the paper's hyper-parameters: one JSON line for each run.

``python -m benchmarks.paper_rows --out rows.jsonl`` runs Facebook and Wiki for all problems with three seeds, and
``--ablation`` those of one seed with each switch at the paper's choice; ``--show rows.jsonl`` prints the tables.
Each run is a process of its own; seeds tell the split, the edge probabilities, the training and the walks.
"""

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from lense.graph import DATASETS, load_dataset, split
from lense.paper import CUTOFFS, RESULTS

BUDGET = 100
PROBLEMS = ("mvc", "bmc", "im")
GRAPHS = ("facebook", "wiki")
AS_IN_THE_PAPER = "all as in the paper"
VARIANTS: dict[str, dict[str, Any]] = {
    "as designed": {},
    "the paper's four classes": {"cutoffs": CUTOFFS},
    "no hubs among the samples": {"hubs": 0.0},
    "features scaled, not ranked": {"ranks": False},
    "roots not marked": {"marks_roots": False},
    "classes without order": {"loss": "infonce"},
    "map not normalised": {"normalised": False},
    "walks never restarted": {"restart": 10**9},
    "starts not sampled": {"sampled_starts": False},
    "rewards not shaped": {"shaped": False},
    "Q sees the subgraph": {"sees_subgraph": True},
    "no prior": {"prior": "never"},
    "plain Q-learning": {"double_q": False},
    "squared loss": {"huber": False},
    "gamma 0.995": {"gamma": 0.995},
    "time limit is terminal": {"bootstrap_end": False},
    "keep the nearest policy": {"keep": "distance"},
    "keep the last policy": {"keep": "last"},
}
VARIANTS[AS_IN_THE_PAPER] = {
    name: value for changes in VARIANTS.values() if changes != {"keep": "distance"} for name, value in changes.items()
}


def preset(variant: str) -> str:
    """That of a variant; the paper's own four classes have as many samples each as in the paper."""
    return "literal" if variant == AS_IN_THE_PAPER else "paper"


def run(job: dict[str, Any]) -> dict[str, Any]:
    """One training and its evaluation on the test graph."""
    import torch

    from lense.evaluation import evaluate
    from lense.problems import seeded_problem
    from lense.pruners import LeNSE

    problem = seeded_problem(job["problem"], job["seed"], {})
    whole = problem.prepare(load_dataset(job["graph"], arcs=problem.uses_direction))
    fraction = DATASETS[job["graph"]].train_fraction(arcs=problem.uses_direction)
    train, test = split(whole, fraction, job["seed"])
    start = perf_counter()
    model = LeNSE(
        problem,
        BUDGET,
        preset=preset(job["variant"]),
        paper_graph=job["graph"],
        settings=VARIANTS[job["variant"]],
        seed=job["seed"],
        device=job["device"],
    )
    source = {"graph": job["graph"], "part": "train side of the paper's split", "split_seed": job["seed"]}
    model.fit(train, prepared=True, source=source)
    seconds = perf_counter() - start
    if job["models"]:
        name = f"{job['graph']}-{job['problem']}-{job['seed']}-{job['variant'].replace(' ', '-')}"
        model.save(Path(job["models"]) / name)
    result = evaluate(model, test, episodes=10, seed=job["seed"], floors=job["floors"], prepared=True).as_dict()
    looks = zip(model.log_.series("navigator", "distance"), model.log_.series("navigator", "ratio"), strict=True)
    report = model.report_
    return {
        **{name: value for name, value in job.items() if name != "models"},
        **result,
        "training": {**report["encoder"], **report["navigator"], "classes": report["classes"]},
        "looks": [(step, distance, ratio) for (step, distance), (_, ratio) in looks],
        "train_seconds": seconds,
        "machine": torch.cuda.get_device_name() if model.device == "cuda" else platform.machine(),
        "versions": model.report_["versions"],
    }


def jobs(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What is to be run, the longest first."""
    common = {"device": options.device, "models": options.models}
    if options.ablation:
        for variant in list(VARIANTS)[1:]:
            for graph in GRAPHS:
                for problem in options.problems:
                    row = {"graph": graph, "problem": problem, "seed": 0}
                    yield {**row, "variant": variant, "floors": False, **common}
        return
    for problem in reversed(options.problems):
        for graph in GRAPHS:
            for seed in options.seeds:
                row = {"graph": graph, "problem": problem, "seed": seed}
                yield {**row, "variant": "as designed", "floors": True, **common}


def _in_process(job: dict[str, Any]) -> str:
    command = [sys.executable, "-m", "benchmarks.paper_rows", "--job", json.dumps(job)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"failed: {job}\n{done.stderr[-2000:]}", file=sys.stderr, flush=True)
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper_rows", description=__doc__)
    parser.add_argument("--out", type=Path, help="the file that lines are added to")
    parser.add_argument("--models", help="a folder to save the models in")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, default=1, help="runs at a time")
    parser.add_argument("--problems", nargs="*", default=PROBLEMS)
    parser.add_argument("--seeds", nargs="*", type=int, default=(0, 1, 2))
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    parser.add_argument("--show", type=Path, help="print the tables of a file of lines")
    options = parser.parse_args(arguments)
    if options.job:
        print(json.dumps(run(json.loads(options.job))))
        return 0
    if options.show:
        rows = [json.loads(line) for line in options.show.read_text().splitlines()]
        print(results_table(rows))
        print(ablation_table(rows))
        return 0
    waiting = list(jobs(options))
    with ThreadPoolExecutor(options.workers) as pool, options.out.open("a") as file:
        lines = [pool.submit(_in_process, job) for job in waiting]
        for done in as_completed(lines):
            file.write(done.result())
            file.flush()
            if done.result():
                row = json.loads(done.result())
                print(row["graph"], row["problem"], row["seed"], row["variant"], f"{row['ratio']:.4f}", flush=True)
    return 0


def results_table(rows: Sequence[dict[str, Any]]) -> str:
    """Our rows beside the paper's, each seed of them and the mean, with the ceiling and the floors (Markdown)."""
    lines = [
        "| problem | graph | ratio of each seed | mean | P_V / P_E | paper: ratio, P_V / P_E | ceiling P_V / P_E "
        "| random swaps | untrained | largest gain | top M | top b |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for problem in PROBLEMS:
        for graph in GRAPHS:
            chosen = sorted(_of(rows, problem, graph, "as designed"), key=lambda row: row["seed"])
            if chosen:
                lines.append(_result_line(problem, graph, chosen))
    return "\n".join(lines) + "\n"


def _percents(vertices_pruned: float, edges_pruned: float) -> str:
    return f"{100 * vertices_pruned:.0f} / {100 * edges_pruned:.0f}"


def _of(rows: Sequence[dict[str, Any]], problem: str, graph: str, variant: str) -> list[dict[str, Any]]:
    return [r for r in rows if (r["problem"], r["graph"], r["variant"]) == (problem, graph, variant)]


def _result_line(problem: str, graph: str, rows: Sequence[dict[str, Any]]) -> str:
    def mean(*path: str) -> float:
        values: list[Any] = list(rows)
        for name in path:
            values = [value[name] for value in values]
        return float(np.mean(values))

    def shares(*path: str) -> str:
        return _percents(mean(*path, "vertices_pruned"), mean(*path, "edges_pruned"))

    paper = RESULTS[problem, graph]
    floors = ("random_swaps", "untrained_network", "largest_gain", "top_roots", "top_budget")
    cells = [
        problem,
        graph,
        ", ".join(f"{row['ratio']:.3f} ({row['ratio_stderr']:.3f})" for row in rows),
        f"{mean('ratio'):.3f}",
        shares(),
        f"{paper.ratio:.3f} ({paper.ratio_stderr:.3f}), {_percents(paper.vertices_pruned, paper.edges_pruned)}",
        shares("ceiling"),
        *(f"{mean('floor', name, 'ratio'):.3f} at {shares('floor', name)}" for name in floors),
    ]
    return f"| {' | '.join(cells)} |"


def ablation_table(rows: Sequence[dict[str, Any]]) -> str:
    """The ratio, and P_V / P_E, of each variant with seed 0 (Markdown)."""
    columns = [(p, g) for p in PROBLEMS for g in GRAPHS if any(_of(rows, p, g, v) for v in list(VARIANTS)[1:])]
    lines = [
        f"| variant | {' | '.join(f'{g}-{p}' for p, g in columns)} |",
        f"| --- |{' --- |' * len(columns)}",
    ]
    for variant in VARIANTS:
        cells = []
        for problem, graph in columns:
            found = [row for row in _of(rows, problem, graph, variant) if row["seed"] == 0]
            cells += [
                f"{row['ratio']:.3f} at {_percents(row['vertices_pruned'], row['edges_pruned'])}" for row in found
            ] or [""]
        lines.append(f"| {variant} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
