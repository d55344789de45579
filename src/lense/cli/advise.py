"""``lense advise``: whether pruning pays, and what the work takes, without solving."""

from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lense._util.formatting import duration, percent, size
from lense.cli.options import GRAPH, Reading, Running, Solver, Target, Task, grouped, problem_option, solve_options
from lense.cli.session import expectation, print_facts, print_json
from lense.cli.standard_input import from_standard_input

if TYPE_CHECKING:
    from lense.solving import Advice


@grouped(without=("model",))
def advise(
    graph: Annotated[
        str | None,
        typer.Argument(
            help=f"{GRAPH}; else give --edges.",
            callback=lambda given: None if given is None else from_standard_input(given),
        ),
    ] = None,
    *,
    vertices: Annotated[
        int | None, problem_option(help="Size of a graph you do not have yet (default: a tenth of --edges).")
    ] = None,
    edges: Annotated[int | None, problem_option(help="Size of a graph you do not have yet.")] = None,
    task: Task,
    solver: Solver = None,
    target: Target = None,
    costs: Annotated[
        bool, problem_option("--costs", help="Also measure time and memory of reading, certifying and training.")
    ] = False,
    reading: Reading,
    running: Running,
) -> None:
    """Estimate what a heuristic takes on the whole graph and on a part of it, and which 'lense solve' would choose.

    For example: lense advise graph.txt --problem im --budget 100

    --costs also extrapolates time and memory from a sample. Without a graph, give its size:
    lense advise --edges 50000000 --problem mvc --budget 100
    """
    with running.session():
        from lense.solving import advise

        task.check(None)
        options = solve_options(task, reading, running)
        found = advise(
            graph,
            task.problem,
            task.budget,
            solver,
            measure=costs,
            vertices=vertices,
            edges=edges,
            options=options,
            target=target,
        )
    if running.as_json:
        print_json(_record(found))
    else:
        print_facts("Advice", _facts(found))


def _record(found: "Advice") -> dict[str, Any]:
    known = {name: value for name, value in asdict(found).items() if name not in ("law", "fitted_on", "graph", "costs")}
    if found.prune_seconds is not None and not isfinite(found.prune_seconds):  # no core ships, and none can be learnt
        known["prune_seconds"] = None
    graph = {name: value for name, value in found.graph.items() if name != "text"}
    costs = {name: cost._asdict() for name, cost in found.costs.items()}
    return {**known, "graph": graph, **({"costs": costs} if costs else {})}


def _facts(found: "Advice") -> dict[str, str]:
    seconds = {
        "whole graph": found.whole_seconds,
        "pruning": found.prune_seconds,
        "solving the part": found.part_seconds,
    }
    facts = {"graph": found.graph["text"]}
    if "bytes" in found.graph:
        facts["memory"] = f"{size(found.graph['bytes'])} for the graph"
    facts["advice"] = found.reason
    facts |= {name: f"about {duration(one, 2)}" for name, one in seconds.items() if one is not None and isfinite(one)}
    if found.part_edges is not None:
        facts["part"] = f"at most {percent(found.part_edges / max(found.graph['edges'], 1))} of the edges"
    if found.confidence is not None:
        facts["expected"] = expectation(vars(found))
    for name, cost in found.costs.items():
        times = [f"about {duration(cost.seconds, 2)}"] if cost.seconds else []
        memory = [f"about {size(cost.bytes)} of memory"] if cost.bytes else []
        facts[f"to {name}"] = ", ".join(times + memory)
    return facts
