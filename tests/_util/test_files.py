"""Files that are replaced at once, through links, and into what cannot be replaced."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from lense._util import files
from lense._util.files import (
    held,
    parse_json,
    read_json,
    recover,
    replacing,
    replacing_folder,
    standing,
    temporary_name,
    to_json,
    write_text,
)
from lense.errors import LenseError


def write(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text)


def test_a_file_is_replaced_at_the_end_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with replacing(path) as part:
        part.write_text("new")
        assert (part.suffix, part.parent, path.read_text()) == (".txt", tmp_path, "old")
    assert path.read_text() == "new"
    with pytest.raises(TypeError), replacing(path) as part:
        part.write_text("half", errors=1)  # type: ignore[arg-type]
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link, second = tmp_path / "there" / "file.txt", tmp_path / "link.txt", tmp_path / "second.txt"
    link.symlink_to("there/file.txt")
    second.symlink_to(link)
    for name in (link, second):  # the first writes to where there is no file yet
        write(name, name.name)
        assert link.is_symlink()
        assert second.is_symlink()
        assert target.read_text() == name.name
    assert {path.name for path in tmp_path.iterdir()} == {"there", "link.txt", "second.txt"}


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(LenseError, match=str(tmp_path)):
        write(tmp_path / "a", "text")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_gets_what_was_written(tmp_path: Path) -> None:
    path, found = tmp_path / "pipe.txt", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: found.append(path.read_text()))
    reader.start()
    write(path, "text")
    reader.join(timeout=10)
    assert found == ["text"]
    assert path.is_fifo()


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/stdout is Linux's")
def test_standard_output_is_written_to_wherever_it_goes(tmp_path: Path) -> None:
    program = "from pathlib import Path; from tests._util.test_files import write; write(Path('/dev/stdout'), 'text')"
    with (tmp_path / "out").open("w") as out:
        subprocess.run([sys.executable, "-c", program], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "text"


def test_what_a_killed_process_left_is_deleted_by_the_next(tmp_path: Path) -> None:
    own = temporary_name(tmp_path / "a.txt")
    other = own.with_name(own.name.replace(f"-{os.getpid()}-", "-999999999-"))
    (tmp_path / "sub").mkdir()
    for path in (own, other):
        (tmp_path / "sub" / path.name).write_text("half")
    write_text(tmp_path / "sub" / "a.txt", "text")
    assert {path.name for path in (tmp_path / "sub").iterdir()} == {"a.txt", own.name}


@pytest.mark.parametrize("text", ["1" + "0" * 400, "[-99999999999999999999]", "{", "[" * 100_000])
def test_json_that_cannot_be_used_is_an_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (whose text is shown as it is)
        parse_json(text)
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(LenseError, match=r"a\.json"):
        read_json(tmp_path / "a.json")


def test_json_has_null_where_a_number_is_undefined() -> None:
    given = {"a": float("nan"), "b": [1.5, -float("inf")], "c": np.float32("nan"), "d": np.arange(2), "e": None, "f": 1}
    found = json.loads(to_json(given), parse_constant=pytest.fail)
    assert found == {"a": None, "b": [1.5, None], "c": None, "d": [0, 1], "e": None, "f": 1}
    with pytest.raises(LenseError, match="object"):
        to_json({"a": object()})


def fill(path: Path, text: str) -> None:
    with replacing_folder(path, ("a",)) as made:
        (made / "a").write_text(text)


@pytest.mark.parametrize("at_once", [True, False])
def test_a_folder_is_new_or_old_and_keeps_what_others_put_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    if not at_once:
        monkeypatch.setattr(files, "_exchanged", lambda *_: False)
    path, link = tmp_path / "model", tmp_path / "link"
    path.mkdir()
    link.symlink_to(path)
    fill(link, "first")
    (path / "notes").mkdir()
    (path / "notes" / "mine.txt").write_text("keep me")
    fill(path, "second")
    with pytest.raises(ZeroDivisionError), replacing_folder(path, ("a",)):
        raise ZeroDivisionError
    assert (path / "a").read_text() == "second"
    assert (path / "notes" / "mine.txt").read_text() == "keep me"
    assert sorted(tmp_path.iterdir()) == [link, path]
    assert link.is_symlink()


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
        assert f"training, process {os.getpid()} on " in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_the_lock_of_a_killed_process_does_not_count(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from lense._util.files import held\n"
        "with held(Path(sys.argv[1]), 'training'): os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path / "model"], check=False)
    assert (tmp_path / ".model.lock").exists()
    with held(tmp_path / "model", "training"):
        pass
    assert not list(tmp_path.iterdir())
