"""Deep Q-learning with guided exploration, top to bottom: the network, the replay, and the training loop."""

import copy
import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from lense._util.options import check_ranges
from lense._util.progress import progress
from lense._util.torch_device import on_device
from lense._util.types import Bools, Int64s
from lense.errors import choose
from lense.navigation.checkpoints import arrays_of, restore_checkpoint, save_checkpoint
from lense.navigation.encoder import Encoder, Report
from lense.navigation.environment import Offer, Policy, RootSets, follow, rewards, separating_feature
from lense.navigation.inference import HIDDEN, QValues
from lense.navigation.policy_evaluation import (
    KEEPS,
    Evaluator,
    Judgement,
    Observation,
    PolicyEvaluation,
    has_settled,
    kept_policy,
    stream_seed,
    tempered,
)

Step = TypeVar("Step", int, Int64s)

BATCH = 128
LEARNING_RATE = 0.001
POLYAK = 0.0025
EPSILON_DECAY = 0.9995
LEAST_EPSILON = 0.01
REPLAY = 25_000
GAMMA = 0.995
MOST_SIDE_BY_SIDE = 10
SHOWN = ("loss", "distance", "ratio")
"""The figures of an evaluation that the progress bar shows."""


@dataclass(frozen=True, kw_only=True)
class QSettings:
    """How walks are learnt. The paper's symbols: ``train_steps`` and ``test_steps`` T, ``episodes`` N', ``guidance``
    alpha, ``update_every`` c, ``reward_scale`` beta.

    ``shaped``: rewards are what a swap gains. ``corrects_ranks``: the network starts as the gain in rank and learns
    what to add. ``sees_subgraph``: it judges a swap by the subgraph too. ``evaluations``: those during training, of
    which ``keep`` chooses one (see ``KEEPS``). Kept by ratio, walks stop where the ratio is ``enough``.
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
    evaluations: int = 10
    test_steps: int = 300

    def __post_init__(self) -> None:
        counts = {"train_steps": (1, 1e9), "episodes": (1, 1e6), "update_every": (1, 1e9), "evaluations": (1, 1e4)}
        bounded = {"guidance": (0, 1), "reward_scale": (1e-6, 1e6), "enough": (0, 2), "test_steps": (0, 1e9)}
        check_ranges(self, {**counts, **bounded})
        choose(self.keep, KEEPS, "policy to keep")

    @property
    def side_by_side(self) -> int:
        """Episodes that run at once: the largest divisor of their number up to ten."""
        return max(n for n in range(1, MOST_SIDE_BY_SIDE + 1) if self.episodes % n == 0)

    @property
    def steps(self) -> int:
        """Steps of all walks side by side."""
        return self.episodes // self.side_by_side * self.train_steps

    @property
    def evaluated_at(self) -> list[int]:
        """Evaluation i of n is after (i / n)^2 of the steps: policies change most at first. 0 is the gain in rank."""
        first = 0 if self.corrects_ranks else 1
        last = self.evaluations
        return sorted({-(-self.steps * i**2 // last**2) for i in range(first, last + 1)})

    @property
    def chooses_strength(self) -> bool:
        """Whether the correction is also tried at smaller strengths."""
        return self.corrects_ranks and self.keep == "ratio"


class QNetwork(nn.Module):
    """Q(S, v, u) = e^a g(v, u) + h(S, v, u): the gain in rank, and what is learnt to add to it.

    h has a layer of 128 for the subgraph S (d), if it ``sees_subgraph``, and for the vectors of v and u in the
    encoder's first layer (d'), which training leaves alone; then three layers for their concatenation.

    With x = log(n / r) / log n the rank of a vertex by the ``feature`` that separates the solution best, g(v, u) =
    sign(G) log(1 + |G|) / log n for G = n / r_u - n / r_v, so the first vertices count for far more than all others.
    h is 0 and a is 0 before training. Without a ``feature``, Q is h alone, as in the paper.
    """

    feature: Tensor
    steepness: Tensor

    def __init__(
        self, encoder: Encoder, feature: int | None = None, num_vertices: int = 2, *, sees_subgraph: bool = False
    ) -> None:
        super().__init__()
        weight, bias = encoder.first_layer
        vertex_dim, num_numbers = weight.shape
        self.vectors = nn.Linear(num_numbers, vertex_dim).requires_grad_(False)
        self.subgraph = nn.Linear(encoder.output.out_features, HIDDEN) if sees_subgraph else None
        self.leaving = nn.Linear(vertex_dim, HIDDEN)
        self.entering = nn.Linear(vertex_dim, HIDDEN)
        self.joint = nn.Linear((3 if sees_subgraph else 2) * HIDDEN, HIDDEN)
        self.hidden = nn.Linear(HIDDEN, HIDDEN)
        self.value = nn.Linear(HIDDEN, 1)
        self.vectors.load_state_dict({"weight": weight, "bias": bias})
        self.corrects_ranks = feature is not None
        if feature is not None:
            nn.init.zeros_(self.value.weight)
            nn.init.zeros_(self.value.bias)
            self.scale = nn.Parameter(torch.zeros(()))
            self.register_buffer("feature", torch.tensor(feature))
            self.register_buffer("steepness", torch.tensor(math.log(max(num_vertices, 2))))

    def in_numpy(self) -> QValues:
        return QValues({name: array.copy() for name, array in arrays_of(self.state_dict()).items()})

    def forward(self, observation: Mapping[str, Tensor]) -> Tensor:
        """Values (..., M) of an observation's swaps."""
        leaving, entering = observation["leaving"], observation["entering"]
        # the concatenation times a matrix is the sum of its parts; the subgraph's is the same for all swaps
        *of_subgraph, of_leaving, of_entering = torch.split(self.joint.weight, HIDDEN, dim=1)
        joint = nn.functional.linear(self.leaving(self.vectors(leaving)).relu(), of_leaving, self.joint.bias)
        joint = joint + nn.functional.linear(self.entering(self.vectors(entering)).relu(), of_entering)
        if self.subgraph is not None:
            seen = self.subgraph(observation["embedding"]).relu()
            joint = joint + nn.functional.linear(seen, *of_subgraph).unsqueeze(-2)
        values: Tensor = self.value(self.hidden(joint.relu()).relu()).squeeze(-1)
        if not self.corrects_ranks:
            return values
        after, before = (x.index_select(-1, self.feature.view(1)).squeeze(-1) for x in (entering, leaving))
        gain = (self.steepness * after).exp() - (self.steepness * before).exp()
        return values + self.scale.exp() * (gain.sign() * gain.abs().log1p() / self.steepness)

    def best(self, observation: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        """The largest value (...) of an action that the ``mask`` (..., M) allows, and that action."""
        values: Tensor = self(observation)
        best = values.masked_fill(~observation["mask"], -torch.inf).argmax(dim=-1, keepdim=True)
        return values.gather(-1, best).squeeze(-1), best.squeeze(-1)


class Replay:
    """The last transitions of B walks side by side, in a ring of rows of B states on the walks' device.

    An episode of T steps takes T + 1 rows: the state after that of a row is in the next row. Swaps are kept as their
    4 k numbers, so a transition takes 4 (4 k + 1 / 4) M bytes.
    """

    def __init__(self, capacity: int, num_envs: int, max_steps: int) -> None:
        self.num_envs, self.max_steps, self.steps = num_envs, max_steps, max(1, capacity // num_envs)
        self.num_rows = self.steps + -(-self.steps // max_steps) + 1
        self.capacity = self.steps * num_envs  # whole rows
        self.step = 0
        self.rows: dict[str, Tensor] = {}

    def __len__(self) -> int:
        return min(self.step, self.steps) * self.num_envs

    def row(self, step: Step) -> Step:
        """Where the state is that a step begins with."""
        return (step + step // self.max_steps) % self.num_rows

    def start(self, observation: Observation) -> None:
        self._write(self.row(self.step), observation)

    def add(self, action: Tensor, reward: Tensor, observation: Observation) -> None:
        row = self.row(self.step)
        self._write(row, {"actions": action, "rewards": reward})
        self._write((row + 1) % self.num_rows, observation)
        self.step += 1

    def _write(self, row: int, values: Mapping[str, Tensor]) -> None:
        for name, value in values.items():
            if name not in self.rows:  # zeros, since a checkpoint holds finite numbers alone
                self.rows[name] = value.new_zeros((self.num_rows, *value.shape))
            self.rows[name][row] = value

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Observation, Tensor, Observation]:
        """N random transitions: states with the chosen pair alone (N, 1, 2k), rewards, and next states."""
        device = self.rows["actions"].device
        stored = min(self.step, self.steps)
        row = on_device(self.row(self.step - stored + rng.integers(stored, size=size)), device)
        env = on_device(rng.integers(self.num_envs, size=size), device)
        action, after = self.rows["actions"][row, env], (row + 1) % self.num_rows
        states = {"embedding": self.rows["embedding"][row, env]}
        states |= {name: self.rows[name][row, env, action].unsqueeze(1) for name in ("leaving", "entering")}
        next_states = {name: self.rows[name][after, env] for name in ("embedding", "leaving", "entering", "mask")}
        return states, self.rows["rewards"][row, env], next_states

    def state(self) -> dict[str, Tensor]:
        used = self.step + self.step // self.max_steps + 1
        return {name: rows[:used] for name, rows in self.rows.items()}

    def restore(self, state: Mapping[str, Tensor], step: int, device: torch.device) -> None:
        self.step = step
        for name, used in state.items():
            self.rows[name] = used.new_zeros((self.num_rows, *used.shape[1:]), device=device)
            self.rows[name][: len(used)] = used


def explore(
    allowed: Bools, guided: Bools, best: Int64s, epsilon: float, alpha: float, rng: np.random.Generator
) -> tuple[Int64s, Bools]:
    """Actions (B) by guided exploration, and which of them were random.

    A random one of the ``allowed`` pairs (B, M) with probability epsilon (1 - alpha), a random one of the ``guided``
    (B, M) with probability epsilon alpha where there are any, else the ``best`` (B).
    """
    chances = rng.random((2, best.size))
    is_random = chances[0] < epsilon
    follows = (chances[1] < alpha) & guided.any(axis=1)
    choices = np.where(follows[:, None], guided, allowed)
    at_random = np.where(choices, rng.random(choices.shape), -1.0).argmax(axis=1)
    return np.where(is_random, at_random, best), is_random


def update(
    network: QNetwork,
    target: QNetwork,
    optimiser: torch.optim.Optimizer,
    batch: tuple[Observation, Tensor, Observation],
) -> Tensor:
    """Take a step of Adam towards the Bellman targets of a batch, and one of the target network; return the loss.

    Every target bootstraps: a time limit is no terminal state.
    """
    states, earned, after = batch
    with torch.no_grad():
        wanted = earned + GAMMA * target.best(after)[0]
    loss = nn.functional.mse_loss(network(states).squeeze(1), wanted)
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimiser.step()
    with torch.no_grad():  # theta' <- (1 - tau) theta' + tau theta
        torch._foreach_lerp_(list(target.parameters()), list(network.parameters()), POLYAK)
    return loss.detach()


def follow_episodes(
    evaluator: Evaluator, policy: Policy, seed: int, step: int = 0, begun: Int64s | None = None
) -> Iterator[Offer]:
    """The offers of all episodes, several side by side, from a step on at which the walks have the roots ``begun``."""
    settings, length = evaluator.settings, evaluator.settings.train_steps
    for number in range(step // length, settings.steps // length):
        first, done = stream_seed(seed, "episodes") + number * settings.side_by_side, max(step - number * length, 0)
        sets = RootSets(
            evaluator.graph.rows,
            evaluator.graph.vertex_features,
            range(first, first + settings.side_by_side),
            evaluator.num_roots,
            starts=begun if done else None,
            step=done,
        )
        yield from follow(sets, policy, length)


@dataclass(frozen=True)
class Navigator:
    """The evaluations of the policy that is kept and of the gain in rank that it started as, if it did."""

    kept: PolicyEvaluation
    start: PolicyEvaluation | None
    transitions: int
    updates: int


def train_navigator(
    evaluator: Evaluator,
    solution: Int64s,
    *,
    elsewhere: Evaluator | None = None,
    seed: int = 0,
    checkpoint: Path | None = None,
    report: Report = lambda *_, **__: None,
) -> Navigator:
    """Learn Q by ``episodes`` walks of ``train_steps`` steps on the evaluator's graph, several of them side by side.

    The correction of the gain in rank that is kept is also tried at smaller strengths, there and ``elsewhere``: on a
    train graph that teaches little, few updates can already be too many. With a ``checkpoint``, a file written at each
    evaluation, an interrupted run continues to the same result.
    """
    graph, settings = evaluator.graph, evaluator.settings
    is_solution = np.isin(np.arange(graph.num_vertices), solution)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        feature = separating_feature(graph.vertex_features, solution) if settings.corrects_ranks else None
        network = QNetwork(evaluator.encoder, feature, graph.num_vertices, sees_subgraph=settings.sees_subgraph)
    network = network.to(graph.device)
    target = copy.deepcopy(network).requires_grad_(False)
    optimiser = torch.optim.Adam([p for p in network.parameters() if p.requires_grad], lr=LEARNING_RATE)
    replay = Replay(REPLAY, settings.side_by_side, settings.train_steps)
    evaluations: list[PolicyEvaluation] = []
    losses: list[Tensor] = []
    step, updates, epsilon, begun = 0, 0, 1.0, None
    if checkpoint is not None and checkpoint.exists():
        groups, facts = restore_checkpoint(checkpoint, network, optimiser)
        target.load_state_dict(groups["target"])
        step, updates, epsilon = facts["step"], facts["updates"], facts["epsilon"]
        replay.restore(groups["replay"], step, graph.device)
        begun = groups["walks"]["roots"].numpy()
        for number, (steps, mean_distance, learnt, *judged) in enumerate(facts["evaluations"]):
            policy = QValues(arrays_of(groups[f"policy {number}"]))
            evaluations.append(PolicyEvaluation(steps, mean_distance, Judgement(*judged), learnt, policy))

    state: Observation = {}
    distance, actions, is_start = torch.empty(0), np.empty(0, np.int64), True

    def rng(stream: str, number: int) -> np.random.Generator:
        return np.random.default_rng([stream_seed(seed, stream), number])

    def act(offer: Offer) -> Int64s:
        """Explore from the state that was observed last."""
        nonlocal actions, epsilon
        with torch.no_grad():
            best = network.best(state)[1].cpu().numpy()
        guided = offer.allowed & is_solution[offer.candidates] & ~is_solution[offer.roots]
        actions, is_random = explore(offer.allowed, guided, best, epsilon, settings.guidance, rng("explore", step))
        epsilon = max(epsilon * EPSILON_DECAY ** int(is_random.sum()), LEAST_EPSILON)
        return actions

    with progress("learning to walk", settings.steps) as advance:
        advance(step)
        for offer in follow_episodes(evaluator, act, seed, step, begun):
            before, (state, distance) = distance, evaluator.observe(offer)
            if is_start:
                replay.start(state)
            else:
                reward = rewards(before, distance, settings.reward_scale, settings.shaped)
                replay.add(on_device(actions, graph.device), reward, state)
                step += 1
                advance(1)
            is_start = offer.step == settings.train_steps

            # one update for so many transitions, once there are enough for a batch, or no room for more
            is_enough = len(replay) >= min(BATCH, replay.capacity)
            while is_enough and updates < step * settings.side_by_side // settings.update_every:
                losses.append(update(network, target, optimiser, replay.sample(BATCH, rng("replay", updates))))
                updates += 1

            if len(evaluations) < bisect_right(settings.evaluated_at, step):
                seen = evaluator.evaluate(network.in_numpy(), updates=updates)
                evaluations.append(seen)
                figures = {"loss": float(torch.stack(losses).mean())} if losses else {}
                figures |= {"distance": seen.distance, "epsilon": epsilon, "updates": float(updates)}
                figures |= {"steps": float(seen.steps), **seen.judged._asdict()}
                report("navigator", step, **figures)
                advance(0, ", ".join(f"{name} {figures[name]:.3g}" for name in SHOWN if name in figures))
                losses.clear()
                if checkpoint is not None:
                    policies = {f"policy {number}": one.policy.weights for number, one in enumerate(evaluations)}
                    modules = {"network": network.state_dict(), "target": target.state_dict()}
                    memory: dict[str, Mapping[str, Any]] = {"replay": replay.state(), "walks": {"roots": offer.roots}}
                    found = [(one.steps, one.distance, one.updates, *one.judged) for one in evaluations]
                    counts = {"step": step, "updates": updates, "epsilon": epsilon, "evaluations": found}
                    save_checkpoint(checkpoint, {**modules, **policies, **memory}, optimiser, counts)
            if has_settled(evaluations, settings):
                break
        advance(settings.steps - step)

    kept = kept_policy(evaluations, settings)
    if settings.chooses_strength:
        kept = tempered(kept, settings, evaluator.evaluate, None if elsewhere is None else elsewhere.judge_again)
    start = evaluations[0] if settings.corrects_ranks else None
    return Navigator(kept, start, step * settings.side_by_side, updates)
