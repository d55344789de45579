"""Guided deep Q-learning: every rule of the paper's appendix, and the switches of this package."""

import copy
import itertools
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lense.errors import LenseError
from lense.types import Int64s
from lense.walking import q_learning as dqn
from lense.walking.batches import GraphTensors
from lense.walking.environment import Observation, SubgraphWalks
from lense.walking.looks import Judgement, telling_feature
from lense.walking.policies import largest_gain
from lense.walking.q_learning import (
    Navigator,
    bellman_target,
    explore,
    polyak_step,
    progress_reward,
    side_by_side,
    train_navigator,
)
from lense.walking.q_network import QNetwork
from lense.walking.random_numbers import uniforms
from lense.walking.settings import Settings
from lense.walking.walk import greedy_policy, walk
from tests.learning import (
    SETTINGS,
    NeverAsking,
    Stopped,
    needs_gpu,
    never_waiting,
    same_weights,
    samples,
    tensors,
    trained,
    weights,
)

Figures = dict[str, float]
PAPER_BATCH = dqn.BATCH


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that short runs have learnt something when they end."""
    monkeypatch.setattr(dqn, "BATCH", 16)


def learn(settings: Settings = SETTINGS, **options: Any) -> Navigator:
    return train_navigator(tensors(), trained().encoder, trained().goal, samples().solution, settings, **options)


def learn_and_look(settings: Settings = SETTINGS, **options: Any) -> tuple[Navigator, dict[int, Figures]]:
    """What training gives, and the figures of each look by the step it was taken at."""
    looks: dict[int, Figures] = {}

    def report(stage: str, step: int, **figures: float) -> None:
        assert stage == "navigator"
        looks[step] = figures

    return learn(settings, report=report, **options), looks


def new_run(settings: Settings = SETTINGS) -> dqn._Run:
    return dqn._Run(tensors(), trained().encoder, trained().goal, samples().solution, settings, seed=0)


def scrambled(network: nn.Module, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for weight in network.parameters():
        weight.data += 0.05 * torch.randn(weight.shape, generator=generator)


def test_the_constants_are_the_papers() -> None:
    assert (PAPER_BATCH, dqn.LEARNING_RATE, dqn.POLYAK) == (128, 0.001, 0.0025)
    assert (dqn.EPSILON_DECAY, dqn.LEAST_EPSILON) == (0.9995, 0.01)
    assert Settings().replay == 25_000
    assert Settings().literal.gamma == 0.995


GRID = [(i + 0.5) / 10 for i in range(10)]


def chosen_shares(mask: list[bool], guided: list[bool], epsilon: float, alpha: float) -> dict[tuple[int, bool], float]:
    """How often each action is taken and whether at random, over a grid of all lots; action 1 is of best value."""
    order = list(itertools.permutations((0.2, 0.5, 0.8)))
    lots = torch.tensor([[a, b, *rest] for a in GRID for b in GRID for rest in order], dtype=torch.float64)
    rows = lots.shape[0]
    observation = {"mask": torch.tensor(mask).expand(rows, 3)}
    values = torch.tensor([0.0, 1.0, 0.5]).expand(rows, 3)
    actions, is_random = explore(observation, torch.tensor(guided).expand(rows, 3), values, lots, epsilon, alpha)
    pairs = Counter(zip(actions.tolist(), is_random.tolist(), strict=True))
    return {pair: count / rows for pair, count in pairs.items()}


def test_exploration_draws_from_all_pairs_from_the_guided_ones_or_takes_the_best() -> None:
    """Uniform over A_t with probability epsilon (1 - alpha), over B_t with epsilon alpha, else of largest value."""
    epsilon, alpha = 0.6, 0.3
    shares = chosen_shares([True] * 3, [True, False, True], epsilon, alpha)
    from_all, from_guided = epsilon * (1 - alpha) / 3, epsilon * alpha / 2
    expected = {
        (0, True): from_all + from_guided,
        (1, True): from_all,
        (2, True): from_all + from_guided,
        (1, False): 1 - epsilon,
    }
    assert shares == pytest.approx(expected)


def test_where_nothing_is_guided_all_of_the_exploration_is_uniform() -> None:
    shares = chosen_shares([True] * 3, [False] * 3, 0.6, 0.3)
    assert shares == pytest.approx({(0, True): 0.2, (1, True): 0.2, (2, True): 0.2, (1, False): 0.4})


def test_without_guidance_exploration_is_plain_epsilon_greedy() -> None:
    shares = chosen_shares([True] * 3, [True, False, False], 0.6, 0.0)
    assert shares == pytest.approx({(0, True): 0.2, (1, True): 0.2, (2, True): 0.2, (1, False): 0.4})


def test_a_masked_pair_is_never_taken() -> None:
    shares = chosen_shares([True, False, True], [False] * 3, 0.6, 0.3)
    assert shares == pytest.approx({(0, True): 0.3, (2, True): 0.3, (2, False): 0.4})


@pytest.mark.parametrize(("bootstrap_end", "at_the_end"), [(True, 1.0 + 0.9 * 6.0), (False, 1.0)])
def test_the_target_is_the_reward_and_the_discounted_value_of_what_follows(
    bootstrap_end: bool, at_the_end: float
) -> None:
    """A time limit is no terminal state, so there the value counts too, unless the paper's choice is asked for."""
    target = bellman_target(
        torch.tensor([1.0, 1.0]),
        torch.tensor([5.0, 6.0]),
        torch.tensor([False, True]),
        gamma=0.9,
        bootstrap_end=bootstrap_end,
    )
    torch.testing.assert_close(target, torch.tensor([5.5, at_the_end]))


