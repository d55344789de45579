"""A small world that the tests of learning share: a graph, its labelled subgraphs, and an encoder learnt from them."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from lense.graph import Graph, power_law
from lense.paper import CUTOFFS
from lense.problems.mvc import MaxVertexCover
from lense.types import Int64s
from lense.walking.batches import GraphTensors
from lense.walking.encoder_training import TrainedEncoder, train_encoder
from lense.walking.labels import LabelledSubgraphs, label_subgraphs
from lense.walking.settings import Settings
from tests.skips import NO_GPU

# on matrices as small as these, threads only wait for one another
torch.set_num_threads(1)

PROBLEM = MaxVertexCover()
BUDGET = 8
SETTINGS = Settings(
    roots=16,
    samples_per_class=15,
    cutoffs=CUTOFFS,
    vertex_dim=8,
    embedding_dim=4,
    epochs=12,
    patience=12,
    train_steps=20,
    episodes=4,
    side_by_side=2,
    update_every=2,
    guidance=0.3,
    looks=4,
    prior="never",
    test_steps=6,
)

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU)


@contextmanager
def never_waiting() -> Iterator[None]:
    """Whatever makes the host wait for the GPU is an error."""
    with warnings.catch_warnings():  # torch says that it does not find everything
        warnings.simplefilter("ignore")
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


class NeverAsking(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """An operation that tells the host a number, or whose shape depends on one, is an error on any device."""

    asks = frozenset({"nonzero", "masked_select", "bincount", "_local_scalar_dense", "_unique2", "unique_consecutive"})

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name, options = func.overloadpacket.__name__, kwargs or {}
        places = args[1] if name in {"index", "index_put", "index_put_", "_index_put_impl_"} else []
        masks = [place for place in places if place is not None and place.dtype == torch.bool]
        sized = name != "repeat_interleave" or options.get("output_size") is not None
        if name in self.asks or masks or not sized:
            raise AssertionError(f"{name} makes the host wait for a GPU")
        return func(*args, **options)


class Stopped(Exception):
    """What interrupts a run in a test."""


@cache
def graph() -> Graph:
    return power_law(200, 5, 2.3, np.random.default_rng(0))


@cache
def tensors(device: str = "cpu") -> GraphTensors:
    return GraphTensors.of(graph(), PROBLEM.features(graph()), device)


@cache
def samples() -> LabelledSubgraphs:
    return label_subgraphs(
        PROBLEM,
        graph(),
        BUDGET,
        num_roots=SETTINGS.roots,
        per_class=SETTINGS.samples_per_class,
        cutoffs=SETTINGS.cutoffs,
        seed=0,
    )


@cache
def trained() -> TrainedEncoder:
    """Learnt for longer than in the tests of learning itself, so that its map has some order."""
    return train_encoder(tensors(), samples(), replace(SETTINGS, epochs=40, patience=40), seed=0)


def root_sets(count: int, size: int = SETTINGS.roots, seed: int = 0) -> Int64s:
    """Random root sets (count, size) of the graph."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.choice(graph().num_vertices, size, replace=False) for _ in range(count)])


def weights(module: nn.Module) -> list[Tensor]:
    return list(module.state_dict().values())


def same_weights(one: nn.Module, other: nn.Module) -> bool:
    """Whether two modules agree in every bit."""
    return all(torch.equal(a, b) for a, b in zip(weights(one), weights(other), strict=True))
