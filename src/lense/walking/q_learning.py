"""Deep Q-learning with guided exploration: learning to walk to the goal."""

import copy
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lense.progress import progress
from lense.torch_device import on_device
from lense.types import Int64s
from lense.walking.batches import GraphTensors
from lense.walking.checkpoint import (
    load_module,
    load_tensors,
    optimiser_tensors,
    prefixed,
    restore_optimiser,
    save_tensors,
    without_prefix,
)
from lense.walking.encoder import Encoder
from lense.walking.encoder_training import embed
from lense.walking.environment import Observation, SubgraphWalks
from lense.walking.looks import Judgement, Look, first_enough, kept_look, prior_policy
from lense.walking.q_network import FeatureGain, QNetwork, greedy, q_network
from lense.walking.random_numbers import keys_from, uniforms
from lense.walking.replay import Replay
from lense.walking.settings import Settings
from lense.walking.unmapped import roots_after
from lense.walking.walk import greedy_policy

log = logging.getLogger(__name__)

BATCH = 128
LEARNING_RATE = 0.001
POLYAK = 0.0025
EPSILON_DECAY = 0.9995
LEAST_EPSILON = 0.01
LOOK_STARTS = 5
LOOK_PLACES = 16
LONGEST_LOOK = 2
"""Steps for each root; by then all have been exchanged that will be."""


Report = Callable[..., None]
Judge = Callable[[Int64s], Judgement]


@dataclass(frozen=True)
class Navigator:
    """The policy that is kept and after how many ``steps`` to stop, the mean ``distance`` and ``ratio`` its walks on
    the train graph had then (the ratio is nan if nobody judged it), and how much it learnt from.
    """

    network: QNetwork | FeatureGain
    steps: int
    distance: float
    ratio: float
    transitions: int
    updates: int


def train_navigator(
    graph: GraphTensors,
    encoder: Encoder,
    goal: Tensor,
    solution: Int64s,
    settings: Settings,
    *,
    seed: int = 0,
    checkpoint: Path | None = None,
    report: Report = lambda *_, **__: None,
    judge: Judge | None = None,
    starts: Int64s | None = None,
) -> Navigator:
    """Learn Q by ``episodes`` walks of ``train_steps`` steps on the train graph, several of them side by side.

    Every ``restart`` steps they start anew, each from random roots or, with probability epsilon, from one of the root
    sets ``starts`` (N, M), if there are any. A walk soon stands near the goal; if it only went on from there, the way
    to the goal would be forgotten, and where the map is flat around random roots, never be found.

    The policy is looked at ``looks`` times: it walks greedily from fresh starts, and ``judge`` tells how good and how
    large the subgraphs are that it ends at. By these the setting ``keep`` chooses one; without a judge, the nearest to
    the goal. Where it chooses by ratio, walks also stop as soon as theirs is ``enough``, or at the end of the look:
    every swap after that makes the subgraph larger for little. Unless the ``prior`` is "never", there is one look more
    before anything is learnt, at the policy that gains most in the feature that tells the solution best.
    With a ``checkpoint``, a file written at each look, a run that was interrupted goes on to the same result.
    """
    run = _Run(graph, encoder, goal, solution, settings, seed, starts)
    if checkpoint is not None and checkpoint.exists():
        run.restore(checkpoint)
    total = run.rounds * settings.train_steps
    with progress("learning to walk", total) as advance:

        def look(policy: QNetwork | FeatureGain) -> None:
            figures = run.look(policy, judge)
            report("navigator", run.step, **figures)
            advance(0, noted(figures))
            if checkpoint is not None:
                run.save(checkpoint)

        advance(run.step)
        if run.prior is not None and not run.looks:
            look(run.prior)
        for _ in range(run.step, total):
            run.walk_on()
            while run.updates_due():
                run.learn()
            advance(1)
            if run.looks_due(total):
                look(run.network)
    return run.result()


_UNJUDGED = Judgement(math.nan, math.nan)


def _mean(judged: Sequence[Judgement]) -> Judgement:
    return Judgement(*np.mean(judged, axis=0).tolist())


