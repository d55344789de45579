"""Policy evaluation by greedy walks on the train graph: which policy to keep, how strong, and where its walks stop."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from torch import Tensor

from lense._util.options import check_ranges
from lense._util.types import Int64s
from lense.errors import choose
from lense.navigation.encoder import Encoder, GraphTensors, embed
from lense.navigation.inference import QValues, greedy
from lense.navigation.walks import roots_after

STARTS = 5
PLACES = 16
LONGEST = 2
"""Steps for each root; after that a walk exchanges hardly any root for good."""
AS_GOOD = 0.005
STRENGTHS = (0.5, 0.25, 0.125, 0.0625)
"""What the correction that is kept is multiplied with, to see whether less of it does better."""
KEEPS = {
    "ratio": "the one with the smallest subgraphs of those whose ratio is enough or within 0.005 of the best",
    "last": "the last one, as in the paper",
}
"""Which of the policies evaluated during training is kept."""


@dataclass(frozen=True, kw_only=True)
class QSettings:
    """How walks are learnt. The paper's symbols: ``train_steps`` and ``test_steps`` T, ``episodes`` N', ``guidance``
    alpha, ``update_every`` c, ``reward_scale`` beta.

    Rewards are ``shaped`` by what a swap gains. The network ``corrects_ranks``: it starts as the gain in rank and
    learns what to add. It judges a swap by its two vertices alone unless it ``sees_subgraph``. Policies are evaluated
    ``looks`` times, and ``keep`` says which is kept (see ``KEEPS``). Kept by ratio, a policy's walks stop after fewer
    than ``test_steps`` steps if the ratio is ``enough`` by then, and after two for each root at the latest.
    """

    train_steps: int = 2000
    episodes: int = 10
    guidance: float = 0.1
    update_every: int = 20
    reward_scale: float = 20.0
    shaped: bool = True
    corrects_ranks: bool = True
    sees_subgraph: bool = False
    keep: str = "ratio"
    enough: float = 0.98
    looks: int = 10
    test_steps: int = 300

    def __post_init__(self) -> None:
        positive = {"train_steps": 1e9, "episodes": 1e6, "update_every": 1e9, "looks": 1e4}
        bounded = {"guidance": (0, 1), "reward_scale": (1e-6, 1e6), "enough": (0, 2), "test_steps": (0, 1e9)}
        check_ranges(self, {**{name: (1, most) for name, most in positive.items()}, **bounded})
        choose(self.keep, KEEPS, "policy to keep")

    @property
    def chooses_strength(self) -> bool:
        """Whether a correction of the gain in rank is tried at smaller strengths."""
        return self.corrects_ranks and self.keep == "ratio"


class Judgement(NamedTuple):
    """The ratio that the heuristic reaches on a subgraph, and the share of the graph's edges it holds."""

    ratio: float
    edges: float


@dataclass(frozen=True)
class EvaluationGraph:
    """A graph to walk on, and the function that judges the roots (M) at which a walk ends."""

    graph: GraphTensors
    judge: Callable[[Int64s], Judgement]

    def walked(self, policy: QValues, encoder: Encoder, *, num_roots: int, seed: int, places: Sequence[int]) -> Int64s:
        """The roots (P, B, M) of B greedy walks from new starts after each of the numbers of steps ``places`` (P)."""
        act = greedy(policy, lambda roots: embed(encoder, self.graph, roots).cpu().numpy())
        rows, features, seeds = self.graph.rows, self.graph.vertex_features, range(seed, seed + STARTS)
        return roots_after(rows, features, act, seeds=seeds, num_roots=num_roots, places=places)

    def judged(self, roots: Int64s) -> Judgement:
        """The mean judgement of root sets (B, M)."""
        return Judgement(*np.mean([self.judge(one) for one in roots], axis=0).tolist())


@dataclass(frozen=True)
class PolicyEvaluation:
    """The means over a policy's greedy walks on the train graph after ``steps`` steps, the number of ``updates`` the
    policy had then, and the ``strength`` of its correction.
    """

    steps: int
    distance: float
    judged: Judgement
    updates: int
    policy: QValues
    strength: float = 1.0


def evaluate_policy(
    ground: EvaluationGraph,
    encoder: Encoder,
    goal: Tensor,
    policy: QValues,
    settings: QSettings,
    *,
    num_roots: int,
    seed: int,
    updates: int,
    strength: float = 1.0,
) -> PolicyEvaluation:
    """Walk greedily from new starts on the train graph, and judge where that leads.

    Kept by ratio, policies are compared by the subgraphs they have where the ratio is enough: there their walks stop.
    """
    longest = min(settings.test_steps, LONGEST * num_roots)
    places = sorted({-(-longest * place // PLACES) for place in range(1, PLACES + 1)})
    met = ground.walked(policy, encoder, num_roots=num_roots, seed=seed, places=places)
    judged = cache(lambda place: ground.judged(met[place]))
    by_ratio = settings.keep == "ratio"
    place = first_enough(judged, len(met), settings.enough) if by_ratio else len(met) - 1
    distance = float((embed(encoder, ground.graph, met[place]) - goal.to(ground.graph.device)).norm(dim=1).mean())
    steps = places[place] if by_ratio else settings.test_steps
    return PolicyEvaluation(steps, distance, judged(place), updates, policy, strength)


def first_enough(judged: Callable[[int], Judgement], places: int, enough: float) -> int:
    """The first of the ``places`` of a walk from which on its ratio is ``enough``, by bisection; else the last."""
    low, high = -1, places - 1
    if judged(high).ratio < enough:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if judged(middle).ratio >= enough else (middle, high)
    return high


def kept_policy(found: Sequence[PolicyEvaluation], settings: QSettings) -> PolicyEvaluation:
    """The evaluation whose policy is kept, one of those that have learnt; see ``KEEPS``."""
    learnt = [one for one in found if one.updates] or found[-1:]
    if settings.keep == "last":
        return learnt[-1]
    least = least_ratio(learnt, settings.enough)
    return min((one for one in learnt if one.judged.ratio >= least), key=lambda one: one.judged.edges)


def least_ratio(found: Sequence[PolicyEvaluation], enough: float) -> float:
    """The ratio that a policy needs to be kept: one that is enough, or nearly the best of all."""
    return min(enough, max(one.judged.ratio for one in found) - AS_GOOD)


def tempered(
    kept: PolicyEvaluation,
    settings: QSettings,
    evaluate: Callable[..., PolicyEvaluation],
    elsewhere: Callable[[PolicyEvaluation], Judgement] | None,
) -> PolicyEvaluation:
    """The policy kept, or one with less of its correction, by the rule of :func:`kept_policy`.

    Of each the lower ratio counts, that on the train graph or that of the same walks ``elsewhere``, on a graph that the
    policy has not learnt on: what holds on its own train graph alone will not hold on another graph either.
    """
    weaker = [evaluate(kept.policy.weakened(one), updates=kept.updates, strength=one) for one in STRENGTHS]
    found = [kept, *weaker]
    ratios = [min(one.judged.ratio, elsewhere(one).ratio) if elsewhere else one.judged.ratio for one in found]
    seen = [replace(one, judged=one.judged._replace(ratio=ratio)) for one, ratio in zip(found, ratios, strict=True)]
    return found[seen.index(kept_policy(seen, settings))]
