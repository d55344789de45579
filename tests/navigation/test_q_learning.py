"""Guided deep Q-learning: every rule of the paper's appendix, and the switches of this package."""

import copy
import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as trials
from hypothesis import strategies as st
from torch import Tensor

from lense._util.types import Int64s
from lense.navigation import q_learning as dqn
from lense.navigation.encoder import Encoder
from lense.navigation.environment import separating_feature
from lense.navigation.inference import QValues
from lense.navigation.policy_evaluation import STARTS, Evaluator, Judgement, Observation
from lense.navigation.q_learning import Navigator, QNetwork, QSettings, Replay, explore, train_navigator, update
from lense.paper import PAPER_CHOICES
from tests.learning import ROOTS, Stopped, features, needs_gpu, samples, tensors, trained, weights
from tests.learning import SETTINGS as ALL_SETTINGS

Figures = dict[str, float]
SETTINGS = ALL_SETTINGS.q_learning
STEPS = SETTINGS.train_steps
EVALUATED = [0, 2, 5, 12, 20]
"""The i-th evaluation of n is after (i / n)^2 of the steps."""
PAPER_BATCH = dqn.BATCH
PAIRS, DIM = 3, 2


NUMBERS, EMBEDDING_DIM = 4, 3


def network(*, sees: bool = True, feature: int | None = None) -> QNetwork:
    torch.manual_seed(0)
    return QNetwork(Encoder(2, 8, EMBEDDING_DIM).requires_grad_(False), feature, 1000, sees_subgraph=sees)


def observed(*shape: int) -> dict[str, Tensor]:
    """Embeddings (..., 3), v and u (..., 6, 4), and a mask that allows all."""
    generator = torch.Generator().manual_seed(1)
    pairs = {name: torch.rand(*shape, 6, NUMBERS, generator=generator) for name in ("leaving", "entering")}
    mask = torch.ones(*shape, 6, dtype=torch.bool)
    return {"embedding": torch.randn(*shape, EMBEDDING_DIM, generator=generator), **pairs, "mask": mask}


def correction(q: QNetwork, embedding: Tensor, leaving: Tensor, entering: Tensor) -> Tensor:
    """h: three layers, their outputs concatenated, three more layers; one pair at a time."""
    parts = [q.leaving(q.vectors(leaving)).relu(), q.entering(q.vectors(entering)).relu()]
    if q.subgraph is not None:
        parts = [q.subgraph(embedding).relu(), *parts]
    value: Tensor = q.value(q.hidden(q.joint(torch.cat(parts)).relu()).relu())
    return value


@pytest.mark.parametrize("sees", [True, False])
def test_values_are_those_of_the_concatenated_layers(sees: bool) -> None:
    q, seen = network(sees=sees), observed(3)
    one = [
        [correction(q, seen["embedding"][b], seen["leaving"][b, i], seen["entering"][b, i]).item() for i in range(6)]
        for b in range(3)
    ]
    torch.testing.assert_close(q(seen), torch.tensor(one))


