"""Files and folders that are written whole or not at all, folders that one process holds, and JSON."""

import ctypes
import json
import os
import platform
import shutil
import stat
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from math import isfinite
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from zlib import crc32

from filelock import FileLock, Timeout

from lense.errors import LenseError

_MOST_LINKS = 40
_TEMPORARY = ".lense-"


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
        # links such as /dev/stdout stand for what a process has open, which a rename would not reach
        folder = os.path.realpath(path.parent)
        if not path.is_symlink() or folder == "/dev" or folder.startswith("/proc/"):
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
            import psutil  # here, since most commands find nothing to delete

            number = name.removeprefix(start).partition("-")[0]
            if number.isdecimal() and len(number) < 10 and not psutil.pid_exists(int(number)):
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


@contextmanager
def replacing_folder(path: Path, own: Collection[str]) -> Iterator[Path]:
    """An empty folder to write to; it becomes ``path`` at the end, at once, in place of what was there.

    Files of the old folder whose names are not among its ``own`` are somebody else's, and go over to the new one.
    """
    check_replaceable(path)
    target = followed(path)
    recover(target)
    made = temporary_name(target)
    made.mkdir()
    try:
        yield made
        for kept in target.iterdir() if target.is_dir() else ():
            if kept.name not in own:
                _copy(kept, made / kept.name)
        _put(made, target)
    finally:
        remove(made)


def _copy(source: Path, target: Path) -> None:
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target, follow_symlinks=False)


def recover(path: Path) -> None:
    """Undo half a replacement, where a process was killed in the middle of one and the system cannot do it at once."""
    before = _before(path)
    if not before.is_dir():
        return
    if path.is_dir():
        shutil.rmtree(before)
    else:
        before.rename(path)


def check_place(path: Path) -> None:
    """Raise unless a file can be written at ``path``, before long work is done for it."""
    if path.is_dir():
        raise LenseError(f"{path} is a folder: name a file to write in it.")
    path = followed(path)
    if is_special(path):
        if not os.access(path, os.W_OK):
            raise LenseError(f"{path} cannot be written: it is read-only.")
        return
    if not path.parent.is_dir():
        raise LenseError(f"{path} cannot be written: there is no folder {path.parent}.")
    if not os.access(path.parent, os.W_OK):
        raise LenseError(f"{path} cannot be written: the folder {path.parent} is read-only.")


def check_replaceable(folder: Path) -> None:
    """Raise if ``folder`` is the one that this process works in, which cannot be replaced."""
    if folder.is_dir() and folder.samefile("."):
        raise LenseError("The working directory cannot be replaced: name another folder.")


def check_folder(folder: Path, mark: str, what: str) -> None:
    """Raise unless ``folder`` can be written to and is new, empty or a ``what``, which has the file ``mark``."""
    check_replaceable(folder)
    recover(folder)
    if folder.is_dir():
        if any(folder.iterdir()) and not (folder / mark).is_file():
            raise LenseError(f"{folder} exists and is no {what}: choose another folder, or delete it.")
        check_place(folder / mark)
    elif folder.exists():
        raise LenseError(f"{folder} is a file: name a folder for the {what}.")
    else:
        check_place(folder)


def standing(path: Path) -> Path:
    """``path``, or where a replacement of it is unfinished, the folder that it is to replace."""
    return _before(path) if not path.exists() and _before(path).is_dir() else path


def _put(made: Path, target: Path) -> None:
    """Let ``made`` have the name ``target``, and what was there, if anything, the name of ``made`` or none."""
    if not target.is_dir() or not any(target.iterdir()):
        if sys.platform == "win32" and target.is_dir():
            target.rmdir()  # where no name of a folder is taken over
        made.replace(target)
    elif not _exchanged(made, target):
        before = _before(target)
        target.rename(before)
        made.rename(target)
        shutil.rmtree(before)


def _before(path: Path) -> Path:
    path = path.absolute()  # that of "." has a name
    return path.parent / f".{path.name}.before"


def _exchanged(one: Path, other: Path) -> bool:
    """Swap the names of two folders in one step, if the system can."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    from_here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE
    return rename is not None and rename(from_here, os.fsencode(one), from_here, os.fsencode(other), exchange) == 0


@contextmanager
def held(folder: Path, what: str) -> Iterator[None]:
    """Hold ``folder``, which need not exist, against other processes; raise with the holder's id if one holds it.

    The lock is a file beside it. The system releases it when the process ends, however it ends.
    """
    path = folder.absolute().with_name(f".{folder.absolute().name}.lock")
    holder = path.with_suffix(".holder")  # not in the lock itself, which others cannot read on Windows
    lock = FileLock(path)
    with system_errors(path, "written"):
        try:
            lock.acquire(timeout=0.1)  # seconds, since its last holder may be deleting the file
        except Timeout:
            who = holder.read_text(encoding="utf-8") if holder.exists() else "which has just begun or ended"
            raise LenseError(
                f"{folder} is in use by another {what}, {who}: wait until it ends, or choose another folder."
            ) from None
    try:
        holder.write_text(f"process {os.getpid()} on {platform.node()}", encoding="utf-8")
        yield
    finally:
        holder.unlink(missing_ok=True)
        with suppress(OSError):  # the folder around it may be gone, or on Windows the file still open
            path.unlink()
        lock.release()


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
    return json.dumps(_plain(value), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    """``value`` in types that JSON has: arrays and numbers of numpy become lists and numbers."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    raise LenseError(f"A result of the type {type(value).__name__} cannot be written as JSON.")
