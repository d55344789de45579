"""One job in its process."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.app.pages import SMALL


def run(task: dict[str, Any], *, closes: bool = False) -> tuple[int, list[dict[str, Any]]]:
    """Exit status and events of a worker; with ``closes`` its server is gone at once."""
    command = [sys.executable, "-m", "lense.app.worker"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        if closes:
            process.stdin.close()
        events = [json.loads(line) for line in process.stdout]
    return process.returncode, events


def test_a_sentence_names_the_file_as_its_user_does(tmp_path: Path) -> None:
    path = tmp_path / "x91.txt"
    path.write_text("only one column\n1\n")
    look = {"kind": "look", "graph": {"kind": "upload", "upload": "x"}}
    status, events = run({"ask": look, "source": str(path), "title": "mine.txt", "folder": str(tmp_path)})
    assert status == 2
    assert events[-1]["error"].startswith("mine.txt")
    assert str(tmp_path) not in events[-1]["error"]
    assert not (tmp_path / "result.json").exists()


def test_a_worker_ends_with_its_server(tmp_path: Path) -> None:
    big = {**SMALL, "settings": {"n": 3_000_000, "average_degree": 20}}
    task = {"ask": {"kind": "look", "graph": big}, "source": "", "title": "", "folder": str(tmp_path)}
    status, events = run(task, closes=True)
    assert status == 1
    assert {"done": True} not in events
