"""Random graphs written as they are drawn."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from lense._util.progress import progress
from lense._util.random_streams import seed_from
from lense._util.threads import map_chunks, num_threads
from lense.graph.formats.parquet import Metadata
from lense.graph.generate import EDGES_PER_TASK, check_rmat, draw_rmat
from lense.kernels.streaming import Keys, edge_keys, edges_of
from lense.streaming.shards import Piece, check_target, write_shards
from lense.streaming.sorting import RUN, KeySorter


def write_rmat(
    path: Path,
    scale: int,
    num_edges: int,
    rng: np.random.Generator,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    directed: bool = True,
    run: int = RUN,
) -> int:
    """Write the graph of :func:`lense.graph.rmat` to a folder of Parquet files or a single one; its edges.

    ``num_edges`` are drawn. Repeats and self loops are dropped, so that fewer are left. What edge number i draws
    depends on the seed and on i alone.
    """
    check_rmat(scale, num_edges, a, b, c)
    check_target(path)
    seed = seed_from(rng)

    def draw(_: None, first: int) -> Keys:
        size = min(EDGES_PER_TASK, num_edges - first)
        sources, targets = draw_rmat(first, size, seed, scale, a, b, c)
        keys = np.empty(size + 1, np.uint64)
        return keys[: edge_keys(sources, targets, directed, keys)]

    with KeySorter(path, run) as sorter:
        with progress("drawing edges", num_edges) as advance:
            # a window at a time, so that many threads cannot draw more than is sorted
            window = 2 * num_threads() * EDGES_PER_TASK
            for begin in range(0, num_edges, window):
                firsts = range(begin, min(begin + window, num_edges), EDGES_PER_TASK)
                for keys in map_chunks(draw, firsts, lambda: None):
                    sorter.add(keys)
                    advance(EDGES_PER_TASK)
        return write_shards(path, sorted_edges(sorter), Metadata(directed=directed, simple=True, vertices=1 << scale))


def sorted_edges(sorter: KeySorter) -> Iterator[Piece]:
    """What was added to ``sorter``, as edges in rising order, each once, with weights if it has any."""
    with progress("sorting edges", sorter.num_added) as advance:
        for keys, weights in sorter.merged(advance):
            yield *edges_of(keys), *((weights,) if sorter.weighted else ())
