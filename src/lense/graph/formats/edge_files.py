"""Finding and opening files of edges, on this machine or wherever fsspec can read."""

import glob
from pathlib import Path
from typing import Any

from lense.errors import LenseError

File = Path | str
"""A path on this machine, or an address such as ``s3://bucket/edges/part-00000.parquet``."""


def is_remote(name: str) -> bool:
    """Whether it is an address rather than a path."""
    return "://" in name


def is_many(name: str) -> bool:
    """Whether a name means several files: it is an address, a folder, or a pattern."""
    path = Path(name)
    return is_remote(name) or path.is_dir() or (glob.has_magic(name) and not path.exists())


def opened(file: File) -> Any:
    """What pyarrow reads: the path itself, or a file that fsspec has opened."""
    if isinstance(file, Path):
        return file
    import fsspec

    return fsspec.open(file, "rb").open()


def beside(file: File, name: str) -> File:
    """The file called ``name`` in the same folder."""
    return file.with_name(name) if isinstance(file, Path) else f"{file.rpartition('/')[0]}/{name}"


def size_of(file: File) -> int:
    """Bytes on disk."""
    if isinstance(file, Path):
        return file.stat().st_size
    import fsspec

    system, path = fsspec.core.url_to_fs(file)
    return int(system.size(path))


def edge_files(name: str) -> tuple[File, ...]:
    """The Parquet files of edges that ``name`` means: itself, those in that folder, or those that fit the pattern."""
    if is_remote(name):
        return _remote_files(name)
    path = Path(name)
    if path.is_dir():
        found = [one for one in path.iterdir() if one.suffix.lower() == ".parquet"]
    elif is_many(name):
        found = [Path(one) for one in glob.glob(name)]
    elif path.suffix.lower() == ".parquet":
        found = [path]
    else:
        raise LenseError(
            f"{name} cannot be streamed: 'lense graph convert {name} FOLDER' makes a folder of it that can."
        )
    files = tuple(sorted(one for one in found if not _is_hidden(one.name)))
    if not files and path.is_dir():
        raise LenseError(f"{name} is a folder: name a graph file in it, or a folder of .parquet files.")
    return _some(name, files)


def _remote_files(name: str) -> tuple[File, ...]:
    try:
        import fsspec

        system, path = fsspec.core.url_to_fs(name)
        if not glob.has_magic(path):
            path = f"{path.rstrip('/')}/*.parquet" if system.isdir(path) else path
        found = sorted(map(str, system.glob(path)))
    except (ImportError, OSError, ValueError) as error:
        raise LenseError(f"{name} cannot be read: {error}.") from error
    files = (system.unstrip_protocol(one) for one in found if not _is_hidden(one.rpartition("/")[2]))
    return _some(name, tuple(files))


def _some(name: str, files: tuple[File, ...]) -> tuple[File, ...]:
    if not files:
        raise LenseError(f"No .parquet file fits {name}, so there are no edges to read.")
    return files


def _is_hidden(name: str) -> bool:
    """Whether a file is not one of edges by convention."""
    return name.startswith(("_", "."))
