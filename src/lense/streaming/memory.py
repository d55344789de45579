"""Decide whether a graph stays on disk, and how much memory a streamed solution may take."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lense._util.formatting import size
from lense.errors import LenseError
from lense.graph.scan import Scan, can_be_scanned, scan

_UNITS = {"": 2**30, "gib": 2**30, "mib": 2**20, "kib": 2**10, "gb": 10**9, "mb": 10**6, "kb": 10**3, "b": 1}
_BATCHES = 64 * 2**20
"""What the batches that are being read take."""
_BYTES_PER_VERTEX = 14
_BYTES_PER_WEIGHED_VERTEX = 24
"""What weights take besides: their sum, that of those into hubs, and one of these in order."""
_BYTES_PER_EDGE = 64
_BYTES_PER_EDGE_IN_MEMORY = 60
"""What reading and solving a graph takes at its peak when all of it is held."""
_BYTES_PER_ARC = 160
"""What an arc takes where cascades and reverse-reachable sets are drawn on it."""
_SHARE = 0.8


def parse_memory(text: str) -> int:
    """Bytes: ``4`` and ``4GiB`` are 4 * 2^30, ``4GB`` is 4 * 10^9, ``500MB`` is 500 * 10^6."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text.lower())
    if found is None or found[2] not in _UNITS or not float(found[1]) > 0:
        raise LenseError(f"memory_limit= takes an amount such as 4 (GiB), 4GB or 500MB, not '{text}'.")
    return int(float(found[1]) * _UNITS[found[2]])


@dataclass(frozen=True)
class MemoryBudget:
    """``limit`` bytes, of which ``taken`` are in use already."""

    limit: int
    taken: int = 0

    @classmethod
    def of(cls, limit: int | None) -> "MemoryBudget":
        """What the user allows for the whole process, else what the machine has left."""
        import psutil

        taken = int(psutil.Process().memory_info().rss)
        return cls(int(psutil.virtual_memory().available) + taken if limit is None else limit, taken)

    def check_vertices(self, vertices: int, *, weighted: bool = False) -> None:
        """Raise unless the arrays over so many vertices fit."""
        each = _BYTES_PER_VERTEX + (_BYTES_PER_WEIGHED_VERTEX if weighted else 0)
        self._check(_BATCHES + each * vertices, f"the arrays over {vertices:,} vertices")

    def check_edges(self, edges: int) -> None:
        """Raise unless a part of so many edges fits beside what is there."""
        self._check(_BYTES_PER_EDGE * edges, f"a part of {edges:,} edges")

    def holds_whole(self, edges: int) -> bool:
        """Whether a graph of so many edges can be read and solved in memory."""
        return self.taken + _BYTES_PER_EDGE_IN_MEMORY * edges <= _SHARE * self.limit

    @property
    def most_arcs(self) -> int:
        """How many arcs cascades can be run on."""
        return max(0, int(_SHARE * (self.limit - self.taken))) // _BYTES_PER_ARC

    def _check(self, wanted: int, what: str) -> None:
        if self.taken + wanted > self.limit:
            raise LenseError(
                f"{what.capitalize()} need about {size(self.taken + wanted)} of memory in all, and the limit is "
                f"{size(self.limit)}: raise memory_limit=, or take a smaller budget or a pruner such as top-degree."
            )


def scan_if_needed(
    graph: str, reading: Mapping[str, Any], stream: bool | None = None, memory_limit: int | None = None
) -> Scan | None:
    """Return a scan of the graph if it is to stay on disk; None if it is to be read into memory.

    ``stream`` forces either; by default a graph stays on disk where it would not fit into memory. ``reading`` are the
    options of :func:`lense.open_graph`: a scan takes only some of them.
    """
    if stream is False or (stream is None and not can_be_scanned(graph)):
        if memory_limit is not None:
            raise LenseError(
                "memory_limit= is for graphs that can stay on disk: a Parquet file, a folder of them, or an .npz."
            )
        return None
    if stream is None and memory_limit is None and is_mapped(graph):
        return None  # mapped arrays need not fit
    options = {name: reading.get(name) for name in ("columns", "weights")}
    others = [name for name, value in reading.items() if name not in options and (name, value) != ("ids", "auto")]
    if others and stream is None:
        return None
    if others:
        names = ", ".join(f"{name}=" for name in others)
        raise LenseError(
            f"A stream takes the graph as it was written: leave out {names}, or use 'lense graph convert'."
        )
    found = scan(graph, **options)
    if stream is None and MemoryBudget.of(memory_limit).holds_whole(found.num_rows):
        return None
    return found


def is_mapped(graph: str) -> bool:
    """Whether the arrays of a graph file are mapped into memory, so that they need not fit."""
    return Path(graph).suffix.lower() == ".npz"