def test_rewards_are_shaped_by_a_potential_which_leaves_the_best_policies_as_they_are() -> None:
    """beta (d - d') = (1 - gamma) (r + gamma Phi(s') - Phi(s)), with r = -beta d' and Phi = -beta d / (1 - gamma)."""
    before, after, beta, gamma = torch.tensor([1.5, 0.2]), torch.tensor([1.1, 0.6]), 20.0, 0.9
    reward, potential = -beta * after, (-beta * before / (1 - gamma), -beta * after / (1 - gamma))
    shaped = (1 - gamma) * (reward + gamma * potential[1] - potential[0])
    torch.testing.assert_close(progress_reward(before, after, beta), shaped, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shaped", [True, False])
def test_the_replay_holds_what_a_swap_gained_or_the_papers_reward(shaped: bool) -> None:
    run = new_run(replace(SETTINGS, shaped=shaped))
    before = run.info["distance"]
    run.walk_on()
    after, beta = run.info["distance"], SETTINGS.reward_scale
    torch.testing.assert_close(run.replay.rewards[0], beta * (before - after) if shaped else -beta * after)


def states(run: dqn._Run, masked: tuple[int, int] | None = None) -> Observation:
    """Some states; of one of them a pair may be masked."""
    observation, _ = run.environment.reset(seed=77)
    mask = observation["mask"].clone()
    if masked is not None:
        mask[masked] = False
    return {**observation, "mask": mask}


def q_values(network: QNetwork, observation: Observation) -> Tensor:
    encoder = trained().encoder
    with torch.no_grad():
        values: Tensor = network(
            observation["embedding"],
            encoder.vertex_vectors(observation["leaving"]),
            encoder.vertex_vectors(observation["entering"]),
        )
    return values


def next_values(online: Tensor, target: Tensor, mask: Tensor, *, double: bool) -> list[float]:
    """max over a of Q'(s', a), or Q'(s', argmax over a of Q(s', a)), walk by walk."""
    result = []
    for q, t, allowed in zip(online.tolist(), target.tolist(), mask.tolist(), strict=True):
        actions = [a for a in range(len(q)) if allowed[a]]
        result.append(t[max(actions, key=q.__getitem__)] if double else max(t[a] for a in actions))
    return result


@pytest.mark.parametrize("double", [True, False])
def test_what_follows_is_valued_by_the_target_network(double: bool) -> None:
    run = new_run(replace(SETTINGS, double_q=double))
    scrambled(run.target, 5)
    best = int(q_values(run.network if double else run.target, states(run))[0].argmax())
    after = states(run, masked=(0, best))
    online, target = q_values(run.network, after), q_values(run.target, after)
    expected = next_values(online, target, after["mask"], double=double)
    with torch.no_grad():
        torch.testing.assert_close(run._next_values(after), torch.tensor(expected), rtol=1e-4, atol=1e-5)
    other = next_values(online, target, after["mask"], double=not double)
    assert expected != pytest.approx(other, rel=1e-3)


@pytest.mark.parametrize("double", [True, False])
def test_a_state_where_every_pair_is_masked_has_a_finite_value(double: bool) -> None:
    run = new_run(replace(SETTINGS, double_q=double))
    after = states(run)
    with torch.no_grad():
        values = run._next_values({**after, "mask": torch.zeros_like(after["mask"])})
    assert values.isfinite().all()


@pytest.mark.parametrize("double", [True, False])
@pytest.mark.parametrize("huber", [True, False])
@pytest.mark.parametrize("bootstrap_end", [True, False])
def test_an_update_is_a_step_of_adam_down_the_loss_of_a_batch_and_a_step_of_the_target(
    double: bool, huber: bool, bootstrap_end: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(SETTINGS, double_q=double, huber=huber, bootstrap_end=bootstrap_end, gamma=0.7)
    run = new_run(settings)
    monkeypatch.setattr(dqn, "BATCH", PAPER_BATCH)
    for _ in range(2 * settings.train_steps):
        run.walk_on()
    scrambled(run.target, 5)
    network, target = copy.deepcopy(run.network), copy.deepcopy(run.target)
    before, _, rewards, after, ends = run.replay.sample(uniforms(run.draws, 0, dqn.BATCH))
    assert ends.any()
    follows = next_values(q_values(network, after), q_values(target, after), after["mask"], double=double)
    wanted = rewards + 0.7 * torch.tensor(follows) * (1 if bootstrap_end else (~ends).float())
    encoder = trained().encoder
    value = network(
        before["embedding"], encoder.vertex_vectors(before["leaving"]), encoder.vertex_vectors(before["entering"])
    )
    error = (value[:, 0] - wanted).abs()
    loss = (torch.where(error < 1, 0.5 * error**2, error - 0.5) if huber else error**2).mean()
    loss.backward()
    torch.optim.Adam(network.parameters(), lr=0.001).step()

    run.learn()
    torch.testing.assert_close(run.losses[-1], loss.detach(), rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(weights(run.network), weights(network), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-4)
    polyak_step(target, run.network)
    assert same_weights(run.target, target)
    assert run.updates == 1


def test_the_target_network_moves_a_four_hundredth_of_the_way() -> None:
    target, online = QNetwork(2, 3), QNetwork(2, 3)
    before = [weight.clone() for weight in weights(target)]
    polyak_step(target, online)
    for old, new, now in zip(before, weights(online), weights(target), strict=True):
        torch.testing.assert_close(now, 0.9975 * old + 0.0025 * new)


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, list[bool]]]:
    """Fills with the epsilon of each step of training, and which actions were random there."""
    seen: list[tuple[float, list[bool]]] = []

    def noting(observation: Any, guided: Any, values: Any, lots: Any, epsilon: Tensor, alpha: float) -> Any:
        actions, is_random = explore(observation, guided, values, lots, epsilon, alpha)
        seen.append((epsilon.item(), is_random.tolist()))
        return actions, is_random

    monkeypatch.setattr(dqn, "explore", noting)
    return seen


def test_epsilon_starts_at_1_and_decays_once_for_each_random_action(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dqn, "EPSILON_DECAY", 0.98)
    seen = recorded(monkeypatch)
    _, looks = learn_and_look()
    randoms = 0
    for epsilon, is_random in seen:
        assert epsilon == pytest.approx(0.98**randoms)
        randoms += sum(is_random)
    assert all(seen[0][1])
    assert looks[40]["epsilon"] == pytest.approx(0.98**randoms)


def test_epsilon_falls_no_further_than_a_hundredth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dqn, "EPSILON_DECAY", 0.3)
    seen = recorded(monkeypatch)
    _, looks = learn_and_look()
    assert min(epsilon for epsilon, _ in seen) == looks[40]["epsilon"] == 0.01


