"""``lense advise``: whether pruning pays, without solving."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from lense._util.formatting import duration, percent, size
from lense.cli.models import named_problem, open_prepared
from lense.cli.options import GraphName, Reading, Running, Task, grouped, problem_option, pruning_option
from lense.cli.session import print_facts, print_json
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.graph import Graph
    from lense.solving import Advice


@grouped(without=("model",))
def advise(
    graph: GraphName,
    *,
    task: Task,
    solver: Annotated[
        str, problem_option("--solver", "-s", help="The heuristic; the problem's first unless given.")
    ] = "",
    target: Annotated[
        float, pruning_option(help="The share of the heuristic's score on the whole graph that is to be kept.")
    ] = 0.99,
    reading: Reading,
    running: Running,
) -> None:
    """Estimate what a heuristic takes on the whole graph and on a part of it, and say which 'lense solve' would choose.

    For example: lense advise graph.txt --problem im --budget 100
    """
    with running.session():
        from lense.solving.advice import advise as estimated

        named = task.solved_by(solver)
        problem = named_problem(named.problem, named.options(), running.seed)
        if task.budget is None:
            raise LenseError("Say with --budget how many vertices to choose.")
        if not 0 < target <= 1:
            raise LenseError(f"The target is a share above 0 and at most 1, not {target:g}.")
        whole = open_prepared(problem, graph, reading)
        advice = estimated(problem, whole, task.budget, target=target, seed=running.seed)
    record = _record(advice, graph, whole)
    if running.as_json:
        print_json(record)
    else:
        _show(record, whole)


def _record(advice: "Advice", source: str, graph: "Graph") -> dict[str, Any]:
    known = {name: value for name, value in asdict(advice).items() if name not in ("law", "fitted_on")}
    prunable = known["prune_seconds"] != float("inf")
    return {
        **known,
        "prune_seconds": known["prune_seconds"] if prunable else None,
        "graph": {
            "source": source,
            "vertices": graph.num_vertices,
            "edges": graph.num_edges,
            "bytes": graph.nbytes,
        },
    }


def _show(record: dict[str, Any], graph: "Graph") -> None:

    times = {"whole graph": "whole_seconds", "pruning": "prune_seconds", "solving the part": "part_seconds"}
    edges = record["part_edges"]
    print_facts(
        "Advice",
        {
            "graph": repr(graph).removeprefix("Graph(").removesuffix(")"),
            "memory": f"{size(graph.nbytes)} for the graph; 'lense estimate' says what the work takes",
            "advice": record["reason"],
            **{name: f"about {duration(record[key], 2)}" for name, key in times.items() if record[key] is not None},
            **({} if edges is None else {"part": f"at most {percent(edges / max(graph.num_edges, 1))} of the edges"}),
            **_expectation(record),
        },
    )


def _expectation(record: dict[str, Any]) -> dict[str, str]:
    if record["confidence"] is None:
        return {}
    ratio, sure = record["expected_ratio"], record["confidence"]
    unlike = {"unlike": record["unlike"]} if record["unlike"] else {}
    return {
        "expected": f"{ratio:.3f} of the heuristic's score on the whole graph; {sure:.0%} sure of the target",
        **unlike,
    }
