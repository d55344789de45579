"""Speed up slow graph heuristics by running them on the part of the graph that matters."""

TYPE_CHECKING = False  # typing's own takes milliseconds to import, before a command can hear a signal
if TYPE_CHECKING:
    from typing import Any

    from lense import evaluation as evaluation
    from lense import experiments as experiments
    from lense import graph as graph
    from lense import navigation as navigation
    from lense import plots as plots
    from lense import problems as problems
    from lense import pruners as pruners
    from lense import report as report
    from lense import solving as solving
    from lense import streaming as streaming
    from lense.errors import LenseError
    from lense.evaluation import evaluate
    from lense.experiments import compare
    from lense.graph import (
        Graph,
        Scan,
        Subgraph,
        load_dataset,
        open_graph,
        read_graph,
        scan,
        subgraph,
        write_graph,
    )
    from lense.navigation import LeNSE
    from lense.problems import Found, Problem, Solution, get_problem, heuristic
    from lense.pruners import Bounds, Core, Pruner, load
    from lense.solving import SolveOptions, advise, prune, score, solve, split, train

# Names and packages are resolved on first use, so that `import lense` costs next to nothing.
_PACKAGES = "evaluation experiments graph navigation plots problems pruners report solving streaming".split()  # noqa: SIM905
_MODULE_OF = {
    name: module
    for module, names in {
        "lense.errors": "LenseError",
        "lense.evaluation": "evaluate",
        "lense.experiments": "compare",
        "lense.graph": "Graph Scan Subgraph load_dataset open_graph read_graph scan subgraph write_graph",
        "lense.navigation": "LeNSE",
        "lense.problems": "Found Problem Solution get_problem heuristic",
        "lense.pruners": "Bounds Core Pruner load",
        "lense.solving": "SolveOptions advise prune score solve split train",
    }.items()
    for name in names.split()
}
__all__ = ["Bounds", "Core", "Found", "Graph", "LeNSE", "LenseError", "Problem", "Pruner", "Scan", "Solution"]
__all__ += ["SolveOptions", "Subgraph", "advise", "compare", "evaluate", "get_problem", "heuristic", "load"]
__all__ += ["load_dataset", "open_graph", "prune", "read_graph", "scan", "score", "solve", "split", "subgraph"]
__all__ += ["train", "write_graph"]


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name == "__version__":
        return import_module("importlib.metadata").version("lense")
    if name in _PACKAGES:
        return import_module(f"lense.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'lense' has no attribute '{name}'")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return [*__all__, *_PACKAGES, "__version__"]
