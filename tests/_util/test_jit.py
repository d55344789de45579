"""Kernels are compiled once on a machine where the result can be kept, and a first command says that it compiles."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from numba.core import event

from lense import errors
from lense._util import formatting, jit, progress
from lense._util.progress import announcing

ROOM = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
"""
TWICE = "from lense._util.jit import kernel\n@kernel\ndef twice(x):\n    return 2 * x\nprint(twice(21), twice(0.5))\n"


def with_one_kernel(folder: Path, opening: str = "") -> dict[str, str]:
    """A package of this name that holds one kernel, so that little is compiled, and the environment that finds it."""
    for name in ("lense", "home", "temporary"):
        (folder / name).mkdir()
    (folder / "lense" / "_util").mkdir()
    for module in (errors, formatting, jit, progress):
        shutil.copy(str(module.__file__), folder.joinpath(*module.__name__.split(".")).with_suffix(".py"))
    (folder / "lense" / "__init__.py").write_text(opening)
    (folder / "lense" / "one.py").write_text(TWICE)
    places = {"PYTHONPATH": folder, "HOME": folder / "home", "TMPDIR": folder / "temporary"}
    return {"PATH": os.environ["PATH"], **{name: str(place) for name, place in places.items()}}


def run(known: dict[str, str], *before: str) -> "subprocess.CompletedProcess[str]":
    command = [*before, sys.executable, "-c", "import lense.one"]
    return subprocess.run(command, env=known, capture_output=True, text=True, check=False)


def test_a_kernel_is_compiled_once_and_then_found(tmp_path: Path) -> None:
    known = with_one_kernel(tmp_path)
    for _ in range(2):
        found = run(known)
        assert (found.stdout, found.stderr) == ("42 1.0\n", "")
    kept = list((tmp_path / "lense" / "__pycache__").glob("one.twice*.nbc"))
    assert len(kept) == 2  # one for each type of argument


@pytest.mark.skipif(sys.platform == "win32", reason="limits are those of Unix")
def test_on_a_full_disk_it_runs_and_warns_once(tmp_path: Path) -> None:
    found = run(with_one_kernel(tmp_path, ROOM))
    assert found.stdout == "42 1.0\n", found.stderr
    assert found.stderr.count("\n") == 1
    assert "File too large" in found.stderr


def test_a_read_only_install_keeps_kernels_in_a_private_folder(tmp_path: Path) -> None:
    powerless = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []
    if powerless and shutil.which("setpriv") is None:
        pytest.skip("root writes anywhere, and setpriv is missing")
    known = with_one_kernel(tmp_path)
    package, home, temporary = (tmp_path / name for name in ("lense", "home", "temporary"))
    for folder in (package, home):
        folder.chmod(0o555)
    try:
        found = run(known, *powerless)
    finally:
        for folder in (package, home):
            folder.chmod(0o755)
    assert found.stdout == "42 1.0\n", found.stderr
    (kept,) = temporary.iterdir()
    assert any(kept.rglob("*.nbi"))
    assert found.stderr.count("\n") == 1
    assert str(kept) in found.stderr


def test_the_private_folder_is_the_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = jit._private_folder()
    assert folder.stat().st_mode & 0o077 == 0
    assert jit._private_folder() == folder
    folder.chmod(0o777)  # anybody could put code there
    assert jit._private_folder() != folder


def test_it_is_said_once_where_it_is_wanted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "_PATIENCE", 0.0)
    monkeypatch.setitem(announcing, "compiling", True)
    for _ in range(2):
        with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
            pass
    assert capsys.readouterr().err.count("\n") == 1
