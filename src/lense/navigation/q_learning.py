"""Deep Q-learning with guided exploration, top to bottom: the network, the replay, the training, and what it keeps."""

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lense._util.progress import progress
from lense._util.torch_device import on_device
from lense._util.types import Bools, Int64s
from lense.navigation.checkpoint import (
    load_module,
    load_tensors,
    optimiser_tensors,
    prefixed,
    restore_optimiser,
    save_tensors,
    without_prefix,
)
from lense.navigation.encoder import Encoder
from lense.navigation.environment import Observation, SubgraphWalks
from lense.navigation.looks import Ground, Judgement, Look, QSettings, kept_look, least_ratio, look_at, tempered
from lense.navigation.policies import separating_feature
from lense.navigation.q_network import QNetwork

BATCH = 128
LEARNING_RATE = 0.001
POLYAK = 0.0025
EPSILON_DECAY = 0.9995
LEAST_EPSILON = 0.01
REPLAY = 25_000
GAMMA = 0.995
MOST_SIDE_BY_SIDE = 10
LOOK_PATIENCE = 3

Report = Callable[..., None]


@dataclass(frozen=True)
class Navigator:
    """The policy that is kept, the look at it, and how much training there was.

    ``start`` is the look at the policy before it learnt anything, the gain in rank, if it started as that.
    """

    network: QNetwork
    look: Look
    start: Look | None
    transitions: int
    updates: int


def train_navigator(
    ground: Ground,
    encoder: Encoder,
    goal: Tensor,
    solution: Int64s,
    settings: QSettings,
    *,
    elsewhere: Ground | None = None,
    num_roots: int,
    seed: int = 0,
    checkpoint: Path | None = None,
    report: Report = lambda *_, **__: None,
) -> Navigator:
    """Learn Q by ``episodes`` walks of ``train_steps`` steps on the train graph, several of them side by side.

    The policy is looked at ``looks`` times: it walks greedily from fresh starts, and the ``ground`` says how good and
    how large the subgraphs are that it ends at. By these the setting ``keep`` chooses one that has learnt. Where it
    chooses by ratio, training ends as soon as three looks in a row were at policies that could not be kept: walks that
    come ever nearer to the goal of the map end at smaller subgraphs that are worse. A correction of the gain in rank is
    then also tried at smaller strengths, there and ``elsewhere``, and kept at one of them by the same rule: on a train
    graph that teaches little, few updates can already be too many. With a ``checkpoint``, a file written at each look,
    a run that was interrupted goes on to the same result.
    """
    run = NavigatorRun(ground, encoder, goal, solution, settings, num_roots, seed)
    if checkpoint is not None and checkpoint.exists():
        run.restore(checkpoint)
    total = run.rounds * settings.train_steps
    with progress("learning to walk", total) as advance:

        def look() -> None:
            figures = run.look()
            report("navigator", run.step, **figures)
            advance(0, noted(figures))
            if checkpoint is not None:
                run.save(checkpoint)

        advance(run.step)
        if settings.corrects_ranks and not run.looks:
            look()
        while run.step < total and not run.has_settled():
            run.walk_on()
            while run.updates_due():
                run.learn()
            advance(1)
            if run.looks_due(total):
                look()
        advance(total - run.step)
    return run.result(elsewhere)


def noted(figures: Mapping[str, float]) -> str:
    """Figures of a look as a note beside the progress bar."""
    return ", ".join(f"{name} {figures[name]:.3g}" for name in ("loss", "distance", "ratio") if name in figures)


def side_by_side(episodes: int) -> int:
    """How many episodes run at once: the largest number up to ten that divides the number of episodes."""
    return max(n for n in range(1, MOST_SIDE_BY_SIDE + 1) if episodes % n == 0)


