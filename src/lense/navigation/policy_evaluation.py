"""Policy evaluation by greedy walks on the train graph: which policy to keep, how strong, and where its walks stop."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from torch import Tensor

from lense._util.torch_device import on_device
from lense._util.types import Int64s
from lense.navigation.encoder import Encoder, GraphTensors, embed
from lense.navigation.environment import Offer, roots_after
from lense.navigation.inference import QValues, greedy

if TYPE_CHECKING:
    from lense.navigation.q_learning import QSettings

STARTS = 5
PLACES = 16
LONGEST = 2
"""Steps for each root; after that a walk exchanges hardly any root for good."""
AS_GOOD = 0.005
PATIENCE = 3
KEEPS = {
    "ratio": "the one with the smallest subgraphs of those whose ratio is enough or within 0.005 of the best",
    "last": "the last one, as in the paper",
}
"""Which of the policies evaluated during training is kept."""
STRENGTHS = (0.5, 0.25, 0.125, 0.0625)
"""What the correction that is kept is multiplied with, to see whether less of it does better."""


Observation = dict[str, Tensor]
"""``embedding`` (B, d), and of the offer ``leaving`` and ``entering`` (B, M, 2k) and ``mask`` (B, M), false where there
is no candidate."""


class Judgement(NamedTuple):
    """The ratio that the heuristic reaches on a subgraph, and the share of the graph's edges it holds."""

    ratio: float
    edges: float


@dataclass(frozen=True)
class PolicyEvaluation:
    """Means over a policy's greedy walks of ``steps`` steps, with its ``updates`` and its correction's ``strength``."""

    steps: int
    distance: float
    judged: Judgement
    updates: int
    policy: QValues
    strength: float = 1.0


@dataclass(frozen=True)
class Evaluator:
    """Walks greedily from new starts on a ``graph``, and has ``judge`` say how good the roots (M) at the end are.

    Kept by ratio, policies are compared where their ratio is enough: there their walks stop.
    """

    graph: GraphTensors
    judge: Callable[[Int64s], Judgement]
    encoder: Encoder
    goal: Tensor
    settings: "QSettings"
    num_roots: int
    seed: int = 0

    def observe(self, offer: Offer) -> tuple[Observation, Tensor]:
        """The state of walks that are made this offer, on the graph's device, and their distances (B) to the goal."""
        device, embedding = self.graph.device, embed(self.encoder, self.graph, offer.roots)
        numbers = {"leaving": offer.leaving, "entering": offer.entering, "mask": offer.allowed}
        state = {"embedding": embedding, **{name: on_device(one, device) for name, one in numbers.items()}}
        return state, (embedding - self.goal.to(device)).norm(dim=1)

    def evaluate(self, policy: QValues, *, updates: int, strength: float = 1.0) -> PolicyEvaluation:
        by_ratio, test_steps = self.settings.keep == "ratio", self.settings.test_steps
        longest = min(test_steps, LONGEST * self.num_roots)
        places = sorted({-(-longest * place // PLACES) for place in range(1, PLACES + 1)})
        met = self._walked(policy, places)
        judged = cache(lambda place: self._judged(met[place]))
        place = first_enough(judged, len(met), self.settings.enough) if by_ratio else len(met) - 1
        embedded = embed(self.encoder, self.graph, met[place])
        distance = float((embedded - self.goal.to(self.graph.device)).norm(dim=1).mean())
        steps = places[place] if by_ratio else test_steps
        return PolicyEvaluation(steps, distance, judged(place), updates, policy, strength)

    def judge_again(self, seen: PolicyEvaluation) -> Judgement:
        """Judge walks by the policy of an evaluation elsewhere, as long as they were there."""
        return self._judged(self._walked(seen.policy, [seen.steps])[0])

    def _walked(self, policy: QValues, places: Sequence[int]) -> Int64s:
        """The roots (P, B, M) of B greedy walks from new starts after each of the numbers of steps ``places`` (P)."""
        act = greedy(policy, lambda roots: embed(self.encoder, self.graph, roots).cpu().numpy())
        first = stream_seed(self.seed, "looks")
        rows, features, seeds = self.graph.rows, self.graph.vertex_features, range(first, first + STARTS)
        return roots_after(rows, features, act, seeds=seeds, num_roots=self.num_roots, places=places)

    def _judged(self, roots: Int64s) -> Judgement:
        """The mean judgement of root sets (B, M)."""
        return Judgement(*np.mean([self.judge(one) for one in roots], axis=0).tolist())


def stream_seed(seed: int, stream: str) -> int:
    """The seed of one of the random streams of a training."""
    return int(np.random.SeedSequence([seed, *stream.encode()]).generate_state(1)[0])


def first_enough(judged: Callable[[int], Judgement], places: int, enough: float) -> int:
    """The first place from which on the ratio is ``enough``, by bisection; else the last."""
    low, high = -1, places - 1
    if judged(high).ratio < enough:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if judged(middle).ratio >= enough else (middle, high)
    return high


def kept_policy(found: Sequence[PolicyEvaluation], settings: "QSettings") -> PolicyEvaluation:
    """The evaluation whose policy is kept, of those that have learnt; see ``KEEPS``."""
    learnt = [one for one in found if one.updates] or found[-1:]
    if settings.keep == "last":
        return learnt[-1]
    least = least_ratio(learnt, settings.enough)
    return min((one for one in learnt if one.judged.ratio >= least), key=lambda one: one.judged.edges)


def least_ratio(found: Sequence[PolicyEvaluation], enough: float) -> float:
    """The ratio that a policy needs to be kept."""
    return min(enough, max(one.judged.ratio for one in found) - AS_GOOD)


def has_settled(found: Sequence[PolicyEvaluation], settings: "QSettings") -> bool:
    """Whether three policies in a row could not be kept: walks nearer to the goal can end at worse subgraphs."""
    last = [one for one in found if one.updates][-PATIENCE:]
    if settings.keep != "ratio" or len(last) < PATIENCE:
        return False
    return all(one.judged.ratio < least_ratio(found, settings.enough) for one in last)


def tempered(
    kept: PolicyEvaluation,
    settings: "QSettings",
    evaluate: Callable[..., PolicyEvaluation],
    elsewhere: Callable[[PolicyEvaluation], Judgement] | None,
) -> PolicyEvaluation:
    """The policy kept, or one with less of its correction, by the rule of :func:`kept_policy`.

    The lower ratio counts, on the train graph or ``elsewhere``, on a graph that the policy has not learnt on.
    """
    weaker = [evaluate(kept.policy.weakened(one), updates=kept.updates, strength=one) for one in STRENGTHS]
    found = [kept, *weaker]
    ratios = [min(one.judged.ratio, elsewhere(one).ratio) if elsewhere else one.judged.ratio for one in found]
    seen = [replace(one, judged=one.judged._replace(ratio=ratio)) for one, ratio in zip(found, ratios, strict=True)]
    return found[seen.index(kept_policy(seen, settings))]
