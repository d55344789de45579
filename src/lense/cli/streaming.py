"""Graphs that stay on disk, for the commands that can leave them there."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lense.cli.options import Reading, Streaming
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.graph import Scan

_BYTES_PER_LINE, _COMPRESSED = 12, 4
"""About what an edge takes as text, and how much smaller compressed text is."""


@dataclass(frozen=True)
class LocalStreaming(Streaming):
    """The same for commands that read a graph once, on this machine."""

    def check_local(self) -> None:
        """Raise where a cluster is asked for and has nothing to do."""
        if self.engine != "local" or self.scheduler is not None:
            raise LenseError("--engine and --scheduler are for solving and pruning with --stream: leave them out.")

    @property
    def limit(self) -> int | None:
        """The limit in bytes."""
        from lense.streaming.memory import parse_memory

        return None if self.memory_limit is None else parse_memory(self.memory_limit)

    def scan(self, graph: str, reading: Reading) -> "Scan | None":
        """The graph on disk, or None where it is to be read into memory."""
        from lense.streaming.memory import scan_if_needed

        return scan_if_needed(graph, reading.options(), self.stream, self.limit)

    def converts(self, graph: str, out: Path, out_format: str | None) -> bool:
        """Whether to convert in a stream: if asked for, to a folder, or because the graph would not fit."""
        from lense.streaming.writing import is_folder

        to_folder = is_folder(out) and out_format is None
        if self.stream is not None or to_folder:
            if self.stream is False and to_folder:
                raise LenseError(f"{out} names a folder, which is written in a stream: leave out --no-stream.")
            self._check_converted(out_format)
            return self.stream is not False
        return out_format is None and out.suffix.lower() == ".parquet" and self._is_too_large(graph)

    def _check_converted(self, out_format: str | None) -> None:
        if out_format is not None:
            raise LenseError("A graph is written in a stream as Parquet: leave out --to.")
        if self.limit is not None:
            raise LenseError("Converting in a stream takes little memory for each id: leave out --memory-limit.")

    def _is_too_large(self, graph: str) -> bool:
        """Whether a file is likely to have more edges than fit into memory."""
        from lense.graph.formats.streams import COMPRESSIONS
        from lense.streaming.memory import MemoryBudget

        path = Path(graph)
        if not path.is_file():
            return False
        size = path.stat().st_size * (_COMPRESSED if path.suffix.lower() in COMPRESSIONS else 1)
        return not MemoryBudget.of(self.limit).holds_whole(size // _BYTES_PER_LINE)