def explore(
    allowed: Bools, guided: Bools, best: Int64s, epsilon: float, alpha: float, rng: np.random.Generator
) -> tuple[Int64s, Bools]:
    """Actions (B) by the guided exploration policy, and which of them were random.

    A random one of those ``allowed`` (B, M) with probability epsilon (1 - alpha), a random one of the ``guided`` pairs
    (B, M) with probability epsilon alpha where there are any, else the ``best`` (B).
    """
    chances = rng.random((2, best.size))
    is_random = chances[0] < epsilon
    follows = (chances[1] < alpha) & guided.any(axis=1)
    choices = np.where(follows[:, None], guided, allowed)
    at_random = np.where(choices, rng.random(choices.shape), -1.0).argmax(axis=1)
    return np.where(is_random, at_random, best), is_random


def progress_reward(before: Tensor, after: Tensor, scale: float) -> Tensor:
    """beta (d - d'): what a swap gained in distance to the goal.

    It is (1 - gamma) (r + gamma Phi(s') - Phi(s)) for the reward r = -beta d' and the potential Phi = -beta d /
    (1 - gamma), so that the best policies are the same (Ng, Harada and Russell 1999). But the values lie around 0 and
    set swaps apart, instead of saying mostly how far away the state is.
    """
    return scale * (before - after)


@torch.no_grad()
def polyak_step(target: nn.Module, online: nn.Module, share: float = POLYAK) -> None:
    """theta' <- (1 - share) theta' + share theta."""
    torch._foreach_lerp_(list(target.parameters()), list(online.parameters()), share)


