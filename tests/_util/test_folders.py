"""Folders that are replaced by one rename, and folders that one process holds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lense._util import folders
from lense._util.folders import held, recover, replacing_folder, standing
from lense.errors import LenseError


def fill(path: Path, text: str) -> None:
    with replacing_folder(path, ("a",)) as made:
        (made / "a").write_text(text)


@pytest.mark.parametrize("at_once", [True, False])
def test_a_folder_is_new_or_old_and_keeps_what_others_put_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    if not at_once:
        monkeypatch.setattr(folders, "_exchanged", lambda *_: False)
    path = tmp_path / "model"
    fill(path, "first")
    (path / "notes").mkdir()
    (path / "notes" / "mine.txt").write_text("keep me")
    fill(path, "second")
    with pytest.raises(ZeroDivisionError), replacing_folder(path, ("a",)):
        raise ZeroDivisionError
    assert (path / "a").read_text() == "second"
    assert (path / "notes" / "mine.txt").read_text() == "keep me"
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_folder_is_filled_and_a_link_followed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there")
    fill(tmp_path / "link", "text")
    assert (tmp_path / "there" / "a").read_text() == "text"
    assert (tmp_path / "link").is_symlink()


def test_a_kill_between_two_renames_is_undone(tmp_path: Path) -> None:
    path, before = tmp_path / "model", tmp_path / ".model.before"
    fill(before, "old")
    assert standing(path) == before
    recover(path)
    assert (path / "a").read_text() == "old"
    fill(before, "older")
    recover(path)
    assert (path / "a").read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_held_by_one_process_whose_id_is_said(tmp_path: Path) -> None:
    path = tmp_path / "model"
    with held(path, "training"):
        with pytest.raises(LenseError) as refused, held(path, "training"):
            pass
        assert f"is in use by another training, process {os.getpid()} on " in str(refused.value)
    with held(path, "training"):
        pass
    assert not list(tmp_path.iterdir())


def test_the_lock_of_a_killed_process_does_not_count(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from lense._util.folders import held\n"
        "with held(Path(sys.argv[1]), 'training'): os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path / "model"], check=False)
    assert (tmp_path / ".model.lock").exists()
    with held(tmp_path / "model", "training"):
        pass
    assert not list(tmp_path.iterdir())