def test_the_gain_in_rank_is_added_on_a_scale_that_is_learnt() -> None:
    """sign(G) log(1 + |G|) / log n for G = n / r_u - n / r_v, times e^a."""
    n, ranks = 1000, torch.tensor([[1.0, 20.0, 500.0], [1000.0, 4.0, 400.0]])
    q, standings = network(sees=False, feature=1), torch.log(n / ranks) / math.log(n)
    pairs = [torch.stack([torch.rand(3), x, torch.rand(3), torch.rand(3)], dim=-1) for x in standings]
    gain = n / ranks[1] - n / ranks[0]
    expected = gain.sign() * (1 + gain.abs()).log() / math.log(n)
    seen = {"leaving": pairs[0], "entering": pairs[1]}
    torch.testing.assert_close(q(seen), expected, rtol=1e-3, atol=1e-4)
    with torch.no_grad():
        q.scale.add_(0.7)
    torch.testing.assert_close(q(seen), math.exp(0.7) * expected, rtol=1e-3, atol=1e-4)
    assert q.scale.requires_grad


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that short runs have learnt something when they end."""
    monkeypatch.setattr(dqn, "BATCH", 16)


def by_size(roots: Int64s) -> Judgement:
    """A judge that counts edges: the larger a subgraph, the better."""
    edges = float(np.diff(tensors().rows.indptr)[roots].sum()) / tensors().rows.indices.size
    return Judgement(min(1.0, 0.5 + edges), edges)


def evaluator(
    settings: QSettings = SETTINGS, seed: int = 0, *, judge: Callable[[Int64s], Judgement] = by_size
) -> Evaluator:
    return Evaluator(tensors(), judge, trained().encoder, trained().goal, settings, ROOTS, seed)


def learn(
    settings: QSettings = SETTINGS, *, judge: Callable[[Int64s], Judgement] = by_size, seed: int = 0, **options: Any
) -> Navigator:
    return train_navigator(evaluator(settings, seed, judge=judge), samples().solution, seed=seed, **options)


def learn_and_evaluate(settings: QSettings = SETTINGS, **options: Any) -> tuple[Navigator, dict[int, Figures]]:
    """What training gives, and the figures of each evaluation by the step it was made at."""
    found: dict[int, Figures] = {}

    def report(stage: str, step: int, **figures: float) -> None:
        assert stage == "navigator"
        found[step] = figures

    return learn(settings, report=report, **options), found


def same_policy(one: QValues, other: QValues) -> bool:
    """Whether two policies agree in every bit."""
    return all(np.array_equal(array, other.weights[name]) for name, array in one.weights.items())


@cache
def uninterrupted(settings: QSettings = SETTINGS) -> tuple[Navigator, dict[int, Figures]]:
    """:func:`learn_and_evaluate` for all tests that compare with it and change nothing of it."""
    return learn_and_evaluate(settings)


def replay_of(settings: QSettings, monkeypatch: pytest.MonkeyPatch) -> Replay:
    """What a training has in its memory at the end."""
    made: list[Replay] = []

    class Kept(Replay):
        def __init__(self, *sizes: int) -> None:
            super().__init__(*sizes)
            made.append(self)

    monkeypatch.setattr(dqn, "Replay", Kept)
    learn(settings)
    return made[0]


@pytest.mark.parametrize("allowed", [(True, True, True), (True, False, True)])
@pytest.mark.parametrize("guided", [(True, True, False), (True, False, False), (False, False, False)])
@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_exploration_draws_from_the_allowed_pairs_from_the_guided_ones_or_takes_the_best(
    allowed: tuple[bool, ...], guided: tuple[bool, ...], alpha: float
) -> None:
    """Uniform over A_t with probability epsilon (1 - alpha), over B_t with epsilon alpha, else of largest value."""
    rows, epsilon, best = 20_000, 0.6, 2
    possible, wanted = np.array(allowed), np.array(guided) & allowed
    pairs = np.tile(possible, (rows, 1)), np.tile(wanted, (rows, 1))
    actions, is_random = explore(*pairs, np.full(rows, best), epsilon, alpha, np.random.default_rng(0))
    alpha = alpha if wanted.any() else 0.0
    shares = epsilon * (1 - alpha) * possible / possible.sum() + epsilon * alpha * wanted / max(wanted.sum(), 1)
    np.testing.assert_allclose(np.bincount(actions[is_random], minlength=3) / rows, shares, atol=0.015)
    assert (actions[~is_random] == best).all()
    assert is_random.mean() == pytest.approx(epsilon, abs=0.015)


@pytest.mark.parametrize("shaped", [True, False])
def test_the_replay_holds_what_a_swap_gained_or_the_papers_reward(
    shaped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = replay_of(replace(SETTINGS, shaped=shaped), monkeypatch).rows
    distances = (rows["embedding"] - trained().goal).norm(dim=2)
    before, after, beta = distances[:STEPS], distances[1 : STEPS + 1], SETTINGS.reward_scale
    torch.testing.assert_close(rows["rewards"][:STEPS], beta * (before - after) if shaped else -beta * after)


def next_values(target: QNetwork, after: Observation) -> list[float]:
    """max over the allowed a of Q'(s', a), walk by walk."""
    with torch.no_grad():
        values = target(after).tolist()
    return [
        max(value for value, allowed in zip(row, mask, strict=True) if allowed)
        for row, mask in zip(values, after["mask"].tolist(), strict=True)
    ]


def test_the_best_action_is_one_that_is_allowed() -> None:
    q, seen = network(), observed(3)
    first, best = q.best(seen)
    seen["mask"][torch.arange(3), best] = False
    second, other = q.best(seen)
    assert (second <= first).all()
    assert (other != best).all()
    assert q.best({**seen, "mask": torch.zeros_like(seen["mask"])})[0].isfinite().all()


@pytest.mark.parametrize("sees_subgraph", [True, False])
def test_an_update_is_a_step_of_adam_down_the_loss_of_a_batch_and_a_step_of_the_target(
    sees_subgraph: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The target is r + gamma max Q'(s', a'), also where time ran out: a time limit is no terminal state."""
    settings = replace(SETTINGS, sees_subgraph=sees_subgraph, train_steps=5, episodes=20)
    batch = replay_of(settings, monkeypatch).sample(PAPER_BATCH, np.random.default_rng(0))
    torch.manual_seed(5)
    ours, other = (QNetwork(trained().encoder, sees_subgraph=sees_subgraph) for _ in range(2))
    theirs, target = copy.deepcopy(ours), copy.deepcopy(other)
    before, rewards, after = batch
    wanted = rewards + 0.995 * torch.tensor(next_values(target, after))
    expected = ((theirs(before)[:, 0] - wanted) ** 2).mean()
    expected.backward()
    torch.optim.Adam([weight for weight in theirs.parameters() if weight.requires_grad], lr=0.001).step()

    learnt = [weight for weight in ours.parameters() if weight.requires_grad]
    loss = update(ours, other, torch.optim.Adam(learnt, lr=dqn.LEARNING_RATE), batch)
    torch.testing.assert_close(loss, expected.detach(), rtol=1e-4, atol=1e-5)
    for weight, known in zip(weights(ours), weights(theirs), strict=True):
        torch.testing.assert_close(weight, known, rtol=1e-3, atol=1e-4)
    for old, new, moved in zip(target.parameters(), ours.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(moved, (1 - dqn.POLYAK) * old + dqn.POLYAK * new)


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, list[bool]]]:
    """Fills with the epsilon of each step of training, and which actions were random there."""
    seen: list[tuple[float, list[bool]]] = []

    def noting(allowed: Any, guided: Any, best: Any, epsilon: float, *rest: Any) -> Any:
        actions, is_random = explore(allowed, guided, best, epsilon, *rest)
        seen.append((epsilon, is_random.tolist()))
        return actions, is_random

    monkeypatch.setattr(dqn, "explore", noting)
    return seen


