"""``lense demo``: the main job on a generated graph, with no data and no network."""

from typing import TYPE_CHECKING, Annotated, Any

from lense._util.formatting import duration, percent, quantity
from lense.cli.options import Running, grouped, problem_option
from lense.cli.output import print_json, print_table
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.graph import Graph
    from lense.problems import Solution


@grouped()
def demo(
    *,
    vertices: Annotated[int, problem_option("--vertices", "-n", min=200, help="Size of the generated graph.")] = 10_000,
    budget: Annotated[int, problem_option("--budget", "-b", min=1, help="Number of vertices to choose.")] = 100,
    running: Running,
) -> None:
    """Generate a graph, prune it with the bundled models, solve, and compare with the whole graph."""
    with running.session():
        import numpy as np

        from lense.graph import power_law
        from lense.pruners.shipped import shipped_models

        problems = [str(row["problem"]) for row in shipped_models() if row["is_default"]]
        graph = power_law(vertices, 12.0, 2.3, np.random.default_rng(running.seed))
        rows = [row for name in problems for row in _compared(name, graph, budget, running.seed)]
    if running.as_json:
        print_json(rows)
        return
    print_table(
        f"{budget} of {graph.num_vertices:,} vertices ({graph.num_edges:,} edges)",
        ("problem", "solved on", "score", "ratio", "vertices pruned", "edges pruned", "time", "walk"),
        [_cells(row) for row in rows],
        left=(0, 1),
    )
    units = dict.fromkeys(f"{row['problem']} {row['unit']}" for row in rows)
    running.say(f"  score, on the whole graph: {', '.join(units)}")
    running.say("  largest: by degree, for im by out-weight, as many as the walk has roots")
    running.say("  time: of the heuristic, compiling left out; walk: what finding LeNSE's subgraph took before that")
    running.say("  To try it on a page in your browser, with your own graph: lense app (needs lense[app])")


def _compared(problem: str, graph: "Graph", budget: int, seed: int) -> list[dict[str, Any]]:
    """The heuristic on the whole graph, on the part that a walk ends with, and on that of the largest vertices."""
    from lense.problems.parts import ratio_of
    from lense.solving import solve

    def solved(**options: Any) -> "Solution":
        return solve(graph, problem, budget, seed=seed, certify=False, **options)

    whole, walked = solved(prune=False), solved(pruner="lense", device="cpu")
    if walked.pruned is None:
        raise LenseError(f"A walk for {budget} vertices keeps the whole graph: raise --vertices, or lower --budget.")
    roots = walked.pruned.roots
    top = solved(pruner="top-roots", roots_per_budget=roots / budget)
    return [
        {
            "problem": found.problem,
            "where": where,
            "score": found.score,
            "unit": found.unit,
            "ratio": ratio_of(found.score, whole.score),
            "vertices_pruned": 0.0 if found.pruned is None else found.pruned.vertices_pruned,
            "edges_pruned": 0.0 if found.pruned is None else found.pruned.edges_pruned,
            "seconds": found.seconds,
            "walk_seconds": walked.pruned.seconds if found is walked else 0.0,
        }
        for where, found in (("whole graph", whole), ("LeNSE", walked), (f"{roots:,} largest", top))
    ]


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    score = percent(row["score"]) if row["unit"].startswith("%") else quantity(row["score"])
    pruned = percent(row["vertices_pruned"]), percent(row["edges_pruned"])
    walk = duration(row["walk_seconds"]) if row["walk_seconds"] else ""
    return row["problem"], row["where"], score, f"{row['ratio']:.3f}", *pruned, duration(row["seconds"]), walk
