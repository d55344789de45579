"""Eigenvector centrality, and Katz centrality for the graphs that have none."""

import math

import numpy as np

from lense._util.progress import progress
from lense._util.threads import one_blas_thread
from lense._util.types import Float64s
from lense.graph import Graph
from lense.kernels.rows import Adjacency, neighbour_sums

_TOLERANCE = 1e-10
_POWER_STEPS = 30
_KRYLOV_STEPS = 5_000
_KRYLOV_TOLERANCE = 1e-9
_KRYLOV_NUMBERS = 1 << 25
"""Numbers held in a basis, 256 MiB of them, or what 16 vectors take."""
_ATTENUATION = 0.85
_RESIDUE = 1e-13
"""Of the largest entry: what is smaller is 0 but for rounding, which depends on the number of threads."""


def eigenvector_centrality(graph: Graph, *, along_arcs: bool = True) -> Float64s:
    """The non-negative x (n) of length 1 with A^T x = r x, where r is the spectral radius: in-arcs count.

    A is the adjacency matrix without weights; that of a directed graph is A + A^T unless ``along_arcs``. Where r
    has several eigenvectors, as in a graph of two equal components, x is the one that the power iteration of A^T + I
    tends to from the all-ones vector, which is what networkx computes. A directed graph without cycles has no such x,
    since r = 0. There, and in the rare graph on which the computation does not settle, x is the Katz centrality x =
    a A^T x + 1 with a = 0.85 / min(max in-degree, max out-degree), scaled to length 1; r is at most either degree, so
    that this exists for every graph.
    """
    n, rows = graph.num_vertices, graph.incoming if along_arcs else graph.incident
    if rows.indices.size == 0:
        return np.full(n, n**-0.5 if n else 0.0)
    with progress("eigenvector centrality"):
        x = None if graph.directed and along_arcs and _is_acyclic(rows) else _dominant_eigenvector(rows)
        if x is None:
            most_out = graph.out_degrees.max() if along_arcs else math.inf
            return _katz(rows, min(np.diff(rows.indptr).max(), most_out))
        return np.where(x < _RESIDUE * x.max(), 0.0, x)


def _is_acyclic(rows: Adjacency) -> bool:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = rows.indptr.size - 1
    once = csr_array((np.ones(rows.indices.size), rows.indices, rows.indptr), shape=(n, n), copy=True)
    once.sum_duplicates()  # where parallel arcs stand side by side, scipy's search may never end
    components, _ = connected_components(once, directed=True, connection="strong")
    return bool(components == once.shape[0] and not once.diagonal().any())


def _dominant_eigenvector(rows: Adjacency) -> Float64s | None:
    """The limit of x -> (M + I) x from ones, scaled to length 1; None if neither method finds it."""
    x = _unit(np.ones(rows.indptr.size - 1))
    for _ in range(_POWER_STEPS):
        previous, x = x, _unit(x + _times(rows, x))
        if np.linalg.norm(x - previous) < _TOLERANCE:
            return x
    return _by_krylov_spaces(rows, x)


def _by_krylov_spaces(rows: Adjacency, x: Float64s) -> Float64s | None:
    """The same limit from ``x`` by Arnoldi's method, restarted with the best vector found.

    ARPACK is not used since it goes on with a random vector once the space of the M^i x is exhausted.
    """
    size = min(max(_KRYLOV_NUMBERS // x.size, 16), 128)
    for _ in range(_KRYLOV_STEPS // size):
        basis, projected = _arnoldi(rows, x, size)
        x = _unit(_dominant_part_of_first(projected) @ basis)
        image = _times(rows, x)
        if np.linalg.norm(image - (x @ image) * x) < _KRYLOV_TOLERANCE * np.linalg.norm(image):
            return _unit(np.maximum(x, 0.0)) if x.min() > -1e-8 else None
    return None


def _dominant_part_of_first(projected: Float64s) -> Float64s:
    """The part of the first unit vector along the dominant one of the eigenvectors (k, k) that it is made of.

    Rounding adds directions to the space that ``x`` has next to no part in, and with them second eigenvectors of the
    same eigenvalue, or what is taken for one: they must not count.
    """
    with one_blas_thread():
        values, vectors = np.linalg.eig(projected)
        parts = np.linalg.lstsq(vectors, np.eye(values.size)[0].astype(values.dtype))[0]
    top = values[np.where(np.abs(parts) > 1e-5, values.real, -np.inf).argmax()]
    dominant = np.abs(values - top) <= _KRYLOV_TOLERANCE * np.abs(top)
    return np.asarray((vectors[:, dominant] @ parts[dominant]).real)


def _arnoldi(rows: Adjacency, start: Float64s, size: int) -> tuple[Float64s, Float64s]:
    """An orthonormal basis (k, n) of the space of M^i start, i = 0, 1, ..., and M projected on it (k, k).

    k is ``size``, or less if the space is exhausted before.
    """
    basis = np.empty((size, start.size))
    projected = np.zeros((size, size))
    basis[0] = start
    for k in range(size):
        image = _times(rows, basis[k])
        scale = np.linalg.norm(image)
        for _ in range(2):  # once more, since rounding leaves the first result short of orthogonal
            overlap = basis[: k + 1] @ image
            image -= overlap @ basis[: k + 1]
            projected[: k + 1, k] += overlap
        rest = np.linalg.norm(image)
        if k + 1 == size or rest <= 1e-12 * scale:
            break
        projected[k + 1, k] = rest
        basis[k + 1] = image / rest
    return basis[: k + 1], projected[: k + 1, : k + 1]


def _katz(rows: Adjacency, most_arcs: float) -> Float64s:
    x = np.ones(rows.indptr.size - 1)
    while True:
        previous, x = x, 1.0 + _ATTENUATION / most_arcs * _times(rows, x)
        if np.linalg.norm(x - previous) < _TOLERANCE * np.linalg.norm(x):
            return _unit(x)


def _times(rows: Adjacency, x: Float64s) -> Float64s:
    return neighbour_sums(rows.indptr, rows.indices, x)


def _unit(x: Float64s) -> Float64s:
    return x / np.linalg.norm(x)
