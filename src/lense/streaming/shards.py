"""Writing a graph as Parquet files: one, or a folder of parts of some millions of edges each."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lense._util.files import replacing, replacing_folder, system_errors
from lense._util.types import AnyArray
from lense.errors import LenseError
from lense.graph.formats.options import ENDS, WEIGHTS, check_written
from lense.graph.formats.parquet import LABELS, Metadata, id_column
from lense.graph.formats.parts import MANIFEST, write_manifest

Piece = tuple[AnyArray, ...]
"""Sources and targets of some edges, and perhaps weights."""
PART = 1 << 25
"""Edges of one part."""
ROW_GROUP = 1 << 20
_NAMES = ENDS[0]
# differences of sorted numbers take half the room of the numbers, and are read as fast
_LAYOUT: dict[str, Any] = {
    "compression": "none",
    "use_dictionary": False,
    "column_encoding": dict.fromkeys(_NAMES, "DELTA_BINARY_PACKED"),
    "write_page_checksum": True,
}


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
    with system_errors(path, "written"):
        if is_folder(path):
            return _write_folder(path, edges, about, labels, part, weighted)
        with replacing(path) as temporary:
            total = _write_file(temporary, edges, about, labels, weighted)
            check_written(path, temporary.stat().st_size, about.vertices or 0)
            return total


def _schema(kind: Any, about: Metadata, weighted: bool) -> Any:
    import pyarrow as pa

    weights = [(WEIGHTS[0], pa.float32())] if weighted else []
    return pa.schema([*((name, kind) for name in _NAMES), *weights], metadata=about.encoded())


def _is_ours(name: str) -> bool:
    return name in (LABELS, MANIFEST) or (name.startswith("part-") and name.endswith(".parquet"))


def _write_folder(
    path: Path, edges: Iterable[Piece], about: Metadata, labels: AnyArray | None, part: int, weighted: bool
) -> int:
    import pyarrow as pa
    from pyarrow import parquet

    total = 0
    before = [one.name for one in path.iterdir()] if path.is_dir() else []
    with replacing_folder(path, before) as folder:
        if labels is not None:
            about = replace(about, labels=LABELS)
            ids = pa.table({"id": id_column(labels, negative=True)})
            parquet.write_table(ids, folder / LABELS, compression="zstd", write_page_checksum=True)
        schema = _schema(pa.int32(), about, weighted)
        for number, pieces in enumerate(_in_parts(edges, part)):
            with parquet.ParquetWriter(folder / f"part-{number:05}.parquet", schema, **_LAYOUT) as file:
                for arrays in pieces:
                    file.write_table(pa.table(list(arrays), schema), row_group_size=ROW_GROUP)
                    total += arrays[0].size
        check_written(path, sum(one.stat().st_size for one in folder.iterdir()), about.vertices or 0)
        write_manifest(folder)
    return total


def _in_parts(edges: Iterable[Piece], part: int) -> Iterator[Iterator[Piece]]:
    """The pieces in groups of about ``part`` edges, at least one group, also where there are no edges."""
    pieces = iter(edges)
    coming = next(pieces, None)
    if coming is None:
        yield iter(())
        return

    def group() -> Iterator[Piece]:
        nonlocal coming
        size = 0
        while coming is not None and size < part:
            yield coming
            size += coming[0].size
            coming = next(pieces, None)

    while coming is not None:
        yield group()


def _write_file(path: Path, edges: Iterable[Piece], about: Metadata, labels: AnyArray | None, weighted: bool) -> int:
    """One file holds the ids themselves, so that it says everything."""
    import pyarrow as pa
    from pyarrow import parquet

    ids = None if labels is None else id_column(labels)
    kind = pa.int32() if ids is None else ids.type
    is_number = pa.types.is_integer(kind)
    layout = _LAYOUT if is_number else {"compression": "zstd", "write_page_checksum": True}
    if ids is not None:
        about = replace(about, vertices=None)
    schema = _schema(kind, about, weighted)
    total = 0
    with parquet.ParquetWriter(path, schema, **layout) as file:
        for arrays in edges:
            ends = [pa.array(end) if ids is None else ids.take(pa.array(end)) for end in arrays[:2]]
            file.write_table(pa.table([*ends, *arrays[2:]], schema), row_group_size=ROW_GROUP)
            total += arrays[0].size
    return total
