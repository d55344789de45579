"""``lense solve``: a budgeted problem on a graph."""

import csv
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from lense.cli.models import (
    LENSE,
    find_pruner,
    how_to_walk,
    model_name,
    named_problem,
    open_prepared,
    percent,
    whole_if_possible,
)
from lense.cli.options import (
    GraphName,
    Pruning,
    Reading,
    Running,
    Task,
    grouped,
    problem_option,
    pruning_option,
    running_option,
)
from lense.cli.session import check_place, duration, print_facts, print_json, quantity
from lense.errors import LenseError, choose

if TYPE_CHECKING:
    from lense.graph import Graph
    from lense.problems import Problem, Solution
    from lense.pruners import Pruner

_SHOWN_VERTICES = 10


@dataclass(frozen=True)
class Way:
    """How to solve: by which heuristic, on what, and with which proof."""

    solver: Annotated[
        str, problem_option("--solver", "-s", help="The heuristic; the problem's first unless given.")
    ] = ""
    certify: Annotated[
        bool,
        problem_option("--certify/--no-certify", help="Bound the optimum, to say how good the solution is at least."),
    ] = True
    exact: Annotated[
        bool, problem_option("--exact", help="Find an optimum of mvc or bmc and prove it, on the whole graph.")
    ] = False
    time_limit: Annotated[
        float | None,
        problem_option("--time-limit", help="Seconds after which --exact gives the best found, with a bound."),
    ] = None
    prune: Annotated[
        bool, pruning_option("--prune/--no-prune", help="Solve on the part of the graph that the model keeps.")
    ] = True
    mode: Annotated[
        str,
        pruning_option(
            help="subgraph: solve on the part alone; ground-set: on the whole graph, choosing from the part."
        ),
    ] = "subgraph"

    @property
    def prunes(self) -> bool:
        return self.prune and not self.exact

    def check(self, pruning: Pruning) -> None:
        """Raise if an option was given that has no effect beside another."""
        says_how = (pruning.pruner, pruning.stop, pruning.device, self.mode) != (None, "final", "auto", "subgraph")
        if self.exact and (says_how or not self.prune):
            raise LenseError(
                "--exact prunes by bounds alone: leave out --no-prune, --pruner, --stop, --device and --mode."
            )
        if self.exact and not self.certify:
            raise LenseError("--exact proves what it finds: leave out --no-certify.")
        if self.time_limit is not None and not self.exact:
            raise LenseError("--time-limit is for --exact; for mip solvers it is --set time_limit=SECONDS.")
        if says_how and not self.prune:
            raise LenseError(
                "--pruner, --stop, --device and --mode say how to prune and --no-prune not to: choose one of them."
            )


@grouped()
def solve(
    graph: GraphName,
    *,
    task: Task,
    way: Way,
    pruning: Pruning,
    reading: Reading,
    out: Annotated[
        Path | None, running_option("--out", "-o", help="Also write the solution to a .json or .csv file.")
    ] = None,
    running: Running,
) -> None:
    """Choose the vertices that maximise a problem's objective within a budget, on the part of the graph a model keeps.

    For example: lense solve graph.txt --problem mvc --budget 100

    The problem's own options are set with --set: for im the cascade model, epsilon and worlds, say, for mip solvers
    gap and time_limit. An unknown name lists the choices.
    """
    _check_out(out)
    way.check(pruning)
    with running.session():
        from lense.parts import MODES

        choose(way.mode, MODES, "mode")
        problem, pruner = _problem_and_pruner(task.solved_by(way.solver), pruning, way.prunes, running.seed)
        budget = _trained_budget(pruning, pruner) if task.budget is None else task.budget
        whole = open_prepared(problem, graph, reading)
        if way.prunes and pruner is not None:
            walks = how_to_walk(pruner, pruning.stop)
            solution = pruner.solve(
                whole, budget=budget, seed=running.seed, mode=way.mode, certify=way.certify, prepared=True, **walks
            )
        elif way.exact:
            solution = _solved_exactly(problem, whole, budget, running.seed, way.time_limit)
        else:
            solution = _solved_whole(problem, whole, budget, running.seed, way.certify)
        record = _record(problem, whole, solution, graph, running.seed)
        if pruner is not None and solution.pruned is not None:
            record["pruned"] = {**asdict(solution.pruned), "model": model_name(pruning, pruner)}
    if running.as_json:
        print_json(record)
    elif not running.quiet or out is None:
        _show(record, whole, solution, _why_whole(problem, pruner) if way.prunes else "")
    if out is not None:
        _write(out, record)