def noted(figures: Mapping[str, float]) -> str:
    """Figures of a look as a note beside the progress bar."""
    return ", ".join(f"{name} {figures[name]:.3g}" for name in ("loss", "distance", "ratio") if name in figures)


def side_by_side(settings: Settings) -> int:
    """How many episodes run at once: the largest number up to the setting that divides the number of episodes."""
    return max(n for n in range(1, settings.side_by_side + 1) if settings.episodes % n == 0)


def explore(
    observation: Observation, guided: Tensor, values: Tensor, lots: Tensor, epsilon: Tensor | float, alpha: float
) -> tuple[Tensor, Tensor]:
    """Actions (B) by the guided exploration policy, and which of them were random.

    A random one from all allowed pairs with probability epsilon (1 - alpha), a random one of the ``guided`` pairs
    (B, M) with probability epsilon alpha where there are any, else the one of largest value, by ``lots`` (B, M + 2).
    """
    mask = observation["mask"]
    is_random = lots[:, 0] < epsilon
    follows = (lots[:, 1] < alpha) & guided.any(dim=1)
    choices = torch.where(follows.unsqueeze(1), guided, mask)
    at_random = lots[:, 2:].masked_fill(~choices, -1.0).argmax(dim=1)
    return torch.where(is_random, at_random, greedy(values, mask)), is_random


def progress_reward(before: Tensor, after: Tensor, scale: float) -> Tensor:
    """beta (d - d'): what a swap gained in distance to the goal.

    It is (1 - gamma) (r + gamma Phi(s') - Phi(s)) for the reward r = -beta d' and the potential Phi = -beta d /
    (1 - gamma), so that the best policies are the same (Ng, Harada and Russell 1999). But the values lie around 0 and
    tell swaps apart, instead of telling mostly how far away the state is.
    """
    return scale * (before - after)


def bellman_target(rewards: Tensor, values: Tensor, ends: Tensor, *, gamma: float, bootstrap_end: bool) -> Tensor:
    """r + gamma Q(s', a'); where time was up there is no Q(s', a') unless ``bootstrap_end``."""
    goes_on = torch.ones_like(rewards) if bootstrap_end else (~ends).to(rewards.dtype)
    return rewards + gamma * goes_on * values


@torch.no_grad()
def polyak_step(target: nn.Module, online: nn.Module, share: float = POLYAK) -> None:
    """theta' <- (1 - share) theta' + share theta."""
    for old, new in zip(target.parameters(), online.parameters(), strict=True):
        old.lerp_(new, share)