@pytest.mark.parametrize(
    ("episodes", "wanted", "together"), [(10, 10, 10), (10, 4, 2), (7, 3, 1), (3, 10, 3), (25, 10, 5)]
)
def test_as_many_episodes_run_side_by_side_as_divide_their_number(episodes: int, wanted: int, together: int) -> None:
    assert side_by_side(replace(SETTINGS, episodes=episodes, side_by_side=wanted)) == together


@pytest.mark.parametrize("together", [1, 2, 4])
@pytest.mark.parametrize("update_every", [2, 7])
def test_the_numbers_of_transitions_and_updates_are_the_papers_however_many_run_side_by_side(
    together: int, update_every: int
) -> None:
    """N' T transitions and one update for every c of them; those due before a batch is there are made up for."""
    settings = replace(SETTINGS, episodes=8, side_by_side=together, update_every=update_every, looks=1)
    navigator = learn(settings)
    assert navigator.transitions == 8 * settings.train_steps == 160
    assert navigator.updates == 160 // update_every


def test_a_memory_smaller_than_a_batch_is_learnt_from_too() -> None:
    assert learn(replace(SETTINGS, replay=9, looks=1)).updates == 40


@pytest.mark.parametrize(("restart", "length"), [(7, 7), (1000, SETTINGS.train_steps)])
def test_walks_start_anew_from_other_roots_every_so_many_steps(restart: int, length: int) -> None:
    run = new_run(replace(SETTINGS, restart=restart))
    start = run.info["roots"]
    for _ in range(length + 1):
        run.walk_on()
    assert run.environment.state["step"] == 1
    assert run.replay.ends.sum() == 1
    assert (run.info["roots"] == start).float().mean() < 0.5


