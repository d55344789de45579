"""``lense demo``: the main job on a generated graph, with no data and no network."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lense._util.formatting import duration, percent, quantity
from lense.cli.evaluate import check_picture
from lense.cli.models import need_lense
from lense.cli.options import Pruning, Running, Task, grouped, problem_option, running_option
from lense.cli.session import print_json, print_table
from lense.errors import LenseError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lense.evaluation import Measured
    from lense.graph import Graph

_DRAWN, _PLACES = "mvc", 20
"""The problem whose walk is drawn, and the number of places on the way where it is measured."""


@grouped()
def demo(
    *,
    vertices: Annotated[int, problem_option("--vertices", "-n", min=200, help="Size of the generated graph.")] = 10_000,
    budget: Annotated[int, problem_option("--budget", "-b", min=1, help="How many vertices to choose.")] = 100,
    picture: Annotated[Path, running_option(help="Where to draw the walk, a .png or .svg file.")] = Path(
        "lense-demo.png"
    ),
    running: Running,
) -> None:
    """Generate a graph, prune it with the models that ship, solve, and compare with the whole graph."""
    check_picture(picture)
    with running.session():
        import numpy as np

        from lense._util.files import system_errors
        from lense.graph import power_law
        from lense.plots import save_figure
        from lense.problems import get_problem
        from lense.pruners.shipped import shipped_models

        names = [str(row["problem"]) for row in shipped_models() if row["is_default"]]
        graph = power_law(vertices, 12.0, 2.3, np.random.default_rng(running.seed))
        compared = {name: _compare(name, graph, budget, running.seed) for name in names}
        rows = [row for found, _ in compared.values() for row in found]
        with system_errors(picture, "written"):
            save_figure(_drawn(compared[_DRAWN][1]), picture)
    if running.as_json:
        print_json([asdict(row) for row in rows])
        return
    print_table(
        f"{budget} of {graph.num_vertices:,} vertices ({graph.num_edges:,} edges)",
        ("problem", "solved on", "score", "ratio", "vertices pruned", "edges pruned", "time", "walk"),
        [row.cells() for row in rows],
        numeric=2,
    )
    running.say(f"  score, on the whole graph: {', '.join(f'{name} {get_problem(name).unit}' for name in names)}")
    running.say("  largest: by degree, for im by out-weight, as many as the walk has roots")
    running.say("  time: of the heuristic, compiling left out; walk: what finding LeNSE's subgraph took before that")
    running.say(f"  The walk for {_DRAWN} is drawn in {picture}.")
    running.say("  To try it on a page in your browser, with your own graph: lense app (needs lense[app])")


@dataclass(frozen=True)
class _Row:
    """One heuristic on one part of the graph; ``walk_seconds`` is what finding that part took."""

    problem: str
    where: str
    score: float
    ratio: float
    vertices_pruned: float
    edges_pruned: float
    seconds: float
    walk_seconds: float = 0.0

    @classmethod
    def of(cls, problem: str, where: str, measured: "Measured", walk_seconds: float = 0.0) -> "_Row":
        return cls(problem, where, **asdict(measured), walk_seconds=walk_seconds)

    def cells(self) -> tuple[str, ...]:
        return (
            self.problem,
            self.where,
            quantity(self.score),
            f"{self.ratio:.3f}",
            percent(self.vertices_pruned),
            percent(self.edges_pruned),
            duration(self.seconds),
            duration(self.walk_seconds) if self.walk_seconds else "",
        )


def _compare(name: str, graph: "Graph", budget: int, seed: int) -> "tuple[list[_Row], dict[int, Measured]]":
    """The heuristic on the whole graph, on the part that a walk ends with, and on that of the largest vertices; for the
    problem that is drawn also what it finds along the walk, by the step.
    """
    import numpy as np

    from lense._util.measuring import Stopwatch
    from lense.evaluation import Yardstick
    from lense.graph.subgraph import subgraph
    from lense.pruners.ranking import importance, largest

    model = need_lense(Task(problem=name), Pruning(pruner="lense", device="cpu"), seed=seed)
    task, roots = model.problem_, model.num_roots(budget)
    if roots >= graph.num_vertices:
        raise LenseError(
            f"A walk for {budget} vertices has {roots:,} roots: take more --vertices, or a smaller --budget."
        )
    whole = task.prepare(graph)
    yardstick = Yardstick(task, whole, budget, seed=seed)
    best, steps = yardstick.best, model.num_steps(whole, budget)
    places = sorted(set(np.linspace(0, steps, _PLACES + 1).astype(int).tolist())) if name == _DRAWN else [steps]
    with Stopwatch() as watch:
        sets = model.find_roots(whole, episodes=1, budget=budget, seed=seed, places=places)[:, 0]
    walked = {step: yardstick.measure(subgraph(whole, one)) for step, one in zip(places, sets, strict=True)}
    top = subgraph(whole, largest(importance(task, whole), roots))
    rows = [
        _Row(name, "whole graph", best.score, 1.0, 0.0, 0.0, best.seconds),
        _Row.of(name, "LeNSE", walked[steps], watch.seconds),
        _Row.of(name, f"{roots:,} largest", yardstick.measure(top)),
    ]
    return rows, walked


def _drawn(walked: "dict[int, Measured]") -> "Figure":
    """The ratio and the share of edges pruned along a walk."""
    import matplotlib

    from lense.plots.style import LINES, STYLE, new_figure, whole_numbers

    with matplotlib.rc_context(STYLE):
        figure = new_figure(6.4, 3.8)
        axes = figure.subplots()
        steps = list(walked)
        axes.plot(steps, [one.ratio for one in walked.values()], color=LINES[0], marker=".", label="ratio")
        pruned = [one.edges_pruned for one in walked.values()]
        axes.plot(steps, pruned, color=LINES[1], marker=".", label="share of edges pruned")
        axes.set(xlabel="step", ylim=(0, None), title=f"LeNSE's walk for {_DRAWN}")
        axes.legend(loc="center right")
        whole_numbers(axes)
    return figure
