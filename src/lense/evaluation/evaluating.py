"""How good the parts are that a pruner keeps of a graph, between a ceiling and floors."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lense._util.measuring import Stopwatch
from lense._util.options import takes_random_state
from lense._util.progress import progress
from lense.errors import LenseError
from lense.evaluation.yardstick import Figures, Measured, Yardstick
from lense.graph import AnyGraph, Graph
from lense.graph.subgraph import Subgraph, kept_part, subgraph
from lense.navigation.baselines import DegreeWalk, RandomWalk, RankWalk
from lense.navigation.lense import LeNSE
from lense.pruners.base import Pruner
from lense.pruners.ranking import importance, largest

FLOORS = {
    "random_vertices": "random vertices, as many as kept",
    "top_vertices": "largest vertices, as many as kept",
    "top_roots": "subgraph of the largest vertices, as many as roots",
    "top_budget": "subgraph of the largest vertices, as many as the solution has",
    "random_walk": "walk by random swaps",
    "degree_walk": "walk by the largest gain in degree",
    "rank_walk": "walk by the largest gain in rank",
}
"""What each floor is, in words. The walks are for LeNSE alone; they have its starts, roots and steps."""


@dataclass(frozen=True)
class Evaluation(Figures):
    """A pruner's figures over ``episodes`` prunings, the ``ratios`` of each, and a ceiling and floors to compare with.

    ``ceiling`` is the subgraph that the whole graph's solution itself induces. ``floor`` holds simple rules that keep a
    part of the same size (see ``FLOORS``). ``seconds`` are those of ``prune``, all episodes together, and of the
    heuristic: ``heuristic_on_subgraph`` (mean) and ``heuristic_on_graph``. ``expected_ratio`` is what the pruner said
    before, and ``confidence`` how sure it was of its target, where it says something; ``unlike`` why it is in doubt.
    """

    ratios: tuple[float, ...]
    seconds: Mapping[str, float]
    ceiling: Figures
    floor: Mapping[str, Figures]
    expected_ratio: float | None = None
    confidence: float | None = None
    unlike: str = ""

    @property
    def episodes(self) -> int:
        return len(self.ratios)

    def _repr_html_(self) -> str:
        from lense._util.cards import card, strip  # for notebooks alone

        over = "one pruning" if self.episodes == 1 else f"{self.episodes} prunings"
        facts = {
            "ratio": f"{self.ratio:.3f} of the heuristic's score, over {over}",
            "vertices pruned": f"{self.vertices_pruned:.1%}",
            "edges pruned": f"{self.edges_pruned:.1%}",
            "ceiling": f"{self.ceiling.ratio:.3f}",
        }
        marks = {"this pruner": list(self.ratios), "ceiling": [self.ceiling.ratio]}
        marks |= {FLOORS[name]: [floor.ratio] for name, floor in self.floor.items()}
        return card("Evaluation", facts, strip(marks, "ratios, the ceiling and floors"), "ratio, left to right")

    def as_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {
            **super().as_dict(),
            "episodes": self.episodes,
            "ceiling": self.ceiling.as_dict(),
            "floor": {name: figures.as_dict() for name, figures in self.floor.items()},
            "seconds": dict(self.seconds),
            "ratios": list(self.ratios),
            "expected_ratio": self.expected_ratio,
            "confidence": self.confidence,
            "unlike": self.unlike,
        }


@takes_random_state
def evaluate(
    pruner: Pruner, graph: AnyGraph, *, episodes: int = 10, seed: int = 0, floors: bool = True, prepared: bool = False
) -> Evaluation:
    """Prune ``graph`` and compare f(H(S)) on the parts S with f(H(G)); scores are taken on the whole graph.

    A pruner that draws random numbers prunes ``episodes`` times, with the seeds from ``seed`` on. The graph is prepared
    for the problem unless it is ``prepared`` already.
    """
    if episodes < 1:
        raise LenseError(f"An evaluation needs at least one episode, not {episodes}.")
    whole = pruner.prepared(graph, prepared)
    with Stopwatch() as pruning:
        parts = pruner.parts(whole, episodes=episodes, seed=seed, prepared=True)
    if any(part.graph is whole for part in parts):
        raise LenseError(
            f"There is nothing to prune in a graph of {whole.num_vertices:,} vertices, of which {pruner.name} keeps "
            "all: evaluate on a larger graph."
        )
    expected = pruner.expected(whole, prepared=True)
    yardstick = Yardstick(pruner.problem_, whole, pruner.budget, seed=seed)
    measured = _measured(yardstick, parts)
    return Evaluation(
        **asdict(Figures.of(measured)),
        ratios=tuple(one.ratio for one in measured),
        seconds={
            "prune": pruning.seconds,
            "heuristic_on_subgraph": sum(one.seconds for one in measured) / len(measured),
            "heuristic_on_graph": yardstick.best.seconds,
        },
        ceiling=Figures.of([yardstick.measure(subgraph(whole, yardstick.best.indices))]),
        floor=_floors(pruner, yardstick, parts, seed) if floors else {},
        expected_ratio=None if expected is None else expected.ratio,
        confidence=None if expected is None else expected.confidence,
        unlike="" if expected is None else expected.unlike,
    )


def _floors(pruner: Pruner, yardstick: Yardstick, parts: Sequence[Subgraph], seed: int) -> dict[str, Figures]:
    """The floors; one that is the very rule evaluated is left out."""
    graph = yardstick.graph
    kept = round(float(np.mean([part.graph.num_vertices for part in parts])))
    num_roots = round(float(np.mean([part.roots.size for part in parts])))
    ranking = largest(importance(yardstick.problem, graph), kept)
    drawn = np.random.default_rng(seed).choice(graph.num_vertices, kept, replace=False)
    found = {
        "random_vertices": [kept_part(graph, drawn)],
        "top_vertices": [kept_part(graph, ranking)],
        "top_budget": [subgraph(graph, ranking[: yardstick.best.indices.size])],
    }
    if num_roots < kept:
        found["top_roots"] = [subgraph(graph, ranking[:num_roots])]
    if isinstance(pruner, LeNSE):
        for walk in _walks(pruner, graph):
            options: dict[str, Any] = {"episodes": len(parts), "seed": seed, "prepared": True}
            found[walk.name.replace("-", "_")] = walk.parts(graph, **options)
    if not pruner.learns:
        own = [part.vertices.tolist() for part in parts]
        found = {name: floor for name, floor in found.items() if [part.vertices.tolist() for part in floor] != own}
    return {name: Figures.of(_measured(yardstick, found[name])) for name in FLOORS if name in found}


def _walks(model: LeNSE, graph: Graph) -> list[Pruner]:
    """Walks by simple rules, with the numbers of roots and steps of a model."""
    sizes: dict[str, Any] = {"roots": model.num_roots(), "steps": model.num_steps(graph)}
    walks: list[Pruner] = [kind(model.problem_, model.budget, **sizes) for kind in (RandomWalk, DegreeWalk)]
    if model.values_.feature is not None:
        by_rank = RankWalk(model.problem_, model.budget, **sizes)
        by_rank.restore({"feature": np.array(model.values_.feature)})
        walks.append(by_rank)
    return walks


def _measured(yardstick: Yardstick, parts: Sequence[Subgraph]) -> list[Measured]:
    """What the heuristic finds in each part; a part without edges has a ratio of 0."""
    measured = []
    with progress("solving on parts", len(parts)) as advance:
        for episode, part in enumerate(parts):
            measured.append(yardstick.measure(part, episode) if part.graph.num_edges else yardstick.nothing(part))
            advance(1)
    return measured