def test_walks_start_from_root_sets_given_with_probability_epsilon() -> None:
    given = samples().roots

    def share(epsilon: float) -> float:
        run = dqn._Run(tensors(), trained().encoder, trained().goal, samples().solution, SETTINGS, 0, given)
        run.epsilon, starts = torch.tensor(epsilon, dtype=torch.float64), []
        for run.step in range(1, 101):
            starts += run._started()[1]["roots"].tolist()
        known = {tuple(roots) for roots in given.tolist()}
        return float(np.mean([tuple(roots) in known for roots in starts]))

    assert share(1.0) == 1
    assert share(0.3) == pytest.approx(0.3, abs=0.1)
    assert share(0.0) == 0


def test_looks_are_closer_together_in_the_beginning_and_the_last_is_at_the_end() -> None:
    """Look i of n after (i / n)^2 of the steps."""
    assert list(learn_and_look()[1]) == [3, 10, 23, 40]
    assert list(learn_and_look(replace(SETTINGS, looks=2))[1]) == [10, 40]


def test_a_look_is_a_greedy_walk_from_fresh_starts() -> None:
    run = new_run()
    figures = run.look(run.network, None)
    environment = SubgraphWalks(
        tensors(), trained().encoder, trained().goal, num_roots=16, num_envs=dqn.LOOK_STARTS, max_steps=6
    )
    seen = walk(environment, greedy_policy(run.network, trained().encoder), seed=run._seed("looks"))
    assert figures["distance"] == pytest.approx(float(seen.distances[-1].mean()))
    first = {tuple(roots) for roots in environment.reset(seed=run._seed("looks"))[1]["roots"].tolist()}
    assert not first & {tuple(roots) for roots in new_run().info["roots"].tolist()}


def test_a_judge_tells_the_ratio_of_where_the_walks_of_a_look_ended() -> None:
    judged: list[Int64s] = []

    def judge(roots: Int64s) -> Judgement:
        judged.append(roots)
        return Judgement(0.01 * len(judged), 0.1 * len(judged))

    _, looks = learn_and_look(replace(SETTINGS, looks=1), judge=judge)
    assert all(roots.shape == (SETTINGS.roots,) for roots in judged)
    assert looks[40]["ratio"] == pytest.approx(0.01 * np.mean(range(1, dqn.LOOK_STARTS + 1)))
    assert looks[40]["edges"] == pytest.approx(10 * looks[40]["ratio"])
    assert looks[40]["steps"] == SETTINGS.test_steps
    assert "ratio" not in learn_and_look(replace(SETTINGS, looks=1))[1][40]


