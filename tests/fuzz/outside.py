"""Notices what a case opens, starts or connects to outside its folder, by the interpreter's audit events."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CANARY = "open({!r}, 'w').close()\nfrom lense import Pruner\nclass Canary(Pruner):\n    name = 'canary'\n"
_ROOT = str(Path(__file__).parents[2])
_READ = (
    "/proc/",
    "/sys/",
    "/dev/",
    "/usr/",
    "/lib",
    "/etc/",
    _ROOT,
    sys.prefix,
    sys.base_prefix,
    *filter(None, sys.path),
)
_WRITTEN = ("/dev/null", "/proc/self/")
_STARTS = ("subprocess.Popen", "os.posix_spawn", "os.exec", "os.system", "os.fork", "os.forkpty")
_CONNECTS = ("socket.connect", "socket.getaddrinfo", "socket.bind", "urllib.Request")
_CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_watching: list[tuple[str, bool]] = []
_seen: list[str] = []


def _audit(event: str, given: tuple[Any, ...]) -> None:
    if not _watching:
        return
    folder, processes = _watching[0]
    if event == "open" and isinstance(given[0], str | bytes | os.PathLike):
        path = os.path.abspath(os.fsdecode(given[0]))
        is_written = bool((given[2] or 0) & _CHANGES) and "__pycache__" not in path  # of compiled kernels
        allowed = _WRITTEN if is_written else _READ
        is_bait = path.endswith(("canary.py", "/etc/passwd", "outside.txt", "outside.parquet"))
        if is_bait or not path.startswith((folder, *allowed)):
            _seen.append(f"{path} was {'written' if is_written else 'opened'}")
    elif event in _CONNECTS or (event in _STARTS and not processes):
        _seen.append(f"{event}{given!r:.200}")


sys.addaudithook(_audit)


@contextmanager
def nothing_outside(folder: Path, *, processes: bool = False) -> Iterator[None]:
    """Raise AssertionError if anything outside ``folder`` is touched, or a process is started unless it may be."""
    (folder / "canary.py").write_text(CANARY.format(str(folder / "imported")))
    (folder.parent / "outside.txt").write_text("7")
    tempfile.tempdir, before = str(folder), tempfile.tempdir
    _seen.clear()
    _watching.append((str(folder), processes))
    try:
        yield
    finally:
        _watching.clear()
        tempfile.tempdir = before
    assert not _seen, "; ".join(_seen[:3])
    assert not (folder / "imported").exists(), "code was imported"
