"""Edge probabilities of the independent cascade, and edge weights of the linear threshold model."""

import logging
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lense._util.types import Float32s
from lense.errors import LenseError, choose
from lense.graph import Graph

log = logging.getLogger(__name__)

_ROUNDING = 1e-5
TRIVALENCY = np.array([0.1, 0.01, 0.001], np.float32)


def _trivalency(graph: Graph, rng: np.random.Generator, _probability: float) -> Graph:
    """Each edge draws 0.1, 0.01 or 0.001 uniformly; both directions of an undirected edge share the draw."""
    return _with_edge_weights(graph, rng.choice(TRIVALENCY, graph.num_edges))


def _weighted_cascade(graph: Graph, _rng: np.random.Generator, _probability: float) -> Graph:
    """p(u, v) = 1 / in-degree of v; an undirected edge becomes two arcs, since its directions differ."""
    shares = (1.0 / np.maximum(graph.in_degrees, 1)).astype(np.float32)
    return replace(graph, weights=shares[graph.indices], directed=True)


def _constant(graph: Graph, _rng: np.random.Generator, probability: float) -> Graph:
    """The same probability for every edge."""
    return graph.reweighted(np.full(graph.num_arcs, probability, np.float32))


def _from_file(graph: Graph, _rng: np.random.Generator, _probability: float) -> Graph:
    """The weights that the graph came with."""
    if graph.weights is None:
        raise LenseError("The graph has no weights to take as edge probabilities; choose another model.")
    check_probabilities(graph.weights)
    return graph


MODELS: dict[str, Callable[[Graph, np.random.Generator, float], Graph]] = {
    "trivalency": _trivalency,
    "weighted-cascade": _weighted_cascade,
    "constant": _constant,
    "file": _from_file,
}


def with_probabilities(graph: Graph, model: str, seed: int, probability: float) -> Graph:
    """``graph`` with edge probabilities as weights.

    ``model`` is a name in ``MODELS``, or "auto": the graph's own weights where it has them, else trivalency.
    """
    if model == "auto":
        model = "trivalency" if graph.weights is None else "file"
    elif graph.weights is not None and model != "file":
        log.info("the model %s replaces the graph's own weights", model)
    return choose(model, MODELS, "cascade model")(graph, np.random.default_rng(seed), probability)


def with_shares(graph: Graph, model: str, seed: int, probability: float) -> Graph:
    """``graph`` with weights for the linear threshold model: those that enter a vertex sum to 1 at most.

    ``model`` is as for :func:`with_probabilities`, but "auto" is weighted-cascade where the graph has no weights.
    """
    if model == "auto" and graph.weights is None:
        model = "weighted-cascade"
    weighted = with_probabilities(graph, model, seed, probability)
    into = weighted.incoming
    sums = np.bincount(
        np.repeat(np.arange(into.indptr.size - 1), np.diff(into.indptr)), into.weights, into.indptr.size - 1
    )
    if sums.size and sums.max() > 1 + _ROUNDING:
        vertex = int(sums.argmax())
        raise LenseError(
            f"The weights of the edges that enter the vertex '{weighted.labels[vertex]}' sum to {sums[vertex]:.4g}, "
            "and in the linear threshold model they sum to 1 at most: divide them, or take the model weighted-cascade."
        )
    return weighted


def check_probabilities(weights: Float32s) -> None:
    """Raise unless every weight is a probability."""
    outside = ~((weights >= 0) & (weights <= 1))
    if outside.any():
        raise LenseError(
            f"Edge weight {weights[outside][0]:g} is not a probability between 0 and 1; correct it, or draw "
            "probabilities with a model: trivalency, weighted-cascade or constant."
        )


def _with_edge_weights(graph: Graph, weights: Float32s) -> Graph:
    """``graph`` with one weight for each edge, in the order of ``graph.edges()``."""
    if graph.directed:
        return graph.reweighted(weights)
    sources, targets, _ = graph.edges()
    return Graph.from_edges(sources, targets, weights, labels=graph.labels, keep_duplicates=True, keep_self_loops=True)