def look_networks(monkeypatch: pytest.MonkeyPatch, distances: list[float]) -> list[QNetwork]:
    """Make the looks find the given distances; the list fills with the networks as they were then."""
    networks: list[QNetwork] = []
    told = iter(distances)

    def pretended(_encoder: Any, _graph: Any, roots: Any) -> Tensor:
        away = torch.zeros(len(roots), trained().goal.numel())
        away[:, 0] = next(told)
        return trained().goal.cpu() + away

    kept_look = dqn._Run.look

    def look(self: dqn._Run, policy: Any, judge: Any) -> Figures:
        networks.append(copy.deepcopy(policy))
        return kept_look(self, policy, judge)

    monkeypatch.setattr(dqn, "embed", pretended)
    monkeypatch.setattr(dqn._Run, "look", look)
    return networks


def test_the_policy_whose_walks_end_nearest_the_goal_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    networks = look_networks(monkeypatch, [3.0, 1.0, 2.0, 1.0])
    navigator = learn()
    assert navigator.distance == pytest.approx(1.0)
    assert same_weights(navigator.network, networks[1])
    assert not same_weights(networks[1], networks[3])


def test_the_prior_swaps_for_the_largest_gain_in_that_feature() -> None:
    prior = new_run(replace(SETTINGS, prior="equal")).prior
    assert prior is not None
    feature = telling_feature(tensors().features, samples().solution)
    environment = new_run().environment
    observation, info = environment.reset(seed=5)
    steep = torch.exp(math.log(tensors().num_vertices) * tensors().features[:, feature])
    act = largest_gain(steep.double().numpy())
    assert torch.equal(greedy_policy(prior, trained().encoder)(observation, info), act(observation, info))
    assert new_run(replace(SETTINGS, prior="never")).prior is None


def test_with_a_prior_there_is_a_look_before_anything_is_learnt() -> None:
    _, looks = learn_and_look(replace(SETTINGS, prior="equal"))
    assert looks[0]["updates"] == 0
    assert "loss" not in looks[0]
    assert 0 not in learn_and_look(replace(SETTINGS, prior="never"))[1]


@pytest.mark.parametrize("prior", ["equal", "preferred"])
def test_learning_is_the_same_with_a_prior_and_without(prior: str) -> None:
    _, looks = learn_and_look(replace(SETTINGS, prior=prior))
    _, without = learn_and_look(replace(SETTINGS, prior="never"))
    assert {step: look for step, look in looks.items() if step} == without


def test_of_a_policy_that_is_good_enough_early_the_walks_get_fewer_steps() -> None:
    sizes = iter(range(1, 1000))

    def judge(_: Int64s) -> Judgement:
        return Judgement(0.98, 1 / next(sizes))

    settings = replace(SETTINGS, looks=1, test_steps=16, enough=0.97)
    assert learn(settings, judge=judge).steps == 1
    assert learn(replace(settings, enough=0.99), judge=judge).steps == 16
    assert learn(replace(settings, keep="distance"), judge=judge).steps == 16


def test_walks_of_a_policy_chosen_by_its_subgraphs_are_no_longer_than_those_it_was_chosen_by() -> None:
    settings = replace(SETTINGS, looks=1, test_steps=10 * SETTINGS.roots, enough=0.99)
    not_enough = Judgement(0.98, 0.5)
    assert learn(settings, judge=lambda _: not_enough).steps == 2 * SETTINGS.roots
    assert learn(replace(settings, keep="last"), judge=lambda _: not_enough).steps == 10 * SETTINGS.roots


def test_or_the_last_one_if_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    networks = look_networks(monkeypatch, [3.0, 1.0, 2.0, 2.5])
    navigator = learn(replace(SETTINGS, keep="last"))
    assert navigator.distance == 2.5
    assert same_weights(navigator.network, networks[3])


def test_the_seed_decides_everything_and_nothing_else_is_drawn() -> None:
    before = torch.get_rng_state()
    one, again = learn(), learn()
    assert torch.equal(before, torch.get_rng_state())
    assert same_weights(one.network, again.network)
    assert one.distance == again.distance
    assert not same_weights(one.network, learn(seed=1).network)


