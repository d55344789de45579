"""Files that are written as a whole or not at all, the system's errors as sentences, and the cache folder."""

import json
import os
import platform
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from math import isfinite
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from zlib import crc32

from lense.errors import LenseError

_MOST_LINKS = 40
_TEMPORARY = ".lense-"
_SPECIAL_FOLDERS = ("/dev", "/proc")
"""Links in them, such as /dev/stdout, stand for what a process has open; a rename would not reach that."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name to write to, with the same endings; it becomes ``path`` at the end, at once.

    A link stays, and the file that it leads to is replaced. What is no regular file, such as a pipe or a device, cannot
    be replaced: at the end it gets all that was written.
    """
    target = followed(path)
    if is_special(target):
        folder = scratch_folder()
        try:
            yield folder / path.name
            # whoever reads a pipe may have had enough
            with suppress(BrokenPipeError), (folder / path.name).open("rb") as made, open(target, "wb") as through:
                shutil.copyfileobj(made, through)
        finally:
            remove(folder)
        return
    part = temporary_name(target)
    try:
        yield part
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def followed(path: Path) -> Path:
    """Where the links that begin at ``path`` lead."""
    for _ in range(_MOST_LINKS):
        if not path.is_symlink() or _is_in_special_folder(path):
            return path
        path = path.parent / os.readlink(path)
    raise LenseError(f"{path} cannot be written: it is a link that leads in a circle.")


def is_special(path: Path) -> bool:
    """Whether there is something at ``path``, where links end, that is neither a regular file nor a folder."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return path.is_symlink() or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _is_in_special_folder(path: Path) -> bool:
    folder = os.path.realpath(path.parent)
    return folder == _SPECIAL_FOLDERS[0] or folder.startswith(f"{_SPECIAL_FOLDERS[1]}/")


def temporary_name(path: Path) -> Path:
    """A new name beside ``path``, with the same endings; those that a killed process left there are deleted."""
    if path.parent.is_dir():
        _clear_once(path.absolute())
    return path.with_name(f"{_TEMPORARY}{_host()}-{os.getpid()}-{os.urandom(4).hex()}.{path.name}")


def scratch_folder() -> Path:
    """A new folder for temporary files; those that killed processes left are deleted."""
    folder = temporary_name(Path(gettempdir()) / "scratch")
    folder.mkdir(mode=0o700)
    return folder


@cache
def _clear_once(path: Path) -> None:
    """Delete what processes of this machine that are no more left beside ``path`` under a temporary name."""
    start, end = f"{_TEMPORARY}{_host()}-", f".{path.name}"
    for name in os.listdir(path.parent):
        if name.startswith(start) and name.endswith(end):
            number = name.removeprefix(start).partition("-")[0]
            if number.isdecimal() and not _is_alive(int(number)):
                with suppress(PermissionError):  # somebody else's, who shares the folder
                    remove(path.with_name(name))


def remove(path: Path) -> None:
    """Delete a file or a folder with all that is in it, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _host() -> str:
    return f"{crc32(platform.node().encode()):08x}"


def _is_alive(process: int) -> bool:
    if os.name == "nt":  # where signal 0 is not a question
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


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


def parse_json(text: str | bytes) -> Any:
    """Parse JSON; raise ValueError for other text, deeper nesting than anything of ours, and integers over 64 bits."""
    try:
        return json.loads(text, parse_int=_int64)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _int64(text: str) -> int:
    number = int(text)
    if not -(2**63) <= number < 2**64:
        raise ValueError(f"{text[:20]}… is too large")
    return number


def read_json(path: Path) -> Any:
    if not path.is_file():
        raise LenseError(f"There is no file {path}, which a model needs.")
    try:
        return parse_json(path.read_bytes())
    except ValueError as error:
        raise LenseError(f"{path} is damaged: it is not JSON.") from error


def write_json(path: Path, value: Any) -> None:
    with replacing(path) as temporary:
        temporary.write_text(to_json(value) + "\n", encoding="utf-8")


def to_json(value: Any) -> str:
    """``value`` as JSON for people and machines; an undefined number, such as a mean of nothing, is null."""
    try:
        return json.dumps(value, indent=2, allow_nan=False, default=_plain)
    except ValueError:
        return json.dumps(_defined(value), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    """An array or a number of numpy as JSON knows it."""
    if not hasattr(value, "tolist"):
        raise LenseError(f"A result of the type {type(value).__name__} cannot be written as JSON.")
    return value.tolist()


def _defined(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _defined(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_defined(one) for one in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else _defined(_plain(value))