@pytest.mark.parametrize("decay", [0.98, 0.3])
def test_epsilon_starts_at_1_and_decays_once_for_each_random_action_to_a_hundredth(
    decay: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dqn, "EPSILON_DECAY", decay)
    seen = recorded(monkeypatch)
    _, found = learn_and_evaluate()
    randoms = 0
    for epsilon, is_random in seen:
        assert epsilon == pytest.approx(max(decay**randoms, 0.01))
        randoms += sum(is_random)
    assert all(seen[0][1])
    assert found[20]["epsilon"] == pytest.approx(max(decay**randoms, 0.01))


@pytest.mark.parametrize(("episodes", "update_every"), [(1, 2), (2, 7), (22, 20)])
def test_the_numbers_of_transitions_and_updates_are_the_papers_however_many_run_side_by_side(
    episodes: int, update_every: int
) -> None:
    """N' T transitions and one update for every c of them; those due before a batch is there are made up for."""
    navigator = learn(replace(SETTINGS, episodes=episodes, update_every=update_every, evaluations=1))
    assert navigator.transitions == episodes * STEPS
    assert navigator.updates == episodes * STEPS // update_every


@pytest.mark.parametrize(("evaluations", "steps"), [(4, EVALUATED), (2, [0, 5, 20]), (1, [0, 20])])
def test_evaluations_are_closer_together_in_the_beginning_and_the_last_is_at_the_end(
    evaluations: int, steps: list[int]
) -> None:
    navigator, found = learn_and_evaluate(
        replace(SETTINGS, evaluations=evaluations), judge=lambda _: Judgement(0.3, 0.2)
    )
    assert list(found) == steps
    assert found[0]["updates"] == 0
    assert set(found[20]) - set(found[0]) == {"loss"}
    assert navigator.start is not None
    assert navigator.start.updates == 0
    assert (found[20]["ratio"], found[20]["edges"]) == pytest.approx((0.3, 0.2))
    assert (found[20]["updates"], found[20]["steps"]) == (20, SETTINGS.test_steps)


