"""``lense solve``: a budgeted problem on a graph."""

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lense.cli.session import (
    Directed,
    FileFormat,
    Ids,
    Json,
    KeepDuplicates,
    KeepLoops,
    NoWeights,
    Quiet,
    Seed,
    Settings,
    Threads,
    Verbose,
    check_place,
    duration,
    parse_settings,
    print_facts,
    print_json,
    quantity,
    reading,
    session,
)
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.graph import Graph
    from lense.problems import Problem, Solution

_SHOWN_VERTICES = 10


def solve(
    graph: Annotated[str, typer.Argument(help="A graph file, or a name from 'lense data list'.")],
    problem: Annotated[str, typer.Option("--problem", "-p", help="mvc, bmc, im, or one registered by you.")],
    budget: Annotated[float, typer.Option("--budget", "-b", help="How many vertices to choose.")],
    solver: Annotated[
        str, typer.Option("--solver", "-s", help="The heuristic; the problem's first unless given.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Also write the solution to a .json or .csv file.")
    ] = None,
    prune: Annotated[
        bool,
        typer.Option("--prune/--no-prune", help="Solve on a pruned graph; needs a model, and none ships yet."),
    ] = False,
    certify: Annotated[
        bool,
        typer.Option("--certify/--no-certify", help="Bound the optimum, to say how good the solution is at least."),
    ] = True,
    settings: Settings = None,
    seed: Seed = 0,
    directed: Directed = None,
    file_format: FileFormat = None,
    ids: Ids = "auto",
    no_weights: NoWeights = False,
    keep_duplicates: KeepDuplicates = False,
    keep_self_loops: KeepLoops = False,
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Choose the vertices that maximise a problem's objective within a budget.

    The problem's own options are set with --set: for im the cascade model, epsilon and worlds, say, for mip solvers
    gap and time_limit. An unknown name lists the choices.
    """
    if prune:
        raise LenseError("There is no trained model to prune with; leave out --prune to solve on the whole graph.")
    if out is not None and out.suffix not in (".json", ".csv"):
        raise LenseError(f"--out takes a file ending in .json or .csv, not {out.name}.")
    if out is not None:
        check_place(out)
    with session(quiet=quiet, verbose=verbose, threads=threads):
        import numpy as np

        from lense.graph import open_graph
        from lense.problems import seeded_problem

        task = seeded_problem(problem, seed, {"solver": solver, **parse_settings(settings)})
        options = reading(directed, file_format, ids, no_weights, keep_duplicates, keep_self_loops)
        whole = task.prepare(open_graph(graph, arcs=task.uses_direction, **options))
        solution = task.solve(whole, budget, np.random.default_rng(seed), certify=certify)
        record = _record(task, whole, solution, graph, seed)
    if as_json:
        print_json(record)
    elif not quiet or out is None:
        _show(record, whole, solution)
    if out is not None:
        _write(out, record)


def _record(task: "Problem", graph: "Graph", solution: "Solution", source: str, seed: int) -> dict[str, Any]:
    """Everything about a solution, vertices by the user's ids, in types that JSON knows."""
    from dataclasses import asdict
    from importlib.metadata import version

    return {
        "problem": solution.problem,
        "solver": solution.solver,
        "budget": int(solution.budget) if solution.budget == int(solution.budget) else solution.budget,
        "score": solution.score,
        "stderr": solution.stderr,
        "lower_bound": solution.lower_bound,
        "upper_bound": solution.upper_bound,
        "certified": solution.certified,
        "seconds": solution.seconds,
        "vertices": graph.labels[solution.vertices].tolist(),
        "details": dict(solution.details),
        "options": asdict(task),
        "graph": {
            "source": source,
            "vertices": graph.num_vertices,
            "edges": graph.num_edges,
            "directed": graph.directed,
        },
        "seed": seed,
        "lense": version("lense"),
    }


def _write(path: Path, record: dict[str, Any]) -> None:
    """The record as .json, or its vertices as .csv, by way of a temporary file."""
    from lense.graph.files import system_errors
    from lense.graph.formats.streams import replacing

    with system_errors(path, "written"), replacing(path) as part, part.open("w", newline="") as file:
        if path.suffix == ".json":
            json.dump(record, file, indent=2, allow_nan=False)
            file.write("\n")
        else:
            rows = csv.writer(file)
            rows.writerow(("order", "vertex"))
            rows.writerows(enumerate(record["vertices"], start=1))


def _show(record: dict[str, Any], graph: "Graph", solution: "Solution") -> None:
    first = ", ".join(map(str, record["vertices"][:_SHOWN_VERTICES]))
    more = len(record["vertices"]) - _SHOWN_VERTICES
    facts = {
        "graph": repr(graph).removeprefix("Graph(").removesuffix(")"),
        "problem": f"{solution.problem} by {solution.solver}, budget {record['budget']}",
        "score": quantity(solution.score) + (f" ± {solution.stderr:.2g}" if solution.stderr else ""),
        "time": duration(solution.seconds),
        "vertices": first + (f", … and {more} more (--json or --out for all)" if more > 0 else ""),
    }
    if solution.upper_bound is not None and solution.certified is not None:
        facts["optimum at most"] = quantity(solution.upper_bound)
        facts["certified"] = f"at least {100 * solution.certified:.1f} % of the optimum"
    for name, value in solution.details.items():
        facts[name.replace("_", " ")] = value if isinstance(value, str) else quantity(value)
    print_facts("Solution", facts)