@pytest.mark.parametrize(("keep", "prior"), [("ratio", "never"), ("last", "never"), ("ratio", "preferred")])
@pytest.mark.parametrize("stop_at", [3, 10, 23, 40])
def test_an_interrupted_run_goes_on_from_its_checkpoint_to_the_same_weights(
    stop_at: int, keep: str, prior: str, tmp_path: Path
) -> None:
    """It is interrupted while the look of the given step is reported, before that look is kept; one look is where walks
    start anew.
    """
    settings, starts = replace(SETTINGS, keep=keep, prior=prior, restart=10), samples().roots
    whole, looks = learn_and_look(settings, starts=starts)

    def stop(_stage: str, step: int, **_figures: float) -> None:
        if step == stop_at:
            raise Stopped

    with pytest.raises(Stopped):
        learn(settings, checkpoint=tmp_path / "navigator", report=stop, starts=starts)
    resumed, later_looks = learn_and_look(settings, checkpoint=tmp_path / "navigator", starts=starts)
    assert later_looks == {step: figures for step, figures in looks.items() if step >= stop_at}
    assert same_weights(resumed.network, whole.network)
    assert (resumed.distance, resumed.transitions, resumed.updates) == (
        whole.distance,
        whole.transitions,
        whole.updates,
    )


def test_a_finished_run_is_not_run_again(tmp_path: Path) -> None:
    whole = learn(checkpoint=tmp_path / "navigator")
    again, looks = learn_and_look(checkpoint=tmp_path / "navigator")
    assert looks == {}
    assert same_weights(again.network, whole.network)


def test_a_checkpoint_of_another_network_is_told(tmp_path: Path) -> None:
    (tmp_path / "navigator").write_bytes(b"nothing of the kind")
    with pytest.raises(LenseError, match="damaged or no safetensors file"):
        learn(checkpoint=tmp_path / "navigator")
    from lense.walking.checkpoint import save_tensors

    save_tensors(tmp_path / "navigator", {"network:value.weight": torch.zeros(1, 128)})
    with pytest.raises(LenseError, match="does not belong to this model"):
        learn(checkpoint=tmp_path / "navigator")


def test_learning_leads_nearer_to_the_goal_than_no_learning() -> None:
    """Walks on the train graph, after five times as many steps as in the other tests, on average of three seeds."""
    settings, given = replace(SETTINGS, train_steps=100, test_steps=30, looks=5), (tensors(), trained().encoder)
    untrained = [dqn._Run(*given, trained().goal, samples().solution, settings, seed) for seed in range(3)]
    before = [run.look(run.network, None)["distance"] for run in untrained]
    after = [learn(settings, seed=seed).distance for seed in range(3)]
    assert np.mean(after) < 0.7 * np.mean(before)


def test_a_step_and_an_update_ask_nothing_of_a_device_that_is_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """And they are the steps that a processor takes."""
    near = new_run()
    monkeypatch.setattr(GraphTensors, "is_far", property(lambda _: True))
    far = new_run()
    for _ in range(10):
        near.walk_on()
        with NeverAsking():
            far.walk_on()
        assert torch.equal(near.info["roots"], far.info["roots"])
        assert float(near.epsilon) == float(far.epsilon)
    monkeypatch.setattr(far.optimiser, "step", lambda: None)  # Adam's count of steps is on the host
    with NeverAsking():
        far.learn()
    near.learn()
    torch.testing.assert_close(far.losses[-1], near.losses[-1], rtol=1e-3, atol=1e-5)


@needs_gpu
def test_a_gpu_is_not_waited_for_while_it_learns() -> None:
    """But for where walks start anew, and at looks."""
    encoder = copy.deepcopy(trained().encoder).cuda()
    run = dqn._Run(tensors("cuda"), encoder, trained().goal, samples().solution, SETTINGS, seed=0)
    for _ in range(10):
        run.walk_on()
    run.learn()
    with never_waiting():
        for _ in range(5):
            run.walk_on()
            run.learn()
    assert run.updates == 6


@needs_gpu
def test_a_gpu_learns_too_and_its_first_steps_are_those_of_the_cpu() -> None:
    encoder = copy.deepcopy(trained().encoder).cuda()
    far = dqn._Run(tensors("cuda"), encoder, trained().goal, samples().solution, SETTINGS, seed=0)
    near = new_run()
    for _ in range(5):  # all actions are random still, so that rounding cannot tell the walks apart
        near.walk_on()
        far.walk_on()
        assert torch.equal(near.info["roots"], far.info["roots"].cpu())
    navigator = train_navigator(tensors("cuda"), encoder, trained().goal, samples().solution, SETTINGS)
    assert navigator.updates == 40
    assert all(weight.device.type == "cuda" for weight in navigator.network.state_dict().values())
