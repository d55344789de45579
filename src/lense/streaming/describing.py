"""What a graph on disk looks like, by one pass."""

from typing import Any

import numpy as np

from lense._util.types import Int32s
from lense.errors import LenseError
from lense.graph import Scan
from lense.kernels.streaming import add_degrees, add_out_degrees, component_sizes, join
from lense.streaming.room import Room


def describe_scan(scan: Scan, memory_limit: int | None = None) -> tuple[dict[str, Any], Int32s]:
    """The figures that ``lense graph info`` shows, and the (out-)degrees (n)."""
    Room.of(memory_limit).check_vertices(scan.num_vertices)
    n = scan.num_vertices
    if n == 0:
        raise LenseError("The graph is empty: it has no vertices.")
    degrees, parents = np.zeros(n, np.int32), np.arange(n, dtype=np.int32)
    out_degrees = np.zeros(n, np.int32) if scan.directed else degrees
    ranges = list[tuple[float, float]]()
    for sources, targets, weights in scan.weighted_batches("counting degrees and components"):
        if weights.size:
            ranges.append((float(weights.min()), float(weights.max())))
        add_degrees(sources, targets, degrees)
        if scan.directed:
            add_out_degrees(sources, targets, out_degrees)
        join(sources, targets, parents)
    sizes = component_sizes(parents)
    facts = {
        "vertices": n,
        "edges": scan.num_edges,
        "directed": scan.directed,
        "weights": [min(low for low, _ in ranges), max(high for _, high in ranges)] if ranges else None,
        "self_loops": 0,
        "isolated_vertices": int(np.count_nonzero(degrees == 0)),
        "largest_degree": int(out_degrees.max()),
        "mean_degree": float(out_degrees.mean()),
        "median_degree": float(np.median(out_degrees)),
        "components": int(sizes.size),
        "largest_component": int(sizes.max()),
        "ids": scan.ids,
        "megabytes": scan.num_bytes / 1e6,
    }
    return facts, out_degrees
