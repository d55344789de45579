"""One job in its process, and what it says while it runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from lense.app import worker
from lense.app.requests import JobSpec
from lense.app.worker import _FAULT, _NO_MEMORY, Events, done
from tests.app.pages import QUESTION, SMALL, SOLVE

LOOK = {"kind": "look", "graph": SMALL}


def did(ask: dict[str, Any], folder: Path, *, source: str = "", title: str = "") -> tuple[int, list[dict[str, Any]]]:
    """Exit status and events of a task that is done in this process."""
    said = list[dict[str, Any]]()
    task = {"ask": ask, "source": source, "title": title, "folder": str(folder)}
    return done(JobSpec.model_validate(task, strict=False), Events(said.append)), said


def test_a_sentence_names_the_file_as_its_user_does(tmp_path: Path) -> None:
    path = tmp_path / "x91.txt"
    path.write_text("only one column\n1\n")
    look = {"kind": "look", "graph": {"kind": "upload", "upload": "x"}}
    status, events = did(look, tmp_path, source=str(path), title="mine.txt")
    assert status == 2
    assert events[-1]["error"].startswith("mine.txt")
    assert str(tmp_path) not in events[-1]["error"]
    assert not (tmp_path / "result.json").exists()


@pytest.mark.parametrize(
    ("ask", "key"),
    [(LOOK, "vertices"), (SOLVE, "reason"), ({"kind": "compare", **QUESTION, "pruners": ("top-degree",)}, "blocks")],
    ids=["look", "solve", "compare"],
)
def test_each_kind_of_question_has_its_result(ask: dict[str, Any], key: str, tmp_path: Path) -> None:
    status, events = did(ask, tmp_path)
    assert (status, events[-1]) == (0, {"is_done": True})
    assert key in json.loads((tmp_path / "result.json").read_text())


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [(MemoryError(), 2, _NO_MEMORY), (KeyError("secret"), 1, _FAULT)],
)
def test_what_goes_wrong_is_a_sentence_without_particulars(
    error: Exception,
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(worker, "look", fail)
    ended, events = did(LOOK, tmp_path)
    assert ended == status
    assert events[-1]["error"] == said
    assert ("KeyError" in capsys.readouterr().err) == (status == 1)  # the terminal says more
    assert not (tmp_path / "result.json").exists()
