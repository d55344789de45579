"""Submodular sparsification: in each round, vertices that a random sample can replace are dropped."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lense._util.progress import progress
from lense._util.types import AnyArray, Float64s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, kept_part
from lense.kernels.gains import Gains
from lense.kernels.sparsification import Divergences
from lense.problems import Problem
from lense.problems.base import Rng
from lense.pruners.base import Pruner

Diverging = Callable[[Int64s, Int64s], AnyArray]
"""Takes a sample and the vertices left (m), and returns how far each of these diverges from the sample (m)."""


@dataclass(kw_only=True, repr=False, eq=False)
class Sparsification(Pruner):
    """Submodular sparsification, SS (Zhou et al., AISTATS 2017), which learns nothing.

    While more than r ln n vertices are left, r ln n of them are drawn into a sample U and kept. Each of the others has
    the divergence w(v) = min over u in U of f(v | {u}) - f(u | all others), which is what replacing v by that u can
    cost. The share 1 - 1 / sqrt(c) of them with the least divergence is dropped. What is left at the end is kept too.
    """

    name: ClassVar[str] = "sparsification"
    description: ClassVar[str] = "Vertices that a random sample cannot replace."
    randomised: ClassVar[bool] = True

    r: float = 8
    c: float = 8

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        return self.prune_seeds(graph, budget, range(seed, seed + 1))[0]

    def prune_seeds(self, graph: Graph, budget: float, seeds: range) -> list[Subgraph]:
        if not 0 < self.r < math.inf:
            raise LenseError(f"Sparsification takes an r above 0, not {self.r:g}.")
        if not 1 < self.c < math.inf:
            raise LenseError(f"Sparsification takes a c above 1, not {self.c:g}.")
        gains, parts = self.problem_.gains(graph, budget), []
        for seed in seeds:
            diverging = diverging_from(self.problem_, graph, gains)
            kept = sparsified(graph.num_vertices, self.r, self.c, diverging, np.random.default_rng(seed))
            parts.append(kept_part(graph, kept))
        return parts


def sparsified(num_vertices: int, r: float, c: float, diverging: Diverging, rng: Rng) -> Int64s:
    """The vertices that SS keeps of 0 to ``num_vertices`` - 1."""
    sample_size = max(1, math.ceil(r * math.log(num_vertices)))
    left = np.arange(num_vertices)
    kept = []
    with progress("Sparsifying", num_vertices) as advance:
        while left.size > sample_size:
            before = left.size
            drawn = rng.choice(left.size, sample_size, replace=False)
            kept.append(left[drawn])
            left = np.delete(left, drawn)
            by_divergence = np.argsort(diverging(kept[-1], left), kind="stable")
            left = np.sort(left[by_divergence[left.size - int(left.size / math.sqrt(c)) :]])
            advance(before - left.size)
    return np.concatenate([*kept, left])


def diverging_from(problem: Problem, graph: Graph, gains: Gains | None) -> Diverging:
    """The divergences for one run of :func:`sparsified`."""
    if gains is None:
        return lambda sample, left: _measured_divergences(problem, graph, sample, left)
    return Divergences(gains)


def _measured_divergences(problem: Problem, graph: Graph, sample: Int64s, left: Int64s) -> Float64s:
    """The divergences where only the objective f is known: one call for each pair."""
    everything = np.arange(graph.num_vertices)
    total = problem.objective_value(graph, everything)
    least = np.full(left.size, np.inf)
    with progress("Measuring divergences", sample.size * left.size) as advance:
        for u in sample.tolist():
            alone = problem.objective_value(graph, [u])
            last = total - problem.objective_value(graph, np.delete(everything, u))
            for i, v in enumerate(left.tolist()):
                least[i] = min(least[i], problem.objective_value(graph, [u, v]) - alone - last)
                advance(1)
    return least
