"""Looks at policies by their walks on the train graph: which of them to keep, and where its walks are to stop."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from lense.types import Int64s
from lense.walking.batches import GraphTensors
from lense.walking.q_network import FeatureGain, QNetwork
from lense.walking.settings import Settings

AS_GOOD = 0.005
FLATTERY = 0.01
"""What the best of several looks may have over another by luck alone."""


class Judgement(NamedTuple):
    """The ratio that the heuristic reaches on a subgraph, and the share of the graph's edges it holds."""

    ratio: float
    edges: float


@dataclass(frozen=True)
class Look:
    """What the greedy walks of a policy on the train graph have after ``steps`` steps, on average."""

    steps: int
    distance: float
    judged: Judgement
    policy: QNetwork | FeatureGain


def kept_look(looks: Sequence[Look], settings: Settings) -> Look:
    """The look whose policy is kept; see ``lense.walking.settings.KEEPS``."""
    if settings.keep == "last":
        return looks[-1]
    if settings.keep == "distance" or any(math.isnan(look.judged.ratio) for look in looks):
        return min(looks, key=lambda look: look.distance)
    best = max(look.judged.ratio for look in looks)
    if settings.prior == "preferred" and looks[0].judged.ratio >= min(settings.enough, best - FLATTERY):
        return looks[0]
    as_good = [look for look in looks if look.judged.ratio >= min(settings.enough, best - AS_GOOD)]
    return min(as_good, key=lambda look: look.judged.edges)


def first_enough(judged: Callable[[int], Judgement], places: int, enough: float) -> int:
    """The first of the ``places`` of a walk from which on its ratio is ``enough``, by bisection; else the last."""
    low, high = -1, places - 1
    if judged(high).ratio < enough:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if judged(middle).ratio >= enough else (middle, high)
    return high


def telling_feature(features: Tensor, solution: Int64s) -> int:
    """Which of the features (n, k) is larger at the ``solution`` than on average, by the most standard deviations."""
    gaps = features[torch.from_numpy(solution).to(features.device)].mean(dim=0) - features.mean(dim=0)
    return int((gaps / features.std(dim=0).clamp(min=1e-12)).argmax())


def prior_policy(graph: GraphTensors, solution: Int64s) -> FeatureGain:
    """The largest gain in one over the rank, by the feature that tells the ``solution`` best; it is learnt by none."""
    feature, steepness = telling_feature(graph.features, solution), math.log(graph.num_vertices)
    return FeatureGain(feature, steepness).to(graph.device)
