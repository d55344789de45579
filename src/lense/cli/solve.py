"""``lense solve``: a budgeted problem on a graph."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lense.cli.models import (
    Budget,
    Device,
    GraphName,
    ModelFolder,
    ProblemName,
    PrunerName,
    Stop,
    find_model,
    model_name,
    named_problem,
    open_prepared,
    percent,
    pruned,
    whole_if_possible,
)
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
from lense.errors import LenseError, choose

if TYPE_CHECKING:
    from lense.graph import Graph
    from lense.parts import Subgraph
    from lense.problems import Problem, Solution
    from lense.pruners import Pruner

_SHOWN_VERTICES = 10


def solve(
    graph: GraphName,
    problem: ProblemName = None,
    budget: Budget = None,
    solver: Annotated[
        str, typer.Option("--solver", "-s", help="The heuristic; the problem's first unless given.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Also write the solution to a .json or .csv file.")
    ] = None,
    model: ModelFolder = None,
    prune: Annotated[
        bool, typer.Option("--prune/--no-prune", help="Solve on the part of the graph that the model keeps.")
    ] = True,
    pruner: PrunerName = None,
    mode: Annotated[
        str,
        typer.Option(help="subgraph: solve on the part alone; ground-set: on the whole graph, choosing from the part."),
    ] = "subgraph",
    stop: Stop = "final",
    device: Device = "auto",
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
    """Choose the vertices that maximise a problem's objective within a budget, on the part of the graph a model keeps.

    The problem's own options are set with --set: for im the cascade model, epsilon and worlds, say, for mip solvers
    gap and time_limit. An unknown name lists the choices.
    """
    if out is not None and out.suffix not in (".json", ".csv"):
        raise LenseError(f"--out takes a file ending in .json or .csv, not {out.name}.")
    if out is not None:
        check_place(out)
    if pruner is not None and not prune:
        raise LenseError("--pruner tells how to prune and --no-prune not to: choose one of them.")
    with session(quiet=quiet, verbose=verbose, threads=threads):
        import numpy as np

        from lense.parts.solving import MODES, solve_part

        choose(mode, MODES, "mode")
        options = {**({"solver": solver} if solver else {}), **parse_settings(settings)}
        kept_by: Pruner | None = None
        if prune or model is not None:
            task, kept_by = find_model(model, problem, options, seed=seed, device=device, name=pruner, budget=budget)
        else:
            task = named_problem(problem, options, seed)
        if budget is None:
            budget = _trained_budget(model, kept_by)
        options_of_reading = reading(directed, file_format, ids, no_weights, keep_duplicates, keep_self_loops)
        whole = open_prepared(task, graph, options_of_reading)
        task.check_budget(whole, budget)
        part = (
            _part(kept_by, model_name(model, kept_by), whole, budget, seed, stop)
            if prune and kept_by is not None
            else None
        )
        rng = np.random.default_rng(seed)
        if part is None:
            solution = task.solve(whole, budget, rng, certify=certify)
        else:
            solution = solve_part(task, whole, part.subgraph, budget, rng, mode=mode, certify=certify)
        record = _record(task, whole, solution, graph, seed)
        record["pruned"] = None if part is None else {**part.record(whole), "mode": mode}
    if as_json:
        print_json(record)
    elif not quiet or out is None:
        _show(record, whole, solution, _why_whole(task, kept_by) if prune else "")
    if out is not None:
        _write(out, record)


def _trained_budget(folder: Path | None, model: "Pruner | None") -> float:
    # a model that ships is for any budget, so that of its training says nothing about the user's
    if folder is None or model is None:
        raise LenseError("Say with --budget how many vertices to choose.")
    return model.budget


@dataclass(frozen=True)
class _Part:
    """What a model kept of a graph, and the seconds that took."""

    subgraph: "Subgraph"
    seconds: float
    model: str

    def record(self, whole: "Graph") -> dict[str, Any]:
        from lense.evaluation.yardstick import shares_pruned

        vertices_pruned, edges_pruned = shares_pruned(whole, self.subgraph)
        return {
            "vertices": self.subgraph.graph.num_vertices,
            "edges": self.subgraph.graph.num_edges,
            "vertices_pruned": vertices_pruned,
            "edges_pruned": edges_pruned,
            "seconds": self.seconds,
            "model": self.model,
        }


def _part(model: "Pruner", name: str, whole: "Graph", budget: float, seed: int, stop: str) -> _Part | None:
    """The part of the graph to solve on, or None where that is the whole of it."""
    from lense.stopwatch import Stopwatch

    with Stopwatch() as watch:
        kept = pruned(model, whole, budget, seed, stop)
    return None if kept.graph is whole else _Part(kept, watch.seconds, name)


def _why_whole(task: "Problem", model: "Pruner | None") -> str:
    """Why a graph that should be pruned was solved as a whole, if it was."""
    if model is None:
        return f"no, since no model ships for {task.name}: train one, or name one with --model"
    return "no, since a walk of the model has as many roots as the graph has vertices"


def _record(task: "Problem", graph: "Graph", solution: "Solution", source: str, seed: int) -> dict[str, Any]:
    """Everything about a solution, vertices by the user's ids, in types that JSON knows."""
    from dataclasses import asdict
    from importlib.metadata import version

    return {
        "problem": solution.problem,
        "solver": solution.solver,
        "budget": whole_if_possible(solution.budget),
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
    from lense.files import replacing, system_errors

    with system_errors(path, "written"), replacing(path) as part, part.open("w", newline="") as file:
        if path.suffix == ".json":
            json.dump(record, file, indent=2, allow_nan=False)
            file.write("\n")
        else:
            rows = csv.writer(file)
            rows.writerow(("order", "vertex"))
            rows.writerows(enumerate(record["vertices"], start=1))


def _show(record: dict[str, Any], graph: "Graph", solution: "Solution", why_whole: str) -> None:
    first = ", ".join(map(str, record["vertices"][:_SHOWN_VERTICES]))
    more = len(record["vertices"]) - _SHOWN_VERTICES
    facts = {
        "graph": repr(graph).removeprefix("Graph(").removesuffix(")"),
        "problem": f"{solution.problem} by {solution.solver}, budget {record['budget']}",
        **({"pruned": text} if (text := _kept(record["pruned"]) or why_whole) else {}),
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


def _kept(pruned: dict[str, Any] | None) -> str:
    if pruned is None:
        return ""
    return (
        f"to {pruned['vertices']:,} vertices (-{percent(pruned['vertices_pruned'])}) and {pruned['edges']:,} edges "
        f"(-{percent(pruned['edges_pruned'])}) in {duration(pruned['seconds'])}"
    )
