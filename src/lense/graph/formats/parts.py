"""The Parquet files of one graph: which there are, on this machine or behind an address, and whether all are there."""

import glob
import hashlib
import json
import logging
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lense._util.files import parse_json
from lense.errors import LenseError

log = logging.getLogger(__name__)

MANIFEST = "_manifest.json"
_FORMAT, _VERSION = "lense-parts", 1
_FOOTER_END = 8
"""Bytes at the end of a Parquet file: the length of its footer, and a magic word."""

File = Path | str
"""A path on this machine, or an address such as ``s3://bucket/edges/part-00000.parquet``."""


def is_remote(name: str) -> bool:
    """Whether it is an address rather than a path."""
    return "://" in name


def is_many(name: str) -> bool:
    """Whether a name means several files: it is an address, a folder, or a pattern."""
    path = Path(name)
    return is_remote(name) or path.is_dir() or (glob.has_magic(name) and not path.exists())


def is_one(name: str, files: Sequence[File]) -> bool:
    """Whether ``name`` is that of a single file, and not of a folder or a pattern."""
    return len(files) == 1 and files[0] in (name, Path(name))


def edge_files(name: str) -> tuple[File, ...]:
    """The Parquet files of edges that ``name`` means: itself, those in that folder, or those that fit the pattern."""
    path = Path(name)
    found: list[File]
    if is_remote(name):
        found = _remote_files(name)
    elif path.is_dir():
        found = [one for one in path.iterdir() if one.suffix.lower() == ".parquet"]
    elif is_many(name):
        found = [Path(one) for one in glob.glob(name)]
    elif path.suffix.lower() == ".parquet":
        found = [path]
    else:
        raise LenseError(
            f"{name} cannot be streamed: 'lense graph convert {name} FOLDER' makes a folder of it that can."
        )
    in_order = sorted(found, key=lambda one: one.parts if isinstance(one, Path) else (one,))
    files = tuple(one for one in in_order if not _is_hidden(one))
    if files:
        return files
    if path.is_dir():
        raise LenseError(f"{name} is a folder: name a graph file in it, or a folder of .parquet files.")
    raise LenseError(f"No .parquet file fits {name}, so there are no edges to read.")


def _remote_files(name: str) -> list[File]:
    try:
        import fsspec

        system, path = fsspec.core.url_to_fs(name)
        if not glob.has_magic(path) and system.isdir(path):
            path = f"{path.rstrip('/')}/*.parquet"
        return [system.unstrip_protocol(one) for one in map(str, system.glob(path))]
    except (ImportError, OSError, ValueError) as error:
        raise LenseError(f"{name} cannot be read: {error}.") from error


def beside(file: File, name: str) -> File:
    """The file called ``name`` in the same folder."""
    return file.with_name(name) if isinstance(file, Path) else f"{file.rpartition('/')[0]}/{name}"


def _is_hidden(file: File) -> bool:
    """Whether a file is not one of edges by convention."""
    return str(file).replace("\\", "/").rpartition("/")[2].startswith(("_", "."))


def opened(file: File) -> Any:
    """What pyarrow reads: the path itself, or a file that fsspec has opened."""
    if isinstance(file, Path):
        return file
    import fsspec

    return fsspec.open(file, "rb").open()


def size_of(file: File) -> int:
    """Bytes on disk."""
    if isinstance(file, Path):
        return file.stat().st_size
    import fsspec

    system, path = fsspec.core.url_to_fs(file)
    return int(system.size(path))


def write_manifest(folder: Path) -> None:
    """List all files of ``folder``; call it when they are written."""
    files = {file.name: _described(file) for file in sorted(folder.iterdir())}
    noted = {"format": _FORMAT, "version": _VERSION, "files": files}
    (folder / MANIFEST).write_text(json.dumps(noted, indent=1) + "\n", encoding="utf-8")


def check_manifest(name: str, files: Sequence[File]) -> None:
    """Raise unless ``files``, those that ``name`` means, are all that the manifest beside them lists, unchanged.

    If there is none, and ``name`` is not that of a single file, a warning is logged once.
    """
    manifests = {beside(file, MANIFEST) for file in files}
    listed = {manifest: noted for manifest in manifests if (noted := _read_manifest(manifest)) is not None}
    for manifest, noted in listed.items():
        known = {beside(manifest, each): described for each, described in noted.items()}
        for file in files:
            if file not in known:
                raise LenseError(f"{file} is not in the list of {manifest}: move it to another folder.")
        for file, described in known.items():
            try:
                is_same = described == _described(file)
            except FileNotFoundError as error:
                raise LenseError(f"{file} is missing, which {manifest} lists: copy the folder again.") from error
            if not is_same:
                raise LenseError(f"{file} is not the file that {manifest} lists: copy the folder again.")
            if file not in files and not _is_hidden(file):
                raise LenseError(f"{name} is a part of a graph, and leaves out {file}: name the folder instead.")
    if not listed and not is_one(name, files):
        _warn_unchecked(name)


@cache
def _warn_unchecked(name: str) -> None:
    log.warning("%s has no %s, so a missing or repeated part would go unnoticed", name, MANIFEST)


def _read_manifest(file: File) -> dict[str, Any] | None:
    """What a manifest says of each file, by name; None if there is no manifest."""
    try:
        noted = parse_json(_read(file))
        files: dict[str, Any] = noted["files"]
        if (noted["format"], noted["version"]) != (_FORMAT, _VERSION) or any(one != Path(one).name for one in files):
            raise ValueError("another format, or files in other folders")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise LenseError(f"{file} is damaged: copy the folder again, or convert the graph again.") from error
    return files


def _described(file: File) -> dict[str, Any]:
    """What a manifest says of a Parquet file."""
    size = size_of(file)
    end = _read(file, max(0, size - _FOOTER_END))
    footer = _read(file, max(0, size - _FOOTER_END - int.from_bytes(end[:4], "little")))
    return {"bytes": size, "footer": hashlib.sha256(footer).hexdigest()}


def _read(file: File, start: int = 0) -> bytes:
    with file.open("rb") if isinstance(file, Path) else opened(file) as stream:
        stream.seek(start)
        content: bytes = stream.read()
    return content
