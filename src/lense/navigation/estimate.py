"""What a training of LeNSE will take here, by timing a little of each of its stages on the train graph itself."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
import torch

from lense._util.progress import reporting_to, silent
from lense._util.threads import num_threads
from lense._util.torch_device import torch_threads
from lense._util.types import Int64s
from lense.graph import Graph
from lense.graph.subgraph import subgraph
from lense.navigation.encoder_training import EncoderRun
from lense.navigation.labels import calibration_runs
from lense.navigation.looks import Ground, Judgement
from lense.navigation.q_learning import NavigatorRun, side_by_side
from lense.navigation.settings import Settings
from lense.navigation.training import train_tensors
from lense.problems import Problem
from lense.problems.parts import solve_part

_SETS = 16
"""Random root sets that are looked at."""
_DRAWS_PER_SAMPLE = 1.3
"""Some of the root sets that are drawn fall into a class that is full already."""
_STEPS = 12
_TEMPERINGS = 4
"""Looks after the last one, at weaker corrections."""


@dataclass(frozen=True)
class Pace:
    """Seconds that this machine takes for the pieces of a training: a labelled subgraph, a sample of the encoder to
    learn from and to look at, a step of all walks, an update, and a look at a policy. ``spent`` is what timing took."""

    label: float
    learn: float
    check: float
    step: float
    update: float
    look: float
    spent: float

    def seconds(self, settings: Settings) -> float:
        """About what a training takes; it may end early, and then takes less."""
        labels, encoder, walks = settings.labels, settings.encoder, settings.q_learning
        classes = len(labels.cutoffs) + 1
        samples = classes * labels.samples_per_class
        solved = _DRAWS_PER_SAMPLE * samples + calibration_runs(classes)
        envs = side_by_side(walks.episodes)
        steps = walks.episodes // envs * walks.train_steps
        looks = walks.looks + 1 + (_TEMPERINGS if walks.chooses_strength else 0)
        return (
            solved * self.label
            + encoder.epochs * samples * (0.8 * self.learn + 0.2 * self.check)
            + steps * self.step
            + steps * envs / walks.update_every * self.update
            + looks * self.look
        )


def training_pace(
    problem: Problem, graph: Graph, budget: float, settings: Settings, *, seed: int = 0, device: torch.device
) -> Pace:
    """The pace of trainings with as many roots as ``settings`` have, on a prepared train graph."""
    begun, rng = perf_counter(), np.random.default_rng([seed, 0x45])
    roots = min(settings.labels.roots, graph.num_vertices - 1)
    sets: Int64s = np.stack([rng.choice(graph.num_vertices, roots, replace=False) for _ in range(_SETS)])
    sets.sort(axis=1)
    everyone = np.arange(_SETS)

    def label() -> None:
        solve_part(problem, graph, subgraph(graph, sets[0]), budget, np.random.default_rng(0))

    with reporting_to(silent), torch_threads(1):
        solution = problem.search(graph, budget, np.random.default_rng(seed)).indices
        tensors = train_tensors(problem, graph, settings, device)
        encoding = EncoderRun(tensors, sets, everyone % 2, settings.encoder, seed)
        learn, check = (_timed(partial(work, everyone)) / _SETS for work in (encoding.learn, encoding.look))
        goal = torch.zeros(settings.encoder.embedding_dim, device=device)
        walking = NavigatorRun(
            Ground(tensors, _worth_nothing), encoding.best_encoder(), goal, solution, settings.q_learning, roots, seed
        )
        step = _timed(walking.walk_on, times=_STEPS)
        while not walking.updates_due():
            walking.walk_on()
        update = _timed(walking.learn)
        looked = perf_counter()
        walking.look()
        look = perf_counter() - looked
        solved = _timed(label) / num_threads()
    return Pace(solved, learn, check, step, update, look, perf_counter() - begun)


def _worth_nothing(_roots: Int64s) -> Judgement:
    return Judgement(0.0, 1.0)


def _timed(work: Callable[[], object], times: int = 3) -> float:
    """The middle one of a few runs after one that warms up."""
    work()
    seconds = []
    for _ in range(times):
        begun = perf_counter()
        work()
        seconds.append(perf_counter() - begun)
    return float(np.median(seconds))
