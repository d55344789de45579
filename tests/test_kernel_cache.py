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


def test_a_read_only_install_runs_and_says_so_once(tmp_path: Path) -> None:
    """With a package that holds one kernel, so that little is compiled."""
    powerless = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []
    if powerless and shutil.which("setpriv") is None:
        pytest.skip("root writes anywhere, and setpriv is missing")
    package, home, temporary = tmp_path / "lense", tmp_path / "home", tmp_path / "temporary"
    for folder in (package, home, temporary):
        folder.mkdir()
    shutil.copy(kernel_cache.__file__, package)
    (package / "__init__.py").write_text("from lense.kernel_cache import find_kernel_cache\nfind_kernel_cache()\n")
    (package / "one.py").write_text(
        "from numba import njit\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\nprint(twice(21))\n"
    )
    known = {"PYTHONPATH": str(tmp_path), "HOME": str(home), "TMPDIR": str(temporary), "PATH": os.environ["PATH"]}
    for folder in (package, home):
        folder.chmod(0o555)
    try:
        command = [*powerless, sys.executable, "-c", "import lense.one"]
        found = subprocess.run(command, env=known, capture_output=True, text=True, check=False)
    finally:
        for folder in (package, home):
            folder.chmod(0o755)
    assert found.stdout == "42\n", found.stderr
    (kept,) = temporary.iterdir()
    assert any(kept.rglob("*.nbi"))
    assert found.stderr.splitlines() == [
        f"lense: compiled kernels are kept in {kept}, since no other folder for them is writable"
    ]