def test_the_network_starts_as_the_gain_in_the_feature_that_separates_the_solution() -> None:
    start = uninterrupted()[0].start
    assert start is not None
    assert start.policy.feature == separating_feature(features(), samples().solution)
    assert float(start.policy.weights["steepness"]) == pytest.approx(np.log(200))
    assert not start.policy.weights["value.weight"].any()
    unaided = learn(replace(SETTINGS, corrects_ranks=False))
    assert unaided.start is None
    assert unaided.kept.policy.feature is None


class Scripted:
    """A judge by whom evaluation i has the ratio that stands at place i, and the last one from there on."""

    def __init__(self, *ratios: float, edges: float = 0.5) -> None:
        self.ratios, self.edges, self.asked = ratios, edges, 0

    def __call__(self, _roots: Int64s) -> Judgement:
        place = self.asked // STARTS
        self.asked += 1
        return Judgement(self.ratios[min(place, len(self.ratios) - 1)], self.edges)


def test_training_ends_after_three_evaluations_in_a_row_of_nothing_to_keep() -> None:
    settings = replace(SETTINGS, evaluations=8, enough=0.99, episodes=10, update_every=20)
    every = [0, 1, 2, 3, 5, 8, 12, 16, 20]
    assert list(learn_and_evaluate(settings, judge=Scripted(0.9))[1]) == every
    assert list(learn_and_evaluate(settings, judge=Scripted(0.9, 0.9, 0.8))[1]) == [0, 1, 2, 3, 5]
    assert list(learn_and_evaluate(settings, judge=Scripted(0.9, 0.8, 0.8, 0.9, 0.8))[1]) == [0, 1, 2, 3, 5, 8, 12]
    navigator, found = learn_and_evaluate(replace(settings, keep="last"), judge=Scripted(0.9, 0.9, 0.8))
    assert list(found) == every
    assert navigator.updates == 10


LITERAL = {name: value for name, value in PAPER_CHOICES.items() if hasattr(SETTINGS, name)}


@pytest.mark.parametrize(
    ("stop_at", "changes"), [(0, {}), (2, {}), (12, {}), (20, {"keep": "last"}), (12, LITERAL)], ids=str
)
def test_an_interrupted_run_goes_on_from_its_checkpoint_to_the_same_weights(
    stop_at: int, changes: dict[str, Any], tmp_path: Path
) -> None:
    """It is interrupted while the evaluation of the given step is reported, before that is kept."""
    settings = replace(SETTINGS, **changes)
    whole, found = uninterrupted(settings)

    def stop(_stage: str, step: int, **_figures: float) -> None:
        if step == stop_at:
            raise Stopped

    with pytest.raises(Stopped):
        learn(settings, checkpoint=tmp_path / "navigator", report=stop)
    resumed, later = learn_and_evaluate(settings, checkpoint=tmp_path / "navigator")
    assert later == {step: figures for step, figures in found.items() if step >= stop_at}
    assert same_policy(resumed.kept.policy, whole.kept.policy)
    assert replace(resumed.kept, policy=whole.kept.policy) == whole.kept
    assert (resumed.transitions, resumed.updates) == (whole.transitions, whole.updates)


def test_learning_from_nothing_leads_nearer_to_the_goal_than_no_learning() -> None:
    """Walks on the train graph, after more steps than in the other tests, on average of two seeds."""
    settings = replace(SETTINGS, corrects_ranks=False, keep="last", train_steps=150, test_steps=30, evaluations=1)
    torch.manual_seed(0)
    policies = [QNetwork(trained().encoder).in_numpy() for _ in range(2)]
    before = [evaluator(settings, seed).evaluate(policies[seed], updates=0).distance for seed in range(2)]
    after = [learn(settings, seed=seed).kept.distance for seed in range(2)]
    assert np.mean(after) < 0.7 * np.mean(before)


