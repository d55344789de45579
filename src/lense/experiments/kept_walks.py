"""Walks on a test graph, kept so that every experiment looks at the same ones, whichever machine walked them."""

from pathlib import Path
from typing import Any, NamedTuple

from lense.circumstances import circumstances
from lense.experiments.store import Record, Store
from lense.graph import Graph
from lense.parts import Subgraph, subgraph
from lense.pruners import Pruner
from lense.pruners.model_files import graph_digest
from lense.stopwatch import Stopwatch


class KeptWalks(NamedTuple):
    """The subgraphs that the walks ended with, and the seconds that all of them took side by side."""

    parts: list[Subgraph]
    seconds: float


def kept_walks(
    folder: Path,
    name: str,
    pruner: Pruner,
    depends_on: Record,
    graph: Graph,
    *,
    episodes: int,
    budget: float,
    seed: int,
) -> KeptWalks:
    """The parts that ``episodes`` walks of a pruner on a prepared graph end with.

    They are walked once and kept under ``name``, until the graph changes or what they depend on.
    """
    options: dict[str, Any] = {"episodes": episodes, "budget": budget, "seed": seed}
    store = Store(folder, {"experiment": "walks", "episodes": episodes, "budget": budget})
    identity = {**depends_on, "graph": graph_digest(graph), "seed": seed}
    known = store.read(name)
    if known is not None and all(known.get(key) == value for key, value in identity.items()):
        return KeptWalks([subgraph(graph, roots) for roots in known["roots"]], known["seconds"])
    with Stopwatch() as watch:
        parts = pruner.parts(graph, prepared=True, **options)
    roots = [part.roots.tolist() for part in parts]
    store.write(name, {**identity, "roots": roots, "seconds": watch.seconds, **circumstances()})
    return KeptWalks(parts, watch.seconds)
