"""Several swaps in a step of LeNSE's walk: ``python -m benchmarks.swaps`` prints ratio, sizes and time for each number.

On the test graph of each of four of the paper's graphs, with the model shipped for it, ten walks for each of them.
The time is the walks' processor time without features, as a share of that with one swap in the same run. ``--picture``
draws both; ``--train`` takes the train graphs instead.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import matplotlib.pyplot as plt

from lense.evaluation import Figures, Yardstick
from lense.experiments.study import Source
from lense.experiments.tables import markdown
from lense.graph.subgraph import subgraph
from lense.navigation import LeNSE
from lense.pruners import load

GRAPHS = ("facebook", "wiki", "deezer", "slashdot")
SWAPS = (1, 2, 4, 8, 16)
BUDGET = 100
HEADINGS = ("graph", "problem", "swaps", "ratio", "pruned, vertices / edges, %", "time of walking", "steps")


@dataclass(frozen=True)
class Measurement:
    """What walks by a number of ``swaps`` gave; ``seconds`` of processor time for each walk."""

    graph: str
    problem: str
    swaps: int
    steps: int
    found: Figures
    seconds: float

    def cells(self, one_swap: "Measurement") -> tuple[str, ...]:
        found, error = self.found, self.found.ratio_stderr
        return (
            self.graph,
            self.problem,
            str(self.swaps),
            f"{found.ratio:.3f}" + ("" if error is None else f" ± {error:.3f}"),
            f"{100 * found.vertices_pruned:.0f} / {100 * found.edges_pruned:.0f}",
            f"{self.seconds / one_swap.seconds:.2f}",
            str(self.steps),
        )


def measurements(graph: str, problem: str, walks: int, *, on_train: bool = False) -> Iterator[Measurement]:
    """One for each number of swaps, on the test graph of the split that the shipped model learnt from."""
    model: LeNSE = load(f"{graph}-{problem}")
    seed = int(model.report_["trained_on"]["source"]["split_seed"])
    case = Source(graph, problem).case(seed)
    whole = case.train if on_train else case.test
    yardstick = Yardstick(case.problem, whole, BUDGET, seed=seed)
    model.find_roots(whole, episodes=1, places=[1])  # which compiles and loads
    for swaps in SWAPS:
        model.set_params(swaps=swaps)
        begun = process_time()
        roots = model.find_roots(whole, episodes=walks, seed=seed)
        seconds = (process_time() - begun) / walks
        measured = [yardstick.measure(subgraph(whole, one), episode) for episode, one in enumerate(roots)]
        yield Measurement(graph, problem, swaps, model.num_steps(whole), Figures.of(measured), seconds)


def draw(path: Path, all_found: list[list[Measurement]]) -> None:
    """Ratio and time against the number of swaps, a line for each graph and problem."""
    figure, (above, below) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for found in all_found:
        name, x = f"{found[0].graph}, {found[0].problem}", [one.swaps for one in found]
        style = {"marker": "o" if found[0].problem == "mvc" else "s", "ls": "-" if found[0].problem == "mvc" else "--"}
        colour = f"C{GRAPHS.index(found[0].graph)}"
        above.plot(x, [one.found.ratio for one in found], color=colour, label=name, **style)
        below.plot(x, [one.seconds / found[0].seconds for one in found], color=colour, **style)
    for axes, title in ((above, "ratio"), (below, "time of walking, as a share of one swap's")):
        axes.set(xscale="log", xticks=SWAPS, xticklabels=SWAPS, xlabel="swaps a step", title=title)
        axes.minorticks_off()
    below.set_ylim(bottom=0)
    figure.legend(loc="outside right upper", frameon=False)
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.swaps", description=__doc__)
    parser.add_argument("--graphs", default=",".join(GRAPHS), help="separated by commas")
    parser.add_argument("--problems", default="mvc,im", help="separated by commas")
    parser.add_argument("--walks", type=int, default=10)
    parser.add_argument("--train", action="store_true", help="on the train graphs")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    all_found = []
    for graph in options.graphs.split(","):
        for problem in options.problems.split(","):
            all_found.append(list(measurements(graph, problem, options.walks, on_train=options.train)))
            rows = [one.cells(all_found[-1][0]) for one in all_found[-1]]
            print(markdown(HEADINGS, rows), flush=True)
    if options.picture is not None:
        draw(options.picture, all_found)


if __name__ == "__main__":
    main()
