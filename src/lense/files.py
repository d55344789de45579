"""Files that are written as a whole or not at all, the system's errors as sentences, and the cache folder."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lense.errors import LenseError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name to write to, in the same folder and with the same endings; it becomes ``path`` at the end."""
    part = path.with_name(f".{os.getpid()}-{os.urandom(4).hex()}.{path.name}")
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def system_errors(path: Path, done: str) -> Iterator[None]:
    """Turn errors of the operating system into one sentence."""
    try:
        yield
    except FileNotFoundError as error:
        missing = "such file" if path.parent.is_dir() else f"folder {path.parent}"
        raise LenseError(f"{path} cannot be {done}: there is no {missing}.") from error
    except MemoryError as error:
        raise LenseError(f"{path} cannot be {done}: it does not fit into memory.") from error
    except OSError as error:
        raise LenseError(f"{path} cannot be {done}: {error.strerror or error}.") from error


def write_text(path: Path, text: str) -> Path:
    """Write a text file and the folders above it; the path again."""
    with system_errors(path.parent, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return path


def cache_folder() -> Path:
    """Where downloaded graphs are kept: the folder ``LENSE_CACHE`` names, else the user's cache folder."""
    from platformdirs import user_cache_path

    named = os.environ.get("LENSE_CACHE")
    return Path(named) if named else user_cache_path("lense")


def read_json(path: Path) -> Any:
    if not path.is_file():
        raise LenseError(f"There is no file {path}, which a model needs.")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LenseError(f"{path} is damaged: it is not JSON.") from error


def write_json(path: Path, value: Any) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
