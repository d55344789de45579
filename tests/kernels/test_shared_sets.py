"""Sets that several processes hold are those of one, and so is what is chosen from them."""

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense._util.types import Int32s
from lense.errors import LenseError
from lense.graph import Graph
from lense.kernels.cascade import Arcs, live_arcs
from lense.kernels.rr import ReverseSets, count_hits
from lense.kernels.shared_sets import SharedSets, map_arcs, write_arcs
from lense.kernels.threshold import picking_arcs

KEY = np.uint64(3)


def graph() -> Graph:
    rng = np.random.default_rng(4)
    sources, targets = rng.integers(0, 80, (2, 400))
    return Graph.from_edges(sources, targets, rng.choice([0.02, 0.05, 0.15], 400), directed=True, num_vertices=80)


def thirds() -> Graph:
    """Three arcs enter each vertex, so that their weights suit the threshold model."""
    heads = np.repeat(np.arange(60), 3)
    return Graph.from_edges((heads * 7 + np.tile([1, 5, 9], 60)) % 60, heads, np.full(180, 0.3), directed=True)


@pytest.mark.parametrize(
    ("reverse", "candidates"),
    [(live_arcs(graph().incoming), None), (picking_arcs(thirds()), np.arange(0, 60, 2, dtype=np.int32))],
    ids=["independent", "threshold among candidates"],
)
def test_two_processes_choose_what_one_chooses(reverse: Arcs, candidates: Int32s | None) -> None:
    alone = ReverseSets(reverse, KEY, candidates=candidates)
    with SharedSets(reverse, KEY, 2, candidates=candidates) as shared:
        for size in (700, 5001):
            alone.extend_to(size)
            shared.extend_to(size)
            assert (len(shared), shared.num_members) == (size, alone.num_members)
            for bounded in (False, True):
                one, other = alone.cover(8, bounded=bounded), shared.cover(8, bounded=bounded)
                assert one.vertices.tolist() == other.vertices.tolist()
                assert one.gains.tolist() == other.gains.tolist()
                assert one.upper_bound == other.upper_bound
        hits = count_hits(reverse, np.uint64(9), 3000, one.vertices)
        assert shared.count_hits(np.uint64(9), 3000, one.vertices) == hits


def test_a_process_that_ends_is_an_error_of_one_sentence() -> None:
    with SharedSets(live_arcs(graph().incoming), KEY, 2) as shared:
        shared.extend_to(100)
        _, process = shared._holders[1]
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(LenseError, match="has ended, perhaps for want of memory; take fewer processes"):
            shared.extend_to(200)


def test_the_memory_limit_is_for_all_processes_together() -> None:
    with (
        SharedSets(live_arcs(graph().incoming), KEY, 2, memory_limit=2000) as shared,
        pytest.raises(LenseError, match=r"passed the memory limit of .* GiB"),
    ):
        shared.extend_to(50_000)


@pytest.mark.parametrize("reverse", [live_arcs(graph().incoming), picking_arcs(thirds())])
def test_arcs_are_mapped_as_they_were_written(reverse: Arcs, tmp_path: Path) -> None:
    write_arcs(reverse, tmp_path)
    mapped = map_arcs(type(reverse).__name__, tmp_path)
    assert type(mapped) is type(reverse)
    for one, other in zip(reverse, mapped, strict=True):
        np.testing.assert_array_equal(one, other)
        base: Any = other
        while not isinstance(base, np.memmap):
            base = base.base
        assert Path(str(base.filename)).parent == tmp_path
