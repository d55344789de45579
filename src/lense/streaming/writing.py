"""Write graphs larger than memory as Parquet: edges sorted on disk, in one file or a folder of parts."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from sys import maxsize
from types import TracebackType
from typing import Any, Self

import numpy as np

from lense._util.files import remove, replacing, replacing_folder, system_errors, temporary_name
from lense._util.progress import progress
from lense._util.random_streams import seed_from
from lense._util.threads import map_chunks, num_threads
from lense._util.types import AnyArray, Float32s
from lense.errors import LenseError
from lense.graph.formats.options import ENDS, WEIGHTS, check_written
from lense.graph.formats.parquet import LABELS, Metadata, id_column
from lense.graph.formats.parts import MANIFEST, write_manifest
from lense.graph.generate import EDGES_PER_TASK, check_rmat, draw_rmat
from lense.kernels.streaming import NO_WEIGHTS, Keys, edge_keys, edges_of, sorted_unique

RUN = 1 << 22
"""Keys that are sorted at a time, of 8 bytes each; twice as much memory is taken."""
_SAMPLES = 4096
"""Keys of each run that are remembered, to cut the range of keys into pieces of about a run."""
Piece = tuple[AnyArray, ...]
"""Sources and targets of some edges, and perhaps weights."""
PART = 1 << 25
"""Edges of one part."""
ROW_GROUP = 1 << 20
# differences of sorted numbers take half the room of the numbers, and are read as fast
_LAYOUT: dict[str, Any] = {
    "compression": "none",
    "use_dictionary": False,
    "column_encoding": dict.fromkeys(ENDS[0], "DELTA_BINARY_PACKED"),
}


class KeySorter:
    """``add`` keys in any order, then take their ``edges`` in rising order, each once.

    If they are ``weighted``, each comes with a weight, and the first that a key was added with is kept. It takes memory
    for a few runs, and 8 bytes of disk for each key, 12 with weights, in a folder beside ``target`` that is gone in the
    end. What a killed process left there is removed by the next.
    """

    def __init__(self, target: Path, run: int = RUN, *, weighted: bool = False) -> None:
        self._folder = temporary_name(target.absolute())
        self._folder.mkdir()
        self._run, self._weighted = run, weighted
        self._held: list[tuple[Keys, Float32s]] = []
        self._room = run
        self._files: list[Path] = []
        self._samples = [np.empty(0, np.uint64)]
        self._size = 0
        """Keys of all runs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        remove(self._folder)

    def add(self, keys: Keys, weights: Float32s = NO_WEIGHTS) -> None:
        while keys.size:
            self._held.append((keys[: self._room], weights[: self._room]))
            keys, weights = keys[self._room :], weights[self._room :]
            self._room -= self._held[-1][0].size
            if self._room == 0:
                self._write()

    def edges(self) -> Iterator[Piece]:
        """All edges in rising order, each once, with weights if there are any."""
        if self._held:
            self._write()
        begins = [0] * len(self._files)
        with progress("sorting edges", self._size) as advance:
            for limit in self._limits():
                ends = [_place(file, limit) for file in self._files]
                keys = _read(self._files, begins, ends, np.uint64)
                weights = _read(map(_beside, self._files), begins, ends, np.float32) if self._weighted else NO_WEIGHTS
                begins = ends
                advance(keys.size)
                if keys.size:
                    keys, weights = sorted_unique(keys, weights)
                    yield *edges_of(keys), *((weights,) if self._weighted else ())

    def _write(self) -> None:
        keys, weights = (np.concatenate(arrays) for arrays in zip(*self._held, strict=True))
        self._held, self._room = [], self._run
        keys, weights = sorted_unique(keys, weights)
        file = self._folder / f"run-{len(self._files):05}"
        file.write_bytes(keys.data)  # whose errors say more than those of ``tofile``
        _beside(file).write_bytes(weights.data)
        self._files.append(file)
        self._samples.append(keys[:: max(1, keys.size // _SAMPLES)].copy())
        self._size += keys.size

    def _limits(self) -> Iterator[np.uint64 | None]:
        """Keys between which about a run lies, and None in the end."""
        samples = np.sort(np.concatenate(self._samples))
        pieces = -(-self._size // self._run)
        step = max(1, samples.size // max(pieces, 1))
        yield from samples[step::step]
        yield None


def _beside(file: Path) -> Path:
    """Where the weights of a run lie."""
    return file.with_suffix(".weights")


def _place(file: Path, limit: np.uint64 | None) -> int:
    """How many keys of a run are below ``limit``."""
    keys = np.memmap(file, np.uint64, "r")
    return keys.size if limit is None else int(np.searchsorted(keys, limit))


def _read(files: Iterable[Path], begins: list[int], ends: list[int], kind: type[np.generic]) -> AnyArray:
    """What lies between these places of the files, one after the other."""
    # read and not mapped, since mapped pages count as memory of the process until others need it
    size, spans = np.dtype(kind).itemsize, zip(files, begins, ends, strict=True)
    parts = (np.fromfile(file, kind, end - begin, offset=size * begin) for file, begin, end in spans)
    return np.concatenate([np.empty(0, kind), *parts])


def is_folder(path: Path) -> bool:
    """Whether ``path`` names a folder of parts rather than a file: it is one, or is new and its name has no ending."""
    return path.is_dir() or not (path.suffix or path.exists())


def check_target(path: Path) -> None:
    """Raise unless shards can be written at ``path``: a new or empty folder, one of shards, or a ``.parquet`` file."""
    if is_folder(path):
        foreign = [one.name for one in path.iterdir() if not _is_ours(one.name)] if path.is_dir() else []
        if foreign:
            raise LenseError(f"{path} exists and holds {foreign[0]}, which is no part of a graph: name another folder.")
    elif path.suffix.lower() != ".parquet":
        raise LenseError(f"A graph is written in a stream to a folder or a .parquet file, not to {path.name}.")
    if not path.absolute().parent.is_dir():
        raise LenseError(f"{path} cannot be written: there is no folder {path.parent}.")


def _is_ours(name: str) -> bool:
    return name in (LABELS, MANIFEST) or (name.startswith("part-") and name.endswith(".parquet"))


def write_shards(
    path: Path,
    edges: Iterable[Piece],
    about: Metadata,
    labels: AnyArray | None = None,
    part: int = PART,
    *,
    weighted: bool = False,
) -> int:
    """Write sorted edges between vertex numbers in pieces, to a folder or to one ``.parquet`` file; how many.

    ``labels`` (n) are the ids of the vertices, where they are not their numbers. If the edges are ``weighted``, pieces
    have weights. Nothing is there until all is written. A folder gets a manifest, so that reading it notices when a
    part is missing or was exchanged.
    """
    import pyarrow as pa
    from pyarrow import parquet

    with system_errors(path, "written"):
        if not is_folder(path):
            ids = None if labels is None else id_column(labels)
            about = about if ids is None else replace(about, vertices=None)  # a file holds ids, so that it says all
            with replacing(path) as temporary:
                total = _write_parts([temporary], edges, about, ids, maxsize, weighted)
                check_written(path, temporary.stat().st_size, about.vertices or 0)
            return total
        before = [one.name for one in path.iterdir()] if path.is_dir() else []
        with replacing_folder(path, before) as folder:
            if labels is not None:
                about = replace(about, labels=LABELS)
                ids = pa.table({"id": id_column(labels, negative=True)})
                parquet.write_table(ids, folder / LABELS, compression="zstd", write_page_checksum=True)
            names = (folder / f"part-{number:05}.parquet" for number in count())
            total = _write_parts(names, edges, about, None, part, weighted)
            check_written(path, sum(one.stat().st_size for one in folder.iterdir()), about.vertices or 0)
            write_manifest(folder)
        return total


def _write_parts(
    paths: Iterable[Path], edges: Iterable[Piece], about: Metadata, ids: Any, part: int, weighted: bool
) -> int:
    """Write pieces to the first of ``paths``, and to the next one whenever it has ``part`` edges; how many edges."""
    import pyarrow as pa
    from pyarrow import parquet

    kind = pa.int32() if ids is None else ids.type
    layout = _LAYOUT if pa.types.is_integer(kind) else {"compression": "zstd"}
    columns = [*((name, kind) for name in ENDS[0]), *([(WEIGHTS[0], pa.float32())] if weighted else [])]
    schema = pa.schema(columns, metadata=about.encoded())
    pieces, total = iter(edges), 0
    piece = next(pieces, None)
    for path in paths:
        size = 0
        with parquet.ParquetWriter(path, schema, write_page_checksum=True, **layout) as file:
            while piece is not None and size < part:
                ends = piece[:2] if ids is None else [ids.take(pa.array(end)) for end in piece[:2]]
                file.write_table(pa.table([*ends, *piece[2:]], schema), row_group_size=ROW_GROUP)
                size += piece[0].size
                piece = next(pieces, None)
        total += size
        if piece is None:
            break
    return total


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
        return edge_keys(*draw_rmat(first, size, seed, scale, a, b, c), directed)

    with KeySorter(path, run) as sorter:
        with progress("drawing edges", num_edges) as advance:
            # a window at a time, so that many threads cannot draw more than is sorted
            window = 2 * num_threads() * EDGES_PER_TASK
            for begin in range(0, num_edges, window):
                firsts = range(begin, min(begin + window, num_edges), EDGES_PER_TASK)
                for keys in map_chunks(draw, firsts, lambda: None):
                    sorter.add(keys)
                    advance(EDGES_PER_TASK)
        return write_shards(path, sorter.edges(), Metadata(directed=directed, simple=True, vertices=1 << scale))