def _check_out(out: Path | None) -> None:
    if out is not None:
        if out.suffix not in (".json", ".csv"):
            raise LenseError(f"--out takes a file ending in .json or .csv, not {out.name}.")
        check_place(out)


def _problem_and_pruner(task: Task, pruning: Pruning, prune: bool, seed: int) -> "tuple[Problem, Pruner | None]":
    """Without pruning, a model is only asked for its problem and budget."""
    if prune or pruning.model is not None:
        return find_pruner(task, pruning, seed=seed)
    return named_problem(task.problem, task.options(), seed), None


def _trained_budget(pruning: Pruning, pruner: "Pruner | None") -> float:
    # a model that ships is for any budget, so that of its training says nothing about the user's
    if pruning.model is None or pruner is None:
        raise LenseError("Say with --budget how many vertices to choose.")
    return pruner.budget


def _solved_whole(problem: "Problem", graph: "Graph", budget: float, seed: int, certify: bool) -> "Solution":
    import numpy as np

    return problem.solve(graph, budget, np.random.default_rng(seed), certify=certify)


def _solved_exactly(
    problem: "Problem", graph: "Graph", budget: float, seed: int, time_limit: float | None
) -> "Solution":
    import numpy as np

    from lense.problems.exact import solve_exactly

    return solve_exactly(problem, graph, budget, np.random.default_rng(seed), time_limit=time_limit)


def _why_whole(problem: "Problem", pruner: "Pruner | None") -> str:
    """Why a graph that should be pruned was solved as a whole, if it was."""
    if pruner is None:
        return f"no, since no model ships for {problem.name}: train one, or name a rule with --pruner"
    if pruner.name != LENSE:
        return f"no, since {pruner.name} keeps the whole graph"
    return "no, since a walk of the model has at least as many roots as the graph has vertices"


def _record(problem: "Problem", graph: "Graph", solution: "Solution", source: str, seed: int) -> dict[str, Any]:
    """Everything about a solution, vertices by the user's ids, in types that JSON knows."""
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
        "optimal": solution.optimal,
        "seconds": solution.seconds,
        "certificate_seconds": solution.certificate_seconds,
        "vertices": graph.labels[solution.vertices].tolist(),
        "details": dict(solution.details),
        "options": asdict(problem),
        "graph": {
            "source": source,
            "vertices": graph.num_vertices,
            "edges": graph.num_edges,
            "directed": graph.directed,
        },
        "pruned": None,
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
        facts["certified"] = _how_good(solution.certified, solution.optimal)
    if solution.certificate_seconds is not None:
        facts["time to certify"] = duration(solution.certificate_seconds)
    for name, value in solution.details.items():
        if not isinstance(value, list):
            facts[name.replace("_", " ")] = value if isinstance(value, str) else quantity(value)
    print_facts("Solution", facts)


def _how_good(certified: float, optimal: bool) -> str:
    """The share of the optimum that is certain, never rounded up to all of it."""
    if optimal:
        return "an optimum, which is proven"
    return f"at least {min(1000 * certified // 1 / 10, 99.9):.1f} % of the optimum"


def _kept(pruned: dict[str, Any] | None) -> str:
    if pruned is None:
        return ""
    if pruned["mode"] == "ground-set":
        return f"to {pruned['roots']:,} vertices to choose from in {duration(pruned['seconds'])}"
    return (
        f"to {pruned['vertices']:,} vertices (-{percent(pruned['vertices_pruned'])}) and {pruned['edges']:,} edges "
        f"(-{percent(pruned['edges_pruned'])}) in {duration(pruned['seconds'])}"
    )
