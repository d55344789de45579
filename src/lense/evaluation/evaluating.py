"""A model on a graph: how good the subgraphs are that its walks end with, and between what ceiling and floors."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lense.errors import LenseError
from lense.evaluation.floors import untrained_network
from lense.evaluation.yardstick import Figures, Measured, Yardstick
from lense.graph import Graph
from lense.parts import subgraph
from lense.progress import progress
from lense.pruners import LeNSE
from lense.pruners.ranking import importance, largest
from lense.stopwatch import Stopwatch
from lense.walking.batches import GraphTensors
from lense.walking.policies import largest_gain, random_swaps
from lense.walking.walk import Walk

FLOORS = {
    "random_swaps": "random swaps",
    "untrained_network": "untrained network",
    "largest_gain": "always the largest gain",
    "top_roots": "largest vertices, as many as roots",
    "top_budget": "largest vertices, as many as the budget",
}
"""What each floor is, in words."""


@dataclass(frozen=True)
class Evaluation(Figures):
    """A model's figures over ``episodes`` walks, the ``ratios`` of each, and what frames them.

    ``ceiling`` is the subgraph that the whole graph's solution itself induces. ``floor`` holds what needs no learning:
    from the same starts and with the same number of swaps, ``random_swaps``, an ``untrained_network`` and always the
    swap of ``largest_gain`` in degree or out-weight; and the subgraphs of the vertices largest by that, ``top_roots``
    as many as a walk has roots and ``top_budget`` as many as the solution has. ``seconds`` are those of the
    ``features``, of the ``navigation`` of all episodes together, of the heuristic, ``heuristic_on_subgraph`` (mean) and
    ``heuristic_on_graph``.
    """

    ratios: tuple[float, ...]
    seconds: Mapping[str, float]
    ceiling: Figures
    floor: Mapping[str, Figures]
    walk: Walk

    @property
    def episodes(self) -> int:
        return len(self.ratios)

    def as_dict(self) -> dict[str, Any]:
        """Everything but the walks themselves, in types that JSON knows."""
        return {
            "ratio": self.ratio,
            "ratio_stderr": self.ratio_stderr,
            "vertices_pruned": self.vertices_pruned,
            "edges_pruned": self.edges_pruned,
            "episodes": self.episodes,
            "ceiling": self.ceiling.as_dict(),
            "floor": {name: figures.as_dict() for name, figures in self.floor.items()},
            "seconds": dict(self.seconds),
            "ratios": list(self.ratios),
        }


def evaluate(
    model: LeNSE,
    graph: Graph,
    *,
    episodes: int = 10,
    seed: int = 0,
    stop: str = "final",
    floors: bool = True,
    prepared: bool = False,
) -> Evaluation:
    """Walk ``episodes`` times on ``graph`` and compare f(H(S)) of the subgraphs S with f(H(G)).

    Scores are always taken on the whole graph; see :func:`lense.walking.walk` for ``stop``. Everything random is
    told by ``seed``. Without ``floors``, the walks of those that have learnt nothing are saved. The graph is prepared
    for the problem unless it is told to be.
    """
    graph = graph if prepared else model.problem_.prepare(graph)
    if episodes < 1:
        raise LenseError(f"An evaluation needs at least one episode, not {episodes}.")
    model.problem_.check_budget(graph, model.budget)
    if model.num_roots() >= graph.num_vertices:
        raise LenseError(
            f"There is nothing to prune in a graph of {graph.num_vertices:,} vertices, since a walk has "
            f"{model.num_roots():,} roots: evaluate on a larger graph."
        )
    with Stopwatch() as features:
        tensors = model.tensors(graph)
    with Stopwatch() as navigation:
        walked = model.walk(tensors, episodes=episodes, seed=seed, stop=stop)
    yardstick = Yardstick(model.problem_, graph, model.budget, seed=seed)
    measured = _measured(yardstick, walked)
    return Evaluation(
        **asdict(Figures.of(measured)),
        ratios=tuple(one.ratio for one in measured),
        seconds={
            "features": features.seconds,
            "navigation": navigation.seconds,
            "heuristic_on_subgraph": sum(one.seconds for one in measured) / episodes,
            "heuristic_on_graph": yardstick.best.seconds,
        },
        ceiling=Figures.of([yardstick.measure(subgraph(graph, yardstick.best.vertices))]),
        floor=_floors(model, tensors, yardstick, walked, seed, stop) if floors else {},
        walk=walked,
    )


def _floors(
    model: LeNSE, tensors: GraphTensors, yardstick: Yardstick, walked: Walk, seed: int, stop: str
) -> dict[str, Figures]:
    graph, device = yardstick.graph, tensors.device
    values, episodes = importance(yardstick.problem, graph), walked.roots.shape[0]
    policies = {
        "random_swaps": random_swaps(episodes, seed, device),
        "untrained_network": untrained_network(model, seed, device),
        "largest_gain": largest_gain(values, device),
    }
    found = {}
    for name, policy in policies.items():
        other = model.walk(
            tensors,
            episodes=episodes,
            seed=seed,
            stop="final" if stop == "settled" else stop,
            policy=policy,
            steps=len(walked.distances) - 1,
        )
        found[name] = Figures.of(_measured(yardstick, other))
    for name, size in (("top_roots", model.num_roots()), ("top_budget", yardstick.best.vertices.size)):
        found[name] = Figures.of([yardstick.measure(subgraph(graph, largest(values, size)))])
    return found


def _measured(yardstick: Yardstick, walked: Walk) -> Sequence[Measured]:
    measured = []
    with progress("solving on subgraphs", len(walked.roots)) as advance:
        for episode, roots in enumerate(walked.roots.numpy()):
            measured.append(yardstick.measure(subgraph(yardstick.graph, roots), episode))
            advance(1)
    return measured