@needs_gpu
def test_a_gpu_learns_too_and_its_first_evaluation_is_that_of_the_cpu() -> None:
    there = replace(evaluator(), graph=tensors("cuda"), encoder=copy.deepcopy(trained().encoder).cuda())
    far, near = train_navigator(there, samples().solution), uninterrupted()[0]
    assert far.updates == near.updates
    assert far.start is not None
    assert near.start is not None
    assert far.start.distance == pytest.approx(near.start.distance, rel=1e-3)


def observation(number: int, num_envs: int) -> Observation:
    """A state that shows in each of its numbers which one it is: ``number`` + walk / 100."""
    name = number + torch.arange(num_envs) / 100
    return {
        "embedding": name.view(-1, 1).expand(-1, DIM),
        "leaving": name.view(-1, 1, 1).expand(-1, PAIRS, NUMBERS) + torch.arange(PAIRS).view(-1, 1) / 1000,
        "entering": -name.view(-1, 1, 1).expand(-1, PAIRS, NUMBERS) - torch.arange(PAIRS).view(-1, 1) / 1000,
        "mask": torch.ones(num_envs, PAIRS, dtype=torch.bool),
    }


def filled(capacity: int, num_envs: int, max_steps: int, steps: int) -> tuple[Replay, list[tuple[int, int]]]:
    """A memory after ``steps`` steps, and the last transitions that it should hold: (state, next state)."""
    replay = Replay(capacity, num_envs, max_steps)
    wanted: deque[tuple[int, int]] = deque(maxlen=capacity // num_envs)
    number = 0
    replay.start(observation(number, num_envs))
    for step in range(1, steps + 1):
        action = torch.full((num_envs,), number % PAIRS)
        replay.add(action, torch.full((num_envs,), 10.0 * number), observation(number + 1, num_envs))
        wanted.append((number, number + 1))
        number += 1
        if step % max_steps == 0:
            number += 1
            replay.start(observation(number, num_envs))
    return replay, list(wanted)


@given(per_env=st.integers(1, 12), num_envs=st.integers(1, 3), max_steps=st.integers(1, 7), steps=st.integers(1, 40))
@trials(max_examples=50, deadline=None)
def test_the_memory_holds_the_last_transitions_and_no_others(
    per_env: int, num_envs: int, max_steps: int, steps: int
) -> None:
    """The oldest make room; none leads from one episode to another; both states belong to one walk."""
    replay, wanted = filled(per_env * num_envs, num_envs, max_steps, steps)
    assert replay.capacity == per_env * num_envs
    assert len(replay) == len(wanted) * num_envs
    states, rewards, after = replay.sample(300, np.random.default_rng(0))
    seen = set()
    for i in range(300):
        number, walk = divmod(round(100 * float(states["embedding"][i, 0])), 100)
        next_number, next_walk = divmod(round(100 * float(after["embedding"][i, 0])), 100)
        assert walk == next_walk
        assert rewards[i] == 10 * number
        seen.add((number, next_number, walk))
    assert seen == {(*transition, walk) for transition in wanted for walk in range(num_envs)}


@pytest.mark.parametrize("steps", [0, 2, 7])
def test_a_memory_that_is_stored_and_restored_goes_on_alike(steps: int) -> None:
    """Also one that has gone round already; of one that has not, no more than is in use is stored."""
    replay, _ = filled(10, 2, 4, steps)
    assert len(replay.state()["mask"]) == (steps + 1 if steps < 4 else replay.num_rows)
    other = Replay(10, 2, 4)
    stored = {name: tensor.clone() for name, tensor in replay.state().items()}
    other.restore(stored, replay.step, torch.device("cpu"))
    for memory in (replay, other):
        memory.add(torch.ones(2, dtype=torch.int64), torch.ones(2), observation(99, 2))
    one, again = (memory.sample(50, np.random.default_rng(3)) for memory in (replay, other))
    assert len(replay) == len(other)
    torch.testing.assert_close(one, again, rtol=0, atol=0)
