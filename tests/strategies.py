"""Hypothesis strategies for small graphs, shared by the tests of every package."""

from typing import Literal

import numpy as np
from hypothesis import strategies as st

from lense._util.types import AnyArray
from lense.graph import Graph

LabelKind = Literal["range", "int", "str"]

FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False)
PROBABILITIES = st.floats(0, 1, width=32, allow_subnormal=False)
WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=5)
IDS = st.integers(0, 2**62)

# compiled here, so that hypothesis does not count the compiler's time as its own and fail for being slow
Graph.from_edges([0], [1])


@st.composite
def label_arrays(draw: st.DrawFn, size: int, kind: LabelKind, *, ordered: bool = False) -> AnyArray:
    """``size`` different labels: 0..size - 1, any integers, or any words; in rising order if ``ordered``."""
    if kind == "range":
        return np.arange(size)
    values: st.SearchStrategy[int | str] = IDS if kind == "int" else WORDS
    array = np.array(
        draw(st.lists(values, min_size=size, max_size=size, unique=True)), dtype=np.int64 if kind == "int" else np.str_
    )
    return np.sort(array) if ordered else array


@st.composite
def graphs(
    draw: st.DrawFn,
    *,
    directed: bool | None = None,
    weighted: bool | None = None,
    weights: st.SearchStrategy[float] = FINITE,
    labels: LabelKind | None = "range",
    ordered_labels: bool = False,
    min_vertices: int = 1,
    max_vertices: int = 8,
    min_edges: int = 0,
    max_edges: int = 16,
    loops: bool = False,
    duplicates: bool = False,
) -> Graph:
    """Graphs with isolated vertices among them; None leaves the choice to hypothesis.

    Where the choice is free, a graph without edges has no weights. ``loops`` and ``duplicates`` allow self
    loops and repeated edges; without them ``min_edges`` needs ``min_vertices`` that leave room for as many.
    """
    size = draw(st.integers(min_vertices, max_vertices))
    if directed is None:
        directed = draw(st.booleans())
    both_ways = directed or duplicates
    pairs = [(u, v) for u in range(size) for v in range(0 if both_ways else u, size) if loops or u != v]
    most = max_edges if duplicates else min(max_edges, len(pairs))
    chosen = st.sampled_from(pairs) if pairs else st.nothing()
    edges = draw(st.lists(chosen, min_size=min_edges, max_size=most if pairs else 0, unique=not duplicates))
    ends = np.array(edges, dtype=np.int32).reshape(-1, 2)
    if weighted is None:
        weighted = bool(edges) and draw(st.booleans())
    values = draw(st.lists(weights, min_size=len(edges), max_size=len(edges))) if weighted else None
    kinds: tuple[LabelKind, ...] = ("range", "int", "str")
    kind = draw(st.sampled_from(kinds)) if labels is None else labels
    return Graph.from_edges(
        ends[:, 0],
        ends[:, 1],
        values,
        directed=directed,
        labels=draw(label_arrays(size, kind, ordered=ordered_labels)),
        keep_duplicates=duplicates,
        keep_self_loops=loops,
    )
