"""``lense demo``: the main job on a generated graph, with no data and no network."""

from typing import Annotated

import typer

from lense.cli.session import Json, Quiet, Seed, Verbose, duration, print_json, print_table, quantity, session


def demo(
    vertices: Annotated[int, typer.Option("--vertices", "-n", min=200, help="Size of the generated graph.")] = 10_000,
    budget: Annotated[int, typer.Option("--budget", "-b", min=1, help="How many vertices to choose.")] = 100,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Generate a graph, solve the three problems on it with several heuristics each, and compare them."""
    import numpy as np

    with session(quiet=quiet, verbose=verbose):
        from lense.graph import power_law
        from lense.problems import seeded_problem

        graph = power_law(vertices, 12.0, 2.3, np.random.default_rng(seed))
        rows = []
        for name, solvers in (
            ("mvc", ("greedy", "stochastic-greedy", "probabilistic-greedy")),
            ("bmc", ("local-search", "hassin-rubinstein")),
            ("im", ("imm", "opim-c", "degree-discount")),
        ):
            for solver in solvers:
                problem = seeded_problem(name, seed, {"solver": solver})
                solution = problem.solve(problem.prepare(graph), budget, np.random.default_rng(seed))
                rows.append(solution)
    if as_json:
        print_json(
            [
                {
                    "problem": s.problem,
                    "solver": s.solver,
                    "score": s.score,
                    "certified": s.certified,
                    "seconds": s.seconds,
                }
                for s in rows
            ]
        )
        return
    print_table(
        f"{budget} of {graph.num_vertices:,} vertices ({graph.num_edges:,} edges) by each heuristic",
        ("problem", "heuristic", "score", "certified", "time"),
        [
            (
                f"{s.problem}: {OBJECTIVES[s.problem]}",
                s.solver,
                quantity(s.score),
                f"≥ {100 * s.certified:.1f} %" if s.certified is not None else "",
                duration(s.seconds),
            )
            for s in rows
        ],
        numeric=2,
    )
    if not quiet:
        print("  certified: the share of the optimum that the solution is sure to reach; times leave out compiling.")


OBJECTIVES = {"mvc": "edges covered", "bmc": "edges cut", "im": "vertices reached"}
