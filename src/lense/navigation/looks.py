"""Looks at policies by their walks on the train graph: which to keep, how strong, and where its walks are to stop."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from torch import Tensor

from lense._util.options import check_ranges
from lense._util.types import Int64s
from lense.errors import choose
from lense.navigation.batches import GraphTensors
from lense.navigation.encoder import Encoder
from lense.navigation.encoder_training import embed
from lense.navigation.inference import find_roots
from lense.navigation.q_network import QNetwork

LOOK_STARTS = 5
LOOK_PLACES = 16
LONGEST_LOOK = 2
"""Steps for each root; after that a walk exchanges hardly any root for good."""
AS_GOOD = 0.005
STRENGTHS = (0.5, 0.25, 0.125, 0.0625)
"""What the correction that is kept is multiplied with, to see whether less of it does better."""
KEEPS = {
    "ratio": "the one with the smallest subgraphs of those whose ratio is enough or within 0.005 of the best",
    "last": "the last one, as in the paper",
}
"""Which of the policies looked at during training is kept, by its walks on the train graph."""


@dataclass(frozen=True, kw_only=True)
class QSettings:
    """How walks are learnt. The paper's symbols: ``train_steps`` and ``test_steps`` T, ``episodes`` N', ``guidance``
    alpha, ``update_every`` c, ``reward_scale`` beta.

    Rewards are ``shaped`` by what a swap gains. The network
    ``corrects_ranks``: it starts as the gain in rank and learns what to add. It judges a swap by its two vertices alone
    unless it ``sees_subgraph``. ``keep`` says which policy is kept of those seen at
    the ``looks`` (see ``KEEPS``). Kept by ratio, a policy's walks stop after fewer than ``test_steps`` steps if the
    ratio is ``enough`` by then, and after two for each root at the latest.
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
        check_ranges(
            self,
            {
                "train_steps": (1, 1e9),
                "episodes": (1, 1e6),
                "guidance": (0, 1),
                "update_every": (1, 1e9),
                "reward_scale": (1e-6, 1e6),
                "enough": (0, 2),
                "looks": (1, 1e4),
                "test_steps": (0, 1e9),
            },
        )
        choose(self.keep, KEEPS, "policy to keep")

    @property
    def chooses_strength(self) -> bool:
        """Whether a correction of the gain in rank is tried at smaller strengths."""
        return self.corrects_ranks and self.keep == "ratio"


class Judgement(NamedTuple):
    """The ratio that the heuristic reaches on a subgraph, and the share of the graph's edges it holds."""

    ratio: float
    edges: float


Judge = Callable[[Int64s], Judgement]


@dataclass(frozen=True)
class Ground:
    """A graph to walk on, and what judges the roots that a walk comes to there."""

    graph: GraphTensors
    judge: Judge

    def walked(self, policy: QNetwork, encoder: Encoder, *, num_roots: int, seed: int, places: Sequence[int]) -> Int64s:
        """The roots (P, B, M) of B greedy walks from fresh starts after so many steps each of the ``places`` (P)."""
        return find_roots(
            self.graph.rows,
            self.graph.vertex_features,
            policy.for_walks(),
            seeds=range(seed, seed + LOOK_STARTS),
            num_roots=num_roots,
            places=places,
            embedded=lambda roots: embed(encoder, self.graph, roots).cpu().numpy(),
        )

    def judged(self, roots: Int64s) -> Judgement:
        """The mean judgement of root sets (B, M)."""
        return Judgement(*np.mean([self.judge(one) for one in roots], axis=0).tolist())


@dataclass(frozen=True)
class Look:
    """What the greedy walks of a policy on the train graph have after ``steps`` steps, on average, how many ``updates``
    the policy had then, and the ``strength`` of its correction.
    """

    steps: int
    distance: float
    judged: Judgement
    updates: int
    policy: QNetwork
    strength: float = 1.0


def look_at(
    ground: Ground,
    encoder: Encoder,
    goal: Tensor,
    policy: QNetwork,
    settings: QSettings,
    *,
    num_roots: int,
    seed: int,
    updates: int,
    strength: float = 1.0,
) -> Look:
    """Walk greedily from fresh starts on the train graph, and judge where that leads.

    Kept by ratio, policies are compared by the subgraphs they have where the ratio is enough: there their walks stop.
    """
    longest = min(settings.test_steps, LONGEST_LOOK * num_roots)
    places = sorted({-(-longest * place // LOOK_PLACES) for place in range(1, LOOK_PLACES + 1)})
    met = ground.walked(policy, encoder, num_roots=num_roots, seed=seed, places=places)
    judged = cache(lambda place: ground.judged(met[place]))
    by_ratio = settings.keep == "ratio"
    place = first_enough(judged, len(met), settings.enough) if by_ratio else len(met) - 1
    distance = float((embed(encoder, ground.graph, met[place]) - goal).norm(dim=1).mean())
    steps = places[place] if by_ratio else settings.test_steps
    return Look(steps, distance, judged(place), updates, policy, strength)


def first_enough(judged: Callable[[int], Judgement], places: int, enough: float) -> int:
    """The first of the ``places`` of a walk from which on its ratio is ``enough``, by bisection; else the last."""
    low, high = -1, places - 1
    if judged(high).ratio < enough:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if judged(middle).ratio >= enough else (middle, high)
    return high


def kept_look(looks: Sequence[Look], settings: QSettings) -> Look:
    """The look whose policy is kept, one of those that have learnt; see ``KEEPS``."""
    learnt = [look for look in looks if look.updates] or looks[-1:]
    if settings.keep == "last":
        return learnt[-1]
    least = least_ratio(learnt, settings.enough)
    return min((look for look in learnt if look.judged.ratio >= least), key=lambda look: look.judged.edges)


def least_ratio(looks: Sequence[Look], enough: float) -> float:
    """The ratio that a look must have to be kept: one that is enough, or nearly the best of all."""
    return min(enough, max(look.judged.ratio for look in looks) - AS_GOOD)


def tempered(
    kept: Look, settings: QSettings, looked_at: Callable[..., Look], elsewhere: Callable[[Look], Judgement] | None
) -> Look:
    """The look at the policy kept, or at one with less of its correction, by the rule of :func:`kept_look`.

    Of each the lower ratio counts, that of the look or that of the same walks ``elsewhere``, on a graph that the policy
    has not learnt on: what holds on its own train graph alone will not hold on another graph either.
    """
    weaker = [
        looked_at(kept.policy.weakened(strength), updates=kept.updates, strength=strength) for strength in STRENGTHS
    ]
    looks = [kept, *weaker]
    ratios = [min(look.judged.ratio, elsewhere(look).ratio) if elsewhere else look.judged.ratio for look in looks]
    seen = [replace(look, judged=look.judged._replace(ratio=ratio)) for look, ratio in zip(looks, ratios, strict=True)]
    return looks[seen.index(kept_look(seen, settings))]
