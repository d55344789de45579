"""Folders that become what they are by one rename, and folders that belong to one process at a time."""

import ctypes
import os
import platform
import shutil
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lense._util.files import followed, remove, system_errors, temporary_name
from lense.errors import LenseError

_EXCHANGE, _FROM_HERE = 2, -100
"""RENAME_EXCHANGE and AT_FDCWD of Linux."""
_LOCKED_BYTE = 1 << 30
"""Windows locks bytes; this one is beyond those that say who holds a lock."""


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

    The lock is a file beside it. The system lets go of it when the process ends, however it ends.
    """
    path = folder.absolute().with_name(f".{folder.absolute().name}.lock")
    with system_errors(path, "written"):
        descriptor = _locked(path)
    if descriptor is None:
        raise LenseError(
            f"{folder} is in use by another {what}, {_holder(path)}: wait until it ends, or choose another folder."
        )
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()} on {platform.node()}\n".encode())
        yield
    finally:
        with suppress(OSError):  # the folder around it may be gone, or on Windows the file still open
            path.unlink()
        os.close(descriptor)


def _locked(path: Path) -> int | None:
    """The file at ``path``, open and locked; None if another process has locked it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        if not _lock(descriptor):
            os.close(descriptor)
            return None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        os.close(descriptor)  # the last holder deleted it in between


def _lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _holder(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip() or "which has just begun"
    except OSError:
        return "which has just ended"
