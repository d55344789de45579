"""Where compiled kernels are kept: numba stops where it can write neither beside a module nor to the user's cache."""

import os
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

_VARIABLE = "NUMBA_CACHE_DIR"
_PACKAGE = Path(__file__).parent


def find_kernel_cache() -> None:
    """Let numba use a temporary folder where it could write nowhere else; call it before numba is imported.

    What the user's environment says is left alone. Processes started from here on know the folder too.
    """
    if _VARIABLE in os.environ or _is_writable(_user_cache()) or _is_package_writable():
        return
    try:
        folder = _temporary_folder()
    except OSError:
        _compile_in_memory()
        print("lense: kernels are compiled anew in each run, since no folder can be written to", file=sys.stderr)
        return
    os.environ[_VARIABLE] = str(folder)
    if "numba" in sys.modules:  # which has read the environment
        sys.modules["numba"].config.CACHE_DIR = str(folder)
    print(f"lense: compiled kernels are kept in {folder}, since no other folder for them is writable", file=sys.stderr)


def go_on_without_room() -> None:
    """Let a kernel that cannot be kept, as on a full disk, be compiled anew in the next run instead of ending this one.

    This changes numba for the functions of this package alone.
    """
    from numba.core.caching import FunctionCache

    save = FunctionCache.save_overload

    def save_where_there_is_room(self: Any, signature: object, data: object) -> None:
        try:
            save(self, signature, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            if not self._py_func.__module__.startswith(f"{_PACKAGE.name}."):
                raise
            _say_that_nothing_is_kept(error.strerror)

    setattr(FunctionCache, "save_overload", save_where_there_is_room)  # noqa: B010 (mypy takes no other function)


@cache
def _say_that_nothing_is_kept(why: str) -> None:
    print(f"lense: kernels are compiled anew in each run, since they cannot be kept: {why}", file=sys.stderr)


def _user_cache() -> Path:
    """The folder that numba takes where it cannot write beside a module."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home())
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "numba"


def _is_writable(folder: Path) -> bool:
    """Whether ``folder`` is there and can be written to, or can be made."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _is_package_writable() -> bool:
    folders = [_PACKAGE, *(path for path in _PACKAGE.rglob("*") if path.is_dir() and path.name != "__pycache__")]
    return all(_is_writable(folder / "__pycache__") for folder in folders)


def _temporary_folder() -> Path:
    """A folder of this user's alone: compiled code is run, so nobody else may be able to put some there."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"lense-kernels-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        about = folder.lstat()
        is_own = stat.S_ISDIR(about.st_mode) and about.st_uid == user and not stat.S_IMODE(about.st_mode) & 0o077
        if is_own and os.access(folder, os.W_OK):
            return folder
    except OSError:  # somebody else's, or a file
        pass
    return Path(tempfile.mkdtemp(prefix="lense-kernels-"))


def _compile_in_memory() -> None:
    from numba.core.dispatcher import Dispatcher

    setattr(Dispatcher, "enable_caching", lambda _self: None)  # noqa: B010 (mypy takes no other function)
