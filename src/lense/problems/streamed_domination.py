"""Domination on a graph that stays on disk: greedy on the vertices of large degree, and its bound by further passes.

A vertex of degree below t dominates at most t vertices. If the last of greedy's choices among all others adds more than
t, greedy on the whole graph makes the same choices. Otherwise another pass is made with a lower t.
"""

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from lense._util.types import AnyArray, Bools, Float64s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph.csr import csr_from_edges
from lense.kernels.hitting import Cover, descend, greedy_hitting, relaxed_bound

if TYPE_CHECKING:
    from lense.streaming.graph import StreamedGraph

_VERTICES_PER_CHOICE = 4


@dataclass(frozen=True)
class Sets:
    """Which of ``vertices`` dominate each of ``items``: members of item i are ``members[offsets[i]:offsets[i + 1]]``,
    by their places in ``vertices``."""

    vertices: Int64s
    items: Int64s
    offsets: Int64s
    members: Int32s


class StreamedDomination:
    """Order, score and bound of :class:`lense.problems.domination.Domination` on a graph on disk."""

    def __init__(self, graph: "StreamedGraph") -> None:
        if graph.scan.directed:  # opposite arcs would count a neighbour twice
            raise LenseError(
                f"Domination counts neighbours, and {graph.scan.name} has arcs: "
                f"'lense graph convert {graph.scan.name} FOLDER --undirected' merges opposite ones."
            )
        self.graph = graph

    def order(self, count: int) -> Int64s:
        """The first ``count`` choices of greedy on the whole graph."""
        sets, cover = _greedy(self.graph, count, bounded=False)
        return sets.vertices[cover.vertices]

    def score(self, vertices: Int64s) -> float:
        """How many vertices ``vertices`` dominate."""
        return float(dominators(self.graph, np.sort(vertices)).items.size)

    def bound(self, budget: int) -> float:
        """As :meth:`lense.problems.domination.Domination.upper_bound` has it."""
        sets, cover = _greedy(self.graph, budget, bounded=True)
        relaxed = _relaxed(self.graph, sets.vertices[cover.vertices], cover.covered)
        return float(min(cover.upper_bound, floor(relaxed)))


def dominators(graph: "StreamedGraph", vertices: Int64s) -> Sets:
    """What ``vertices``, in rising order, dominate, by one pass."""
    scan, memory = graph.scan, graph.memory
    memory.check_edges(min(int(graph.degrees[vertices].sum(dtype=np.int64)), scan.num_edges))
    us, vs, _ = graph.engine.edges_at(scan, vertices, memory)
    place = np.full(scan.num_vertices, -1, np.int32)
    place[vertices] = np.arange(vertices.size, dtype=np.int32)
    first, second = place[us] >= 0, place[vs] >= 0
    members = np.concatenate([place[us[first]], place[vs[second]], np.arange(vertices.size, dtype=np.int32)])
    items, where = np.unique(np.concatenate([vs[first], us[second], vertices.astype(np.int32)]), return_inverse=True)
    offsets, listed, _ = csr_from_edges(
        where.astype(np.int32), members, None, items.size, directed=True, keep_duplicates=False
    )
    return Sets(vertices, items.astype(np.int64), offsets, listed)


def _greedy(graph: "StreamedGraph", count: int, *, bounded: bool) -> tuple[Sets, Cover]:
    """Greedy's first ``count`` choices; with ``bounded``, all of its ``count`` largest gains are known in the end."""
    degrees = graph.degrees
    wanted = min(_VERTICES_PER_CHOICE * count, degrees.size)
    least = int(np.partition(degrees, degrees.size - wanted)[degrees.size - wanted]) if wanted < degrees.size else 0
    while True:
        sets = dominators(graph, np.flatnonzero(degrees >= least))
        everyone = np.arange(sets.vertices.size, dtype=np.int32)
        cover = greedy_hitting(sets.offsets, sets.members, everyone.size, everyone, count, bounded=bounded)
        last = _last_gain(sets, cover.vertices, count) if bounded else int(cover.gains[-1])
        if least == 0 or last > least:
            return sets, cover
        least = max(0, min(last - 1, least // 2))


def _last_gain(sets: Sets, chosen: Int64s, count: int) -> int:
    """The ``count``-th largest gain of the vertices, given those chosen."""
    inside = np.zeros(sets.vertices.size, np.bool_)
    inside[chosen] = True
    sizes = np.diff(sets.offsets)
    owner = np.repeat(np.arange(sizes.size), sizes)
    is_hit = np.bincount(owner, weights=inside[sets.members], minlength=sizes.size) > 0
    gains = np.bincount(sets.members[~is_hit[owner]], minlength=sets.vertices.size)
    return int(np.partition(gains, gains.size - count)[gains.size - count])


def _relaxed(graph: "StreamedGraph", chosen: Int64s, covered: int) -> float:
    """:func:`lense.kernels.hitting.hitting_bound` by passes: one for each bound, one for new active vertices."""
    n, budget = graph.scan.num_vertices, chosen.size
    hits = dominators(graph, np.sort(chosen))
    multipliers = np.ones(n)
    multipliers[hits.items] = 1 / np.diff(hits.offsets)
    sets = hits

    def steps(active: Bools, x: Float64s, multipliers: Float64s) -> list[tuple[Float64s, Float64s]]:
        nonlocal sets
        known = np.flatnonzero(active)
        if not np.array_equal(sets.vertices, known):
            sets = dominators(graph, known)
        ends, everyone = list[tuple[Float64s, Float64s]](), np.ones(known.size, np.bool_)
        for some, chances in descend(sets.offsets, sets.members, everyone, budget, x[known], multipliers[sets.items]):
            ends.append((np.ones(n), np.zeros(n)))
            ends[-1][0][sets.items], ends[-1][1][known] = some, chances
        return ends

    return relaxed_bound(
        lambda many: _bounds(graph, np.stack(many), budget), steps, graph.degrees + 1, chosen, multipliers, covered
    )


def _bounds(graph: "StreamedGraph", multipliers: AnyArray, budget: int) -> list[tuple[float, Float64s]]:
    """L and q (n) of each row of ``multipliers`` (k, n), by one pass."""
    reduced = graph.engine.neighbour_sums(graph.scan, multipliers)
    return [
        (float((1 - row).sum()) + float(np.sort(q)[-budget:].sum()), q)
        for row, q in zip(multipliers, reduced, strict=True)
    ]