class Replay:
    """The last transitions of B walks side by side, in a ring of rows of B states on the walks' device.

    The state after row i is row i + 1, so that no state is kept twice; the last state of an episode takes a row from
    which no action leads on. Of a state the few numbers are kept that determine the vectors of its candidates: a
    transition takes 4 (4 k + 1 / 4) M bytes for k vertex features and M actions.
    """

    _STATE = ("embedding", "leaving", "entering", "mask")

    def __init__(self, capacity: int, num_envs: int, max_steps: int, example: Observation) -> None:
        self.steps = max(1, capacity // num_envs)
        self.num_rows = self.steps + -(-self.steps // max_steps) + 1
        self.states = {name: example[name].new_empty((self.num_rows, *example[name].shape)) for name in self._STATE}
        device = example["embedding"].device
        self.actions = torch.zeros((self.num_rows, num_envs), dtype=torch.int64, device=device)
        self.rewards = torch.zeros((self.num_rows, num_envs), device=device)
        self.leading_on: list[int] = []
        self._newest = self._last_used = -1

    def __len__(self) -> int:
        """Transitions held."""
        return len(self.leading_on) * self.actions.shape[1]

    @property
    def capacity(self) -> int:
        """Transitions held at most: whole rows of what was asked for."""
        return self.steps * self.actions.shape[1]

    def start(self, observation: Observation) -> None:
        """The first state of new episodes."""
        self._newest = (self._newest + 1) % self.num_rows
        self._last_used = max(self._last_used, self._newest)
        for name in self._STATE:
            self.states[name][self._newest] = observation[name]

    def add(self, action: Tensor, reward: Tensor, observation: Observation) -> None:
        """What was done in the newest state, the reward, and the state it led to."""
        row = self._newest
        self.actions[row], self.rewards[row] = action, reward
        self.leading_on = [*self.leading_on[-self.steps + 1 :], row] if self.steps > 1 else [row]
        self.start(observation)

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Observation, Tensor, Observation]:
        """N random transitions: states, rewards and next states.

        Of the states themselves only the chosen pair is given, as (N, 1, 2k); of the next states all pairs.
        """
        rows = np.array(self.leading_on)[rng.integers(len(self.leading_on), size=size)]
        device = self.actions.device
        row = on_device(rows, device)
        env = on_device(rng.integers(self.actions.shape[1], size=size), device)
        action = self.actions[row, env]
        states = {"embedding": self.states["embedding"][row, env]}
        states |= {name: self.states[name][row, env, action].unsqueeze(1) for name in ("leaving", "entering")}
        after = (row + 1) % self.num_rows
        next_states = {name: self.states[name][after, env] for name in self._STATE}
        return states, self.rewards[row, env], next_states

    def state(self) -> dict[str, Tensor]:
        """All rows in use, for :meth:`restore`."""
        used = {name: rows[: self._last_used + 1] for name, rows in self._rows().items()}
        return {**used, "places": torch.tensor([self._newest, *self.leading_on])}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        for name, rows in self._rows().items():
            rows[: len(state[name])] = state[name]
        self._newest, *self.leading_on = state["places"].tolist()
        self._last_used = len(state["actions"]) - 1

    def _rows(self) -> dict[str, Tensor]:
        return {**self.states, "actions": self.actions, "rewards": self.rewards}


class NavigatorRun:
    """The state of one training: networks, replay, environment and counters."""

    def __init__(
        self,
        ground: Ground,
        encoder: Encoder,
        goal: Tensor,
        solution: Int64s,
        settings: QSettings,
        num_roots: int,
        seed: int,
    ) -> None:
        graph = ground.graph
        self.ground, self.encoder, self.goal = ground, encoder, goal.to(graph.device)
        self.settings, self.num_roots, self.seed = settings, num_roots, seed
        self.num_envs = side_by_side(settings.episodes)
        self.rounds = settings.episodes // self.num_envs
        self.environment = SubgraphWalks(
            graph,
            encoder,
            goal,
            num_roots=num_roots,
            num_envs=self.num_envs,
            max_steps=settings.train_steps,
            reward_scale=settings.reward_scale,
            solution=solution,
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            feature = separating_feature(graph.vertex_features, solution) if settings.corrects_ranks else None
            self.network = QNetwork.for_encoder(
                encoder, feature, graph.num_vertices, sees_subgraph=settings.sees_subgraph
            ).to(graph.device)
        self.target = copy.deepcopy(self.network).requires_grad_(False)
        self.optimiser = torch.optim.Adam([p for p in self.network.parameters() if p.requires_grad], lr=LEARNING_RATE)
        self.looks: list[Look] = []
        self.step, self.updates, self.epsilon = 0, 0, 1.0
        self.losses: list[Tensor] = []
        self.observation, self.info = self.environment.reset(seed=self._seed("episodes"))
        self.replay = Replay(REPLAY, self.num_envs, settings.train_steps, self.observation)
        self.replay.start(self.observation)

    def _seed(self, purpose: str) -> int:
        return int(np.random.SeedSequence([self.seed, *purpose.encode()]).generate_state(1)[0])

    def _rng(self, purpose: str, number: int) -> np.random.Generator:
        return np.random.default_rng([self._seed(purpose), number])

    def walk_on(self) -> None:
        """One step of every episode, into the replay; episodes whose time is up start again."""
        if self.step and self.step % self.settings.train_steps == 0:
            self.observation, self.info = self.environment.reset()
            self.replay.start(self.observation)
        with torch.no_grad():
            best = self.network.best(self.observation).cpu().numpy()
        offer, rng = self.info["offer"], self._rng("explore", self.step)
        actions, is_random = explore(
            offer.allowed, self.info["guided"], best, self.epsilon, self.settings.guidance, rng
        )
        before = self.info["distance"]
        self.observation, reward, _, _, self.info = self.environment.step(actions)
        if self.settings.shaped:
            reward = progress_reward(before, self.info["distance"], self.settings.reward_scale)
        self.step += 1
        chosen = on_device(actions, self.ground.graph.device)
        self.replay.add(chosen, reward, self.observation)
        self.epsilon = max(self.epsilon * EPSILON_DECAY ** int(is_random.sum()), LEAST_EPSILON)

    def updates_due(self) -> bool:
        """One update for every ``update_every`` transitions, once there are enough for a batch, or no room for more."""
        transitions = self.step * self.num_envs
        enough = len(self.replay) >= min(BATCH, self.replay.capacity)
        return enough and self.updates < transitions // self.settings.update_every

    def learn(self) -> None:
        """One step of Adam towards the Bellman targets of a random batch, and one of the target network."""
        states, rewards, after = self.replay.sample(BATCH, self._rng("replay", self.updates))
        with torch.no_grad():
            target = rewards + GAMMA * self._next_values(after)
        loss = nn.functional.mse_loss(self.network(states).squeeze(1), target)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        polyak_step(self.target, self.network)
        self.updates += 1
        self.losses.append(loss.detach())

    def _next_values(self, after: Observation) -> Tensor:
        """Q'(s', a') (N) of the allowed a' that is best by Q' itself."""
        values: Tensor = self.target(after)
        best = values.masked_fill(~after["mask"], -torch.inf).argmax(dim=-1, keepdim=True)
        return values.gather(-1, best).squeeze(-1)

    def looks_due(self, total: int) -> bool:
        """Look i of n is after (i / n)^2 of the steps: policies change most in the beginning."""
        passed, before = (math.isqrt(step * self.settings.looks**2 // total) for step in (self.step, self.step - 1))
        return passed > before

    def has_settled(self) -> bool:
        """Whether none of the last policies looked at could be kept."""
        last = [look for look in self.looks if look.updates][-LOOK_PATIENCE:]
        if self.settings.keep != "ratio" or len(last) < LOOK_PATIENCE:
            return False
        least = least_ratio(self.looks, self.settings.enough)
        return all(look.judged.ratio < least for look in last)

    def look(self) -> dict[str, float]:
        """Look at the policy as it is, and remember it; figures of it."""
        policy = copy.deepcopy(self.network).requires_grad_(False)
        seen = self._looked_at(policy, updates=self.updates)
        self.looks.append(seen)
        loss = {"loss": float(torch.stack(self.losses).mean())} if self.losses else {}
        self.losses = []
        figures = {"distance": seen.distance, "epsilon": self.epsilon, "updates": float(self.updates)}
        return {**loss, **figures, "steps": float(seen.steps), **seen.judged._asdict()}

    def _looked_at(self, policy: QNetwork, **facts: Any) -> Look:
        facts |= {"num_roots": self.num_roots, "seed": self._seed("looks")}
        return look_at(self.ground, self.encoder, self.goal, policy, self.settings, **facts)

    def result(self, elsewhere: Ground | None) -> Navigator:
        kept = kept_look(self.looks, self.settings)
        if self.settings.chooses_strength:
            judged = None if elsewhere is None else partial(self._judged_on, elsewhere)
            kept = tempered(kept, self.settings, self._looked_at, judged)
        start = self.looks[0] if self.settings.corrects_ranks else None
        return Navigator(kept.policy, kept, start, self.step * self.num_envs, self.updates)

    def _judged_on(self, ground: Ground, look: Look) -> Judgement:
        """What walks as long as those of a look come to on another graph."""
        (roots,) = ground.walked(
            look.policy, self.encoder, num_roots=self.num_roots, seed=self._seed("looks"), places=[look.steps]
        )
        return ground.judged(roots)

    def save(self, path: Path) -> None:
        looks = {
            name: tensor
            for number, look in enumerate(self.looks)
            for name, tensor in prefixed(f"look {number}", look.policy.state_dict()).items()
        }
        tensors = {
            **prefixed("network", self.network.state_dict()),
            **prefixed("target", self.target.state_dict()),
            **looks,
            **prefixed("optimiser", optimiser_tensors(self.optimiser)),
            **prefixed("replay", self.replay.state()),
            **prefixed("environment", self.environment.state),
        }
        facts = {
            "step": self.step,
            "updates": self.updates,
            "epsilon": self.epsilon,
            "looks": [(look.steps, look.distance, look.updates, *look.judged) for look in self.looks],
        }
        save_tensors(path, tensors, facts)

    def restore(self, path: Path) -> None:
        tensors, facts = load_tensors(path)
        for name, module in (("network", self.network), ("target", self.target)):
            load_module(module, without_prefix(name, tensors), path)
        restore_optimiser(self.optimiser, without_prefix("optimiser", tensors))
        self.replay.restore(without_prefix("replay", tensors))
        self.observation, self.info = self.environment.restore(without_prefix("environment", tensors))
        self.step, self.updates, self.epsilon = facts["step"], facts["updates"], facts["epsilon"]
        for number, (steps, distance, updates, *judged) in enumerate(facts["looks"]):
            policy = copy.deepcopy(self.target)
            load_module(policy, without_prefix(f"look {number}", tensors), path)
            self.looks.append(Look(steps, distance, Judgement(*judged), updates, policy))
