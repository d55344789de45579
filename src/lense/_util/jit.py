"""Compile loops with numba: :func:`kernel` is the decorator of every compiled function of this package.

Compiled code is kept on disk for the next process, in a folder that numba chooses: ``NUMBA_CACHE_DIR``, next to the
module, or the user's cache. Where it can write to none of them, as in a read-only container, a private temporary folder
serves. Where nothing can be written, as on a full disk, each process compiles for itself. A warning says so once.
"""

import os
import stat
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar, overload

from numba import config, njit
from numba.core import event
from numba.core.caching import FunctionCache, NullCache

from lense._util.progress import announcing

Function = TypeVar("Function", bound=Callable[..., Any])
_PATIENCE = 2.0
"""Seconds of compiling before a line says so: a first command would seem to hang."""


@overload
def kernel(function: Function, /) -> Function: ...
@overload
def kernel(**options: Any) -> Callable[[Function], Function]: ...
def kernel(function: Any = None, /, **options: Any) -> Any:
    """Compile a function with numba at its first call; it releases the GIL. ``options`` are those of ``numba.njit``."""

    def compiled(function: Callable[..., Any]) -> Any:
        made: Any = njit(nogil=True, **options)(function)
        made._cache = _cache_for(function)  # as njit's cache=True does it, with a cache that survives a full disk
        return made

    return compiled if function is None else compiled(function)


class _Cache(FunctionCache):
    def load_overload(self, sig: object, target_context: object) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except (AttributeError, ImportError):  # kept by another version of lense, whose types have moved
            self.flush()
            return None

    def save_overload(self, sig: object, data: object) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn(f"compiled kernels cannot be kept, so each run compiles them: {error.strerror}")


def _cache_for(function: Callable[..., Any]) -> Any:
    try:
        return _Cache(function)
    except RuntimeError:  # numba can write to none of its folders
        pass
    try:
        folder = _private_folder()
    except OSError as error:
        _warn(f"compiled kernels cannot be kept, so each run compiles them: {error.strerror}")
        return NullCache()
    vars(config)["CACHE_DIR"] = os.environ["NUMBA_CACHE_DIR"] = str(folder)  # for child processes too
    _warn(f"compiled kernels are kept in {folder}, since no other folder for them is writable")
    return _Cache(function)


def _private_folder() -> Path:
    """A folder of this user alone: compiled code is run, so nobody else may be able to put some there."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"lense-kernels-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        is_own = stat.S_ISDIR(found.st_mode) and found.st_uid == user and not stat.S_IMODE(found.st_mode) & 0o077
        if is_own and os.access(folder, os.W_OK):
            return folder
    except OSError:  # somebody else's, or a file
        pass
    return Path(tempfile.mkdtemp(prefix="lense-kernels-"))


@cache
def _warn(message: str) -> None:
    print(f"lense: {message}", file=sys.stderr)


class _CompileTimer(event.Listener):
    """Adds up the seconds that numba compiles; what it finds compiled does not count."""

    seconds, depth, begun = 0.0, 0, 0.0

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.begun = monotonic()
        self.depth += 1
        if announcing["compiling"] and self.seconds + monotonic() - self.begun >= _PATIENCE:
            announcing["compiling"] = False
            print("lense: compiling for this machine, which is done once", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += monotonic() - self.begun


_timer = _CompileTimer()
event.register("numba:compile", _timer)


def compiling_seconds() -> float:
    """The seconds that this process has spent compiling so far."""
    return _timer.seconds
