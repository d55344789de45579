"""``lense solve``: a budgeted problem on a graph."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from lense._util.formatting import duration, percent, quantity
from lense.cli.models import (
    CORE,
    LENSE,
    find_pruner,
    how_to_walk,
    model_name,
    named_problem,
    open_prepared,
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
from lense.cli.session import check_place, print_facts, print_json
from lense.cli.streaming import Streaming
from lense.errors import LenseError, choose

if TYPE_CHECKING:
    from lense.graph import Graph, Scan
    from lense.problems import Problem, Solution
    from lense.pruners import Pruner
    from lense.streaming.solving import Way as StreamedWay

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
        problem_option(
            "--time-limit",
            help="Seconds after which --exact gives the best found, with a bound, and no larger core is tried.",
        ),
    ] = None
    prune: Annotated[
        bool | None,
        pruning_option(
            "--prune/--no-prune",
            help="Solve on a part of the graph, or on all of it; whichever takes less time unless given.",
            show_default=False,
        ),
    ] = None
    mode: Annotated[
        str,
        pruning_option(
            help="subgraph: solve on the part alone; ground-set: on the whole graph, choosing from the part."
        ),
    ] = "subgraph"

    def check(self, pruning: Pruning) -> None:
        """Raise if an option was given that has no effect beside another."""
        says_how = self._says_how(pruning)
        if self.exact and (says_how or self.prune is not None):
            raise LenseError(
                "--exact prunes by bounds alone: leave out --no-prune, --prune, --pruner, --size, --stop, --swaps, "
                "--device and --mode."
            )
        if self.exact and not self.certify:
            raise LenseError("--exact proves what it finds: leave out --no-certify.")
        if says_how and self.prune is False:
            raise LenseError(
                "--pruner, --size, --stop, --swaps, --device and --mode say how to prune and --no-prune not to: choose "
                "one of them."
            )
        if pruning.target is not None and (self.exact or self.prune is False):
            raise LenseError(
                "--target is the share of the score that a part keeps: leave it out where none is cut out."
            )
        if self.time_limit is not None and self.prune is False:
            raise LenseError("--time-limit is for --exact and for pruning; for mip it is --set time_limit=SECONDS.")

    def prunes(self, pruning: Pruning) -> bool | None:
        """Whether to prune; None where that is to be decided."""
        if self.exact:
            return False
        return True if self._says_how(pruning) or (pruning.model and self.prune is not False) else self.prune

    def streamed(
        self, pruning: Pruning, pruner: "Pruner | None", budget: float, memory_limit: int | None, seed: int
    ) -> "StreamedWay":
        """The same for a graph that stays on disk."""
        from lense.streaming.solving import Way as StreamedWay

        if self.time_limit is not None and not self.exact:
            raise LenseError("In a stream, --time-limit is for --exact.")
        if not (self.prunes(pruning) or (pruning.target is not None and not self.exact)):
            pruner = None
        if pruner is not None:
            how_to_walk(pruner, pruning.stop)  # refuses what is for walks alone
            pruner.set_params(budget=budget)
        return StreamedWay(pruner, self.mode, self.certify, self.exact, self.time_limit, seed, memory_limit)

    def _says_how(self, pruning: Pruning) -> bool:
        given = (pruning.pruner, pruning.size, pruning.stop, pruning.swaps, pruning.device, self.mode)
        return given != (None, None, "final", 1, "auto", "subgraph")


@grouped()
def solve(
    graph: GraphName,
    *,
    task: Task,
    way: Way,
    pruning: Pruning,
    reading: Reading,
    streaming: Streaming,
    out: Annotated[
        Path | None, running_option("--out", "-o", help="Also write the solution to a .json or .csv file.")
    ] = None,
    running: Running,
) -> None:
    """Choose the vertices that maximise a problem's objective within a budget, on the whole graph or a part of it.

    For example: lense solve graph.txt --problem mvc --budget 100

    Without --prune or --no-prune it is estimated which takes less time. The problem's own options are set with --set:
    for im the cascade model, epsilon and worlds, say, for mip solvers gap and time_limit. An unknown name lists the
    choices.
    """
    _check_out(out)
    way.check(pruning)
    with running.session():
        from lense.problems.parts import MODES
        from lense.solving.answers import answer_record, write_answer
        from lense.streaming.solving import solve_scan

        choose(way.mode, MODES, "mode")
        prunes = way.prunes(pruning)
        problem, pruner = _problem_and_pruner(task.solved_by(way.solver), pruning, prunes, running.seed)
        budget = _trained_budget(pruning, pruner) if task.budget is None else task.budget
        scan = None if streaming.solves_in_memory(problem, graph) else streaming.scan(graph, reading)
        whole: Graph | Scan
        with streaming.passes(scan) as engine:
            if scan is not None:
                asked = way.streamed(pruning, pruner, budget, streaming.limit, running.seed)
                whole, solution = scan, solve_scan(problem, scan, budget, replace(asked, engine=engine))
            else:
                whole = open_prepared(problem, graph, reading)
                solution = _in_memory(problem, pruner, whole, budget, way, pruning, running.seed)
        record = answer_record(problem, whole, solution, graph, running.seed)
        if solution.pruned is not None:
            named = "fitted" if pruner is None else model_name(pruning, pruner)
            is_named = pruner is None or pruner.name == solution.pruned.pruner
            model = named if is_named else solution.pruned.pruner
            record["pruned"] = {**asdict(solution.pruned), "model": model}
    if out is not None:
        write_answer(out, record)
    if running.as_json:
        print_json(record)
    elif not running.quiet or out is None:
        _show(record, whole, solution)


def _in_memory(
    problem: "Problem",
    pruner: "Pruner | None",
    graph: "Graph",
    budget: float,
    way: Way,
    pruning: Pruning,
    seed: int,
) -> "Solution":
    if way.exact:
        return _solved_exactly(problem, graph, budget, seed, way.time_limit)
    if way.prunes(pruning) and pruner is not None and pruner.name != CORE:
        return _solved_by(pruner, graph, budget, way, pruning, seed)
    return _solved(problem, pruner, graph, budget, way, pruning, seed)


def _solved_by(pruner: "Pruner", graph: "Graph", budget: float, way: Way, pruning: Pruning, seed: int) -> "Solution":
    """By a pruner that was named, whatever it costs."""
    if way.time_limit is not None:
        raise LenseError(f"--time-limit is for --exact and for cores, and a {pruner.name} prunes once: leave it out.")

    walks = how_to_walk(pruner, pruning.stop)
    solution = pruner.solve(graph, budget=budget, seed=seed, mode=way.mode, certify=way.certify, prepared=True, **walks)
    reason = _why_whole(pruner) if solution.pruned is None else f"pruned by {pruner.name}, as asked"
    return replace(solution, reason="; ".join(filter(None, (reason, pruner.warning(graph, budget)))))


def _solved(
    problem: "Problem",
    pruner: "Pruner | None",
    graph: "Graph",
    budget: float,
    way: Way,
    pruning: Pruning,
    seed: int,
) -> "Solution":
    """On the whole graph or on a core, as is asked for or takes less time."""
    from lense.pruners.core import Core
    from lense.solving import Way as LibraryWay
    from lense.solving import solve_prepared

    if pruner is not None:
        how_to_walk(pruner, pruning.stop)  # refuses what is for walks alone
    core = pruner if isinstance(pruner, Core) else None
    default = LibraryWay.target if core is None else core.target
    asked = LibraryWay(
        prune=way.prunes(pruning),
        target=default if pruning.target is None else pruning.target,
        size=pruning.size,
        certify=way.certify,
        time_limit=way.time_limit,
        mode=way.mode,
        seed=seed,
    )
    return solve_prepared(problem, graph, budget, asked, core)


def _check_out(out: Path | None) -> None:
    if out is not None:
        if out.suffix not in (".json", ".csv"):
            raise LenseError(f"--out takes a file ending in .json or .csv, not {out.name}.")
        check_place(out)


def _problem_and_pruner(task: Task, pruning: Pruning, prune: bool | None, seed: int) -> "tuple[Problem, Pruner | None]":
    """Without pruning, a model is only asked for its problem and budget."""
    if prune is not False or pruning.model is not None:
        return find_pruner(task, pruning, seed=seed)
    return named_problem(task.problem, task.options(), seed), None


def _trained_budget(pruning: Pruning, pruner: "Pruner | None") -> float:
    # a model that ships is for any budget, so that of its training says nothing about the user's
    if pruning.model is None or pruner is None:
        raise LenseError("Say with --budget how many vertices to choose.")
    return pruner.budget


def _solved_exactly(
    problem: "Problem", graph: "Graph", budget: float, seed: int, time_limit: float | None
) -> "Solution":
    import numpy as np

    from lense.problems.exact import solve_exactly

    solution = solve_exactly(problem, graph, budget, np.random.default_rng(seed), time_limit=time_limit)
    return replace(solution, reason="solved exactly, as asked")


def _why_whole(pruner: "Pruner") -> str:
    """Why a graph that should be pruned was solved as a whole."""
    if pruner.name != LENSE:
        return f"solved on the whole graph, since {pruner.name} keeps all of it"
    return "solved on the whole graph, since a walk of the model has at least as many roots as the graph has vertices"


def _show(record: dict[str, Any], graph: "Graph | Scan", solution: "Solution") -> None:
    from lense.problems.base import format_score

    first = ", ".join(map(str, record["vertices"][:_SHOWN_VERTICES]))
    more = len(record["vertices"]) - _SHOWN_VERTICES
    facts = {
        "graph": repr(graph).removeprefix("Graph(").removeprefix("Scan(").removesuffix(")"),
        "problem": f"{solution.problem} by {solution.solver}, budget {record['budget']}",
        **({"how": solution.reason} if solution.reason else {}),
        **({"pruned": text} if (text := _kept(record["pruned"])) else {}),
        **_rounds(solution),
        "score": solution.score_text,
        "time": duration(solution.seconds),
        "vertices": first + (f", … and {more} more (--json or --out for all)" if more > 0 else ""),
    }
    if solution.upper_bound is not None:
        facts["optimum at most"] = format_score(solution.upper_bound, solution.unit)
        facts["certified"] = solution.quality_text
    if solution.certificate_seconds is not None:
        facts["time to certify"] = duration(solution.certificate_seconds)
    where = " on the part" if solution.pruned is not None else ""
    for name, value in solution.details.items():
        if not isinstance(value, list):
            facts[name.replace("_", " ") + where] = value if isinstance(value, str) else quantity(value)
    print_facts("Solution", facts)


def _rounds(solution: "Solution") -> dict[str, str]:
    """A line for each core that was solved, where there were several."""
    rounds = [one for one in solution.details.get("rounds", ()) if "roots" in one]
    return {
        f"round {i}": f"{one['roots']:,} roots, {one['edges']:,} edges: {quantity(one['score'])} in "
        f"{duration(one['seconds'])}"
        for i, one in enumerate(rounds, start=1)
    }


def _kept(pruned: dict[str, Any] | None) -> str:
    if pruned is None:
        return ""
    if pruned["mode"] == "ground-set":
        return f"to {pruned['roots']:,} vertices to choose from in {duration(pruned['seconds'])}"
    return (
        f"to {pruned['vertices']:,} vertices (-{percent(pruned['vertices_pruned'])}) and {pruned['edges']:,} edges "
        f"(-{percent(pruned['edges_pruned'])}) in {duration(pruned['seconds'])}"
    )
