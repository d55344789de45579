"""Draw how the lossless cores of some graphs close: ``python examples/closing_cores.py docs/closing_cores.png``."""

import sys
from dataclasses import asdict
from pathlib import Path

from lense import Bounds, open_graph
from lense.plots import save_figure
from lense.plots.cores import draw_closing

CASES = (
    ("web-Google", "mvc"),
    ("slashdot", "bmc"),
    ("deezer", "bmc"),
    ("wiki", "bmc"),
    ("facebook", "mvc"),
    ("ca-GrQc", "mvc"),
)


def main(path: Path, budget: int = 100) -> None:
    """Draw the graphs of ``CASES``, which ``LENSE_DATA`` must have, at one budget."""
    rounds = {}
    for name, problem in CASES:
        graph = open_graph(name)
        core = Bounds(problem, budget).core(graph)
        rounds[f"{name}, {problem}"] = graph.num_vertices, [asdict(done) for done in core.rounds]
    save_figure(draw_closing(rounds, f"Lossless cores, b = {budget}"), path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
