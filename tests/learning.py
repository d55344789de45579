"""A small world that the tests of learning share: a graph, its labelled subgraphs, and an encoder learnt from them."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lense._util.types import Float32s, Int64s
from lense.graph import Graph, power_law
from lense.navigation import encoder
from lense.navigation.encoder import GraphTensors, TrainedEncoder, train_encoder
from lense.navigation.labels import LabelledSubgraphs, label_subgraphs
from lense.navigation.training import Settings
from lense.paper import CUTOFFS
from lense.problems.mvc import MaxVertexCover
from lense.pruners.ranking import standing
from tests.skips import NO_GPU

# the pictures of models that tests train need not be good ones
encoder._PICTURE_STEPS = 20

PROBLEM = MaxVertexCover()
BUDGET = 8
ROOTS = 16
SETTINGS = Settings().changed(
    roots=ROOTS,
    samples_per_class=15,
    cutoffs=CUTOFFS,
    vertex_dim=8,
    embedding_dim=4,
    epochs=12,
    patience=12,
    train_steps=20,
    episodes=2,
    update_every=2,
    guidance=0.3,
    evaluations=4,
    test_steps=6,
)

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU)


class Stopped(Exception):
    """What interrupts a run in a test."""


@cache
def graph() -> Graph:
    return power_law(200, 5, 2.3, np.random.default_rng(0))


@cache
def features() -> Float32s:
    return standing(PROBLEM.features(graph()))


@cache
def tensors(device: str = "cpu") -> GraphTensors:
    return GraphTensors.of(graph(), features(), device)


@cache
def samples() -> LabelledSubgraphs:
    return label_subgraphs(PROBLEM, graph(), BUDGET, SETTINGS.labels, seed=0)


@cache
def trained() -> TrainedEncoder:
    """Learnt for longer than in the tests of learning itself, so that its map has some order."""
    return train_encoder(tensors(), samples(), replace(SETTINGS.encoder, epochs=40, patience=40), seed=0)


def root_sets(count: int, size: int = ROOTS, seed: int = 0) -> Int64s:
    """Random root sets (count, size) of the graph."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.choice(graph().num_vertices, size, replace=False) for _ in range(count)])


def weights(module: nn.Module) -> list[Tensor]:
    return list(module.state_dict().values())


def same_weights(one: nn.Module, other: nn.Module) -> bool:
    """Whether two modules agree in every bit."""
    return all(torch.equal(a, b) for a, b in zip(weights(one), weights(other), strict=True))