class _Run:
    """The state of one training: networks, replay, environment and counters."""

    def __init__(
        self,
        graph: GraphTensors,
        encoder: Encoder,
        goal: Tensor,
        solution: Int64s,
        settings: Settings,
        seed: int,
        starts: Int64s | None = None,
    ) -> None:
        self.settings, self.seed, self.encoder, self.starts = settings, seed, encoder, starts
        self.num_envs = side_by_side(settings)
        self.rounds = settings.episodes // self.num_envs
        self.walk_steps = min(settings.train_steps, settings.restart)
        options: dict[str, Any] = {"num_roots": settings.roots, "reward_scale": settings.reward_scale}
        self.environment = SubgraphWalks(
            graph, encoder, goal, num_envs=self.num_envs, max_steps=self.walk_steps, solution=solution, **options
        )
        longest = min(settings.test_steps, LONGEST_LOOK * settings.roots)
        self.look_places = sorted({-(-longest * place // LOOK_PLACES) for place in range(1, LOOK_PLACES + 1)})
        self.look_environment = SubgraphWalks(
            graph, encoder, goal, num_envs=LOOK_STARTS, max_steps=longest, embeds=settings.sees_subgraph, **options
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = q_network(settings).to(graph.device)
        self.prior = None if settings.prior == "never" else prior_policy(graph, solution)
        self.target = copy.deepcopy(self.network).requires_grad_(False)
        self.looks: list[Look] = []
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=LEARNING_RATE)
        self.keys = keys_from([self._seed("explore") + i for i in range(self.num_envs)], graph.device)
        self.draws = keys_from([self._seed("rows"), self._seed("walks")], graph.device)
        self.step, self.updates = 0, 0
        # on the device, which would otherwise have to be waited for at each step
        self.epsilon = torch.ones((), dtype=torch.float64, device=graph.device)
        self.decays = on_device(np.array([EPSILON_DECAY**count for count in range(self.num_envs + 1)]), graph.device)
        self.losses: list[Tensor] = []
        self.observation, self.info = self._started(self._seed("episodes"))
        self.replay = Replay(settings.replay, self.num_envs, self.walk_steps, self.observation)
        self.replay.start(self.observation)

    def _seed(self, purpose: str) -> int:
        return int(np.random.SeedSequence([self.seed, *purpose.encode()]).generate_state(1)[0])

    def _started(self, seed: int | None = None) -> tuple[Observation, dict[str, Any]]:
        """All walks at their beginnings, some of them at one of the ``starts``."""
        observation, info = self.environment.reset(seed=seed)
        if self.starts is None:
            return observation, info
        rng = np.random.default_rng([self.seed, 4, self.step])
        given = torch.from_numpy(self.starts[rng.integers(len(self.starts), size=self.num_envs)])
        is_given = torch.from_numpy(rng.random(self.num_envs) < float(self.epsilon))
        roots = torch.where(is_given.unsqueeze(1), given, info["roots"].cpu())
        return self.environment.reset(seed=self.environment.seeds, options={"roots": roots})

    def walk_on(self) -> None:
        """One step of every episode, into the replay; episodes whose time is up start anew."""
        if self.step and self.step % self.walk_steps == 0:
            self.observation, self.info = self._started()
            self.replay.start(self.observation)
        lots = uniforms(self.keys, self.step, self.settings.roots + 2)
        with torch.no_grad():
            values = self._values(self.network, self.observation)
        actions, is_random = explore(
            self.observation, self.info["guided"], values, lots, self.epsilon, self.settings.guidance
        )
        before = self.info["distance"]
        self.observation, reward, _, _, self.info = self.environment.step(actions)
        if self.settings.shaped:
            reward = progress_reward(before, self.info["distance"], self.settings.reward_scale)
        self.step += 1
        ended = self.step % self.walk_steps == 0
        self.replay.add(actions, reward, self.observation, ended=ended)
        self.epsilon = (self.epsilon * self.decays.take(is_random.sum())).clamp(min=LEAST_EPSILON)

    def updates_due(self) -> bool:
        """One update for every ``update_every`` transitions, once there are enough for a batch, or no room for more."""
        transitions = self.step * self.num_envs
        enough = len(self.replay) >= min(BATCH, self.replay.capacity)
        return enough and self.updates < transitions // self.settings.update_every

    def learn(self) -> None:
        """One step of Adam towards the Bellman targets of a random batch, and one of the target network."""
        states, _, rewards, after, ends = self.replay.sample(uniforms(self.draws, self.updates, BATCH))
        with torch.no_grad():
            target = bellman_target(
                rewards,
                self._next_values(after),
                ends,
                gamma=self.settings.gamma,
                bootstrap_end=self.settings.bootstrap_end,
            )
        value = self._values(self.network, states).squeeze(1)
        loss = nn.functional.huber_loss(value, target) if self.settings.huber else nn.functional.mse_loss(value, target)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        polyak_step(self.target, self.network)
        self.updates += 1
        self.losses.append(loss.detach())

    def _next_values(self, after: Observation) -> Tensor:
        """Q'(s', a') with a' the best by Q' itself, or by Q in double Q-learning."""
        chooser = self.network if self.settings.double_q else self.target
        best = greedy(self._values(chooser, after), after["mask"]).view(-1, 1, 1)
        pair = {name: after[name].take_along_dim(best, dim=1) for name in ("leaving", "entering")}
        return self._values(self.target, {"embedding": after["embedding"], **pair}).squeeze(1)

    def _values(self, network: QNetwork, observation: Observation) -> Tensor:
        leaving = self.encoder.vertex_vectors(observation["leaving"])
        entering = self.encoder.vertex_vectors(observation["entering"])
        values: Tensor = network(observation["embedding"], leaving, entering)
        return values

    def looks_due(self, total: int) -> bool:
        """Look i of n is after (i / n)^2 of the steps: policies change most in the beginning."""
        passed, before = (math.isqrt(step * self.settings.looks**2 // total) for step in (self.step, self.step - 1))
        return passed > before

    def look(self, policy: QNetwork | FeatureGain, judge: Judge | None) -> dict[str, float]:
        """Walk greedily from fresh starts on the train graph, and remember the policy as it is; figures of it."""
        acts = greedy_policy(policy, self.encoder)
        met = roots_after(self.look_environment, acts, self._seed("looks"), self.look_places)
        place, judged = self._judged(met, judge)
        ends = embed(self.encoder, self.environment.graph, met[place])
        distance = float((ends - self.environment.goal.cpu()).norm(dim=1).mean())
        # by ratio, policies are compared by the subgraphs they have there, so there their walks stop
        steps = self.look_places[place] if self.settings.keep == "ratio" else self.settings.test_steps
        self.looks.append(Look(steps, distance, judged, copy.deepcopy(policy)))
        loss = {"loss": float(torch.stack(self.losses).mean())} if self.losses else {}
        self.losses = []
        figures = {**loss, "distance": distance, "epsilon": float(self.epsilon), "updates": float(self.updates)}
        return figures if judge is None else {**figures, "steps": float(steps), **judged._asdict()}

    def _judged(self, met: Int64s, judge: Judge | None) -> tuple[int, Judgement]:
        """At which of the places walks that met these roots (P, B, M) are to stop, and what they have there."""
        last = len(met) - 1
        if judge is None:
            return last, _UNJUDGED
        judged = cache(lambda place: _mean([judge(roots) for roots in met[place]]))
        place = first_enough(judged, len(met), self.settings.enough) if self.settings.keep == "ratio" else last
        return place, judged(place)

    def result(self) -> Navigator:
        kept = kept_look(self.looks, self.settings)
        network = kept.policy.requires_grad_(False)
        return Navigator(network, kept.steps, kept.distance, kept.judged.ratio, self.step * self.num_envs, self.updates)

    def save(self, path: Path) -> None:
        tensors = {
            **prefixed("network", self.network.state_dict()),
            **prefixed("target", self.target.state_dict()),
            **{
                name: tensor
                for number, look in enumerate(self.looks)
                for name, tensor in prefixed(f"look {number}", look.policy.state_dict()).items()
            },
            **prefixed("optimiser", optimiser_tensors(self.optimiser)),
            **prefixed("replay", self.replay.state()),
            **prefixed("environment", self.environment.state),
        }
        facts = {
            "step": self.step,
            "updates": self.updates,
            "epsilon": float(self.epsilon),
            "looks": [(look.steps, look.distance, *look.judged) for look in self.looks],
        }
        save_tensors(path, tensors, facts)

    def restore(self, path: Path) -> None:
        tensors, facts = load_tensors(path)
        for name, module in (("network", self.network), ("target", self.target)):
            load_module(module, without_prefix(name, tensors), path)
        restore_optimiser(self.optimiser, without_prefix("optimiser", tensors))
        self.replay.restore(without_prefix("replay", tensors))
        self.observation, self.info = self.environment.restore(without_prefix("environment", tensors))
        self.step, self.updates = facts["step"], facts["updates"]
        self.epsilon = torch.full_like(self.epsilon, facts["epsilon"])
        for number, (steps, distance, *judged) in enumerate(facts["looks"]):
            policy = copy.deepcopy(self.network if self.prior is None or number else self.prior)
            load_module(policy, without_prefix(f"look {number}", tensors), path)
            self.looks.append(Look(steps, distance, Judgement(*judged), policy))
