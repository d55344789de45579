"""Compiled kernels find a folder, whoever installed the package."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from lense import kernel_cache
from lense.kernel_cache import find_kernel_cache


def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(kernel_cache, "_is_writable", lambda _folder: False)


def test_nothing_is_changed_where_there_is_a_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    find_kernel_cache()
    assert "NUMBA_CACHE_DIR" not in os.environ
    monkeypatch.setattr(kernel_cache, "_is_writable", lambda _folder: False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "mine")
    find_kernel_cache()
    assert (os.environ["NUMBA_CACHE_DIR"], capsys.readouterr().err) == ("mine", "")


def test_else_it_is_a_temporary_one_that_is_the_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for _ in range(2):
        unwritable(monkeypatch)
        find_kernel_cache()
    (folder,) = tmp_path.iterdir()
    assert str(folder) == os.environ["NUMBA_CACHE_DIR"] == vars(numba.config)["CACHE_DIR"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert capsys.readouterr().err.count(f"lense: compiled kernels are kept in {folder}") == 2
    folder.chmod(0o777)  # anybody could put code there
    unwritable(monkeypatch)
    find_kernel_cache()
    assert os.environ["NUMBA_CACHE_DIR"] != str(folder)


ROOM = """
import resource, signal
from lense.kernel_cache import go_on_without_room
go_on_without_room()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
"""
TWICE = "from numba import njit\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\nprint(twice(21), twice(0.5))\n"


def with_one_kernel(folder: Path, opening: str) -> dict[str, str]:
    """A package of this name that holds one kernel, so that little is compiled, and the environment that finds it."""
    for name in ("lense", "home", "temporary"):
        (folder / name).mkdir()
    shutil.copy(kernel_cache.__file__, folder / "lense")
    (folder / "lense" / "__init__.py").write_text(opening)
    (folder / "lense" / "one.py").write_text(TWICE)
    places = {"PYTHONPATH": folder, "HOME": folder / "home", "TMPDIR": folder / "temporary"}
    return {"PATH": os.environ["PATH"], **{name: str(place) for name, place in places.items()}}


@pytest.mark.skipif(sys.platform == "win32", reason="limits are those of Unix")
def test_where_nothing_can_be_kept_it_runs_and_says_so_once(tmp_path: Path) -> None:
    known = with_one_kernel(tmp_path, ROOM)
    (tmp_path / "other.py").write_text(TWICE)
    own, others = (
        subprocess.run([sys.executable, "-c", f"import {name}"], env=known, capture_output=True, text=True, check=False)
        for name in ("lense.one", "lense, other")
    )
    assert (own.stdout, own.stderr.splitlines()) == (
        "42 1.0\n",
        ["lense: kernels are compiled anew in each run, since they cannot be kept: File too large"],
    )
    assert others.returncode == 1
    assert "OSError: [Errno 27] File too large" in others.stderr  # functions of somebody else are numba's affair


def test_a_read_only_install_runs_and_says_so_once(tmp_path: Path) -> None:
    powerless = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []
    if powerless and shutil.which("setpriv") is None:
        pytest.skip("root writes anywhere, and setpriv is missing")
    known = with_one_kernel(tmp_path, "from lense.kernel_cache import find_kernel_cache\nfind_kernel_cache()\n")
    package, home, temporary = (tmp_path / name for name in ("lense", "home", "temporary"))
    for folder in (package, home):
        folder.chmod(0o555)
    try:
        command = [*powerless, sys.executable, "-c", "import lense.one"]
        found = subprocess.run(command, env=known, capture_output=True, text=True, check=False)
    finally:
        for folder in (package, home):
            folder.chmod(0o755)
    assert found.stdout == "42 1.0\n", found.stderr
    (kept,) = temporary.iterdir()
    assert any(kept.rglob("*.nbi"))
    assert found.stderr.splitlines() == [
        f"lense: compiled kernels are kept in {kept}, since no other folder for them is writable"
    ]
