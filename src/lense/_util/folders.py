"""Folders that become what they are by one rename, and folders that belong to one process at a time."""

import ctypes
import os
import platform
import shutil
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from lense._util.files import followed, remove, system_errors, temporary_name
from lense.errors import LenseError

_EXCHANGE, _FROM_HERE = 2, -100
"""RENAME_EXCHANGE and AT_FDCWD of Linux."""
_PATIENCE = 0.1
"""Seconds to wait for a lock: its last holder may be deleting the file."""


@contextmanager
def replacing_folder(path: Path, own: Collection[str]) -> Iterator[Path]:
    """An empty folder to write to; it becomes ``path`` at the end, at once, in place of what was there.

    Files of the old folder whose names are not among its ``own`` are somebody else's, and go over to the new one.
    """
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
    return path.with_name(f".{path.name}.before")


def _exchanged(one: Path, other: Path) -> bool:
    """Swap the names of two folders in one step, if the system can."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    return rename is not None and rename(_FROM_HERE, os.fsencode(one), _FROM_HERE, os.fsencode(other), _EXCHANGE) == 0


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
            lock.acquire(timeout=_PATIENCE)
        except Timeout:
            raise LenseError(
                f"{folder} is in use by another {what}, {_text(holder)}: wait until it ends, or choose another folder."
            ) from None
    try:
        holder.write_text(f"process {os.getpid()} on {platform.node()}", encoding="utf-8")
        yield
    finally:
        holder.unlink(missing_ok=True)
        with suppress(OSError):  # the folder around it may be gone, or on Windows the file still open
            path.unlink()
        lock.release()


def _text(holder: Path) -> str:
    try:
        return holder.read_text(encoding="utf-8")
    except OSError:
        return "which has just begun or ended"
