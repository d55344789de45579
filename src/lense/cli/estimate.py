"""``lense estimate``: time and memory before the work."""

from typing import TYPE_CHECKING, Annotated

import typer

from lense._util.formatting import duration, size
from lense.cli.models import named_problem, open_prepared
from lense.cli.options import Reading, Running, Task, grouped, problem_option
from lense.cli.session import print_facts, print_json
from lense.cli.standard_input import from_standard_input
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.solving.estimate import Cost, Estimate

_WORDS = {
    "read": "to read it as text",
    "solve": "to solve it whole",
    "certify": "to certify the answer",
    "learn core": "to learn a core",
    "learn lense": "to learn LeNSE",
    "learn lense, quick": "to learn LeNSE with --preset quick",
}


@grouped(without=("model",))
def estimate(
    graph: Annotated[
        str | None,
        typer.Argument(
            help="A graph file, a name from 'lense data list', or - for standard input; else give --edges.",
            callback=lambda given: None if given is None else from_standard_input(given),
        ),
    ] = None,
    *,
    vertices: Annotated[
        int | None, problem_option(help="Of a graph that is not at hand; a tenth of its edges.")
    ] = None,
    edges: Annotated[int | None, problem_option(help="Of a graph that is not at hand.")] = None,
    task: Task,
    solver: Annotated[
        str, problem_option("--solver", "-s", help="The heuristic; the problem's first unless given.")
    ] = "",
    reading: Reading,
    running: Running,
) -> None:
    """Say what reading, solving, certifying and learning take of time and memory on this machine.

    For example: lense estimate graph.txt --problem im --budget 100, or of a graph that is yet to come:
    lense estimate --edges 50000000 --problem mvc --budget 100

    A sample of the graph, or a generated one like it, is solved, and what that takes is taken in proportion.
    'lense advise' says whether pruning pays.
    """
    if (graph is None) == (edges is None):
        raise LenseError("Name a graph, or say with --edges how many edges it has.")
    if vertices is not None and edges is None:
        raise LenseError("--vertices is for a graph that is not at hand: give --edges too.")
    with running.session():
        from lense.solving.estimate import estimate as estimated
        from lense.solving.estimate import lense_costs, stand_in

        named = task.solved_by(solver)
        problem = named_problem(named.problem, named.options(), running.seed)
        if task.budget is None:
            raise LenseError("Say with --budget how many vertices to choose.")
        if graph is not None:
            whole = open_prepared(problem, graph, reading)
            problem.check_budget(whole, task.budget)
            found = estimated(problem, whole, task.budget, seed=running.seed)
            found.costs.update(lense_costs(problem, whole, task.budget, seed=running.seed))
        else:
            assert edges is not None
            size = max(2, edges // 10) if vertices is None else vertices
            made = stand_in(size, edges, running.seed)
            found = estimated(problem, made, task.budget, vertices=size, edges=edges, seed=running.seed)
    print_json(found.as_dict()) if running.as_json else _show(found)


def _show(found: "Estimate") -> None:
    print_facts(
        "Estimate, in proportion to a sample",
        {
            "graph": f"{found.vertices:,} vertices, {found.edges:,} edges",
            "sample": f"{found.sampled:,} edges",
            "to hold it": size(found.graph_bytes),
            **{_WORDS[name]: _cost(cost) for name, cost in found.costs.items()},
        },
    )


def _cost(cost: "Cost") -> str:
    memory = "" if not cost.bytes else f", about {size(cost.bytes)} more memory"
    return f"about {duration(cost.seconds, 2)}{memory}"
