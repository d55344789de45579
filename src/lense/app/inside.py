"""A look inside: what bounds decided, which rankings count, and the way of a walk across its map."""

from time import monotonic
from typing import Any

import numpy as np

from lense._util.environment import has_learn
from lense._util.types import Int64s
from lense.graph import Graph
from lense.problems import Problem
from lense.problems.bounds import LosslessCore, lossless_core, takes_part
from lense.pruners.calibration import num_affordable
from lense.pruners.core import NAMES, Core, places
from lense.report.blocks import Block, section, table

_EFFORT, _SECONDS = 60.0, 20.0
_MEASURABLE_SECONDS = 5.0
_MOST_MEASURED = 12
_RULES = {
    "intervals": "what a vertex adds at least, against what others add at most",
    "edges": "a linear relaxation, edge by edge",
    "cliques": "the same with edges bundled into cliques",
    "convex": "a concave program on what is left",
    "probing": "one vertex at a time supposed chosen, or not",
    "bound": "nothing that is left can beat the best choice known",
}
_RANKINGS = dict(
    zip(
        NAMES,
        (
            "the order of the problem's own quick rule",
            "edges, or weight, at the vertex",
            "weight that comes in",
            "what its neighbours are worth",
            "mean degree of its neighbours",
            "what does not go to the largest vertices",
            "weight that comes from the largest vertices",
            "neighbours that have few others",
        ),
        strict=True,
    )
)


def bounds_section(problem: Problem, graph: Graph, budget: float, known: Int64s) -> Block | None:
    """What was dropped and forced, round by round; None where the problem has no bounds of this kind."""
    if not takes_part(problem) or problem.checked_costs(graph) is not None:
        return None
    core = lossless_core(problem, graph, budget, known, effort=_EFFORT, deadline=monotonic() + _SECONDS)
    rows = [
        (
            (f"{i}", float(i)),
            (one.rule, None),
            (f"{one.dropped:,}", float(one.dropped)),
            (f"{one.forced:,}", float(one.forced)),
            (f"{one.live:,}", float(one.live)),
        )
        for i, one in enumerate(core.rounds, start=1)
    ]
    rules = dict.fromkeys(one.rule for one in core.rounds)
    used = " ".join(f"{rule.capitalize()}: {_RULES[rule]}." for rule in rules if rule in _RULES)
    left = [(0, graph.num_vertices), *((i, one.live) for i, one in enumerate(core.rounds, start=1))]
    return section(
        "Bounds",
        {
            "kind": "lines",
            "title": "Vertices not decided yet",
            "x": "round",
            "series": [{"name": "vertices", "points": left}],
            "zero": True,
        },
        {**table("Rounds", ("round", "rule", "dropped", "forced", "left"), rows, note=used), "words": [0, 1]},
        lead=_of_bounds(core, graph),
    )


def _of_bounds(core: LosslessCore, graph: Graph) -> str:
    dropped = graph.num_vertices - core.live.size - core.forced.size
    left = "Nothing is left to choose."
    if core.live.size:
        left = f"{core.live.size:,} are left to choose {core.left:,} from."
    proven = " The best choice known is proven to be an optimum." if core.is_proven else ""
    return (
        f"Of {graph.num_vertices:,} vertices, {dropped:,} are in no optimum and {core.forced.size:,} are in every one: "
        f"that is proven, not guessed. {left}{proven}"
    )


def scores_section(problem: Problem, graph: Graph, budget: float, chosen: Int64s, core: Core | None) -> Block | None:
    """Which rankings of vertices count in a core's score, and where each of them has the chosen vertices."""
    if core is None or problem.checked_costs(graph) is not None:
        return None
    count = num_affordable(problem, graph, budget)
    ranks = count / np.exp(places(problem, graph, count)[chosen])
    rows = []
    for i, name in enumerate(NAMES):
        found = float((ranks[:, i] <= count + 0.5).mean())
        middle = float(np.median(ranks[:, i]))
        rows.append(
            (
                (name, None),
                (f"{core.weights_[i]:.3f}", float(core.weights_[i])),
                (f"{100 * found:.0f} %", found),
                (f"{middle:,.0f}", middle),
                (_RANKINGS[name], None),
            )
        )
    rule = np.count_nonzero(core.weights_) == 1
    learnt = "This core goes by the quick order alone: nothing learnt beyond it held on other graphs." if rule else ""
    return section(
        "Scores",
        {
            **table("Rankings", ("ranking", "weight", "of the answer", "median place", "what it goes by"), rows),
            "words": [0, 4],
            "note": f"Of the answer: the share of the chosen vertices among the first {count:,} of that ranking alone.",
        },
        lead=f"A core takes the vertices whose places in these rankings, weighted, are best. {learnt}".strip(),
    )


def walk_section(model: Any, graph: Graph, budget: float, seed: int, whole_seconds: float) -> Block:
    """The map of a LeNSE with its classes, its goal, and the walk on this graph step by step.

    Ratios are measured along it where the heuristic is quick enough on the whole graph.
    """
    if not has_learn():
        return section("LeNSE's walk", lead="Drawing the walk on its map needs torch: pip install 'lense[learn]'.")
    from lense.evaluation import Yardstick
    from lense.report.walks import follow_walks

    is_quick = whole_seconds < _MEASURABLE_SECONDS
    yardstick = Yardstick(model.problem_, graph, budget, seed=seed) if is_quick else None
    followed = follow_walks(model, graph, budget, seed=seed, yardstick=yardstick, most=_MOST_MEASURED)
    return followed.section(model, "LeNSE's walk", f"This one took {followed.steps:,} steps.")
