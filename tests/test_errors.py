"""Messages are safe to show, whatever they quote."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lense.errors import LenseError, printable
from lense.graph import Graph, read_graph, write_graph
from tests.conftest import Command

ESCAPE = "\x1b[2J\x1b]0;owned\x07"
EVIL = {
    "an edge list": ("a.txt", f"1 2\n1 {ESCAPE}\n"),
    "names of columns": ("a.csv", f"{ESCAPE},b,c,d\n1,2,3,4\n"),
    "unknown names": ("a.csv", f"{ESCAPE},b\nx,y\ny,z\n"),
    "a weight": ("a.txt", f"1 2 {ESCAPE}\n"),
    "matrix market": ("a.mtx", f"%%MatrixMarket matrix {ESCAPE} real general\n1 1 0\n"),
    "sizes": ("a.mtx", f"%%MatrixMarket matrix coordinate real general\n{ESCAPE}\n"),
    "a line that turns round": ("a.txt", "1 2\n1 \u202e2\n"),
}


def test_what_controls_a_terminal_is_shown_as_text() -> None:
    assert printable("a\x1b[31mb\x9bc\u202ed\x7f\udcff") == "a\\x1b[31mb\\x9bc\\u202ed\\x7f\\udcff"
    assert printable("a\tb\r\nc") == "a b  c"
    assert printable("Zoë 名 🎈 \\n می‌خواهم") == "Zoë 名 🎈 \\n می‌خواهم"
    error = LenseError(f"no {ESCAPE}.")
    assert str(error) == "no \\x1b[2J\\x1b]0;owned\\x07."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("kind", EVIL)
@pytest.mark.parametrize("command", ["info", "convert"])
def test_what_a_file_holds_does_not_reach_the_terminal(kind: str, command: str, lense: Command, tmp_path: Path) -> None:
    name, text = EVIL[kind]
    (path := tmp_path / name).write_text(text, encoding="utf-8")
    done = lense("graph", command, path, *([tmp_path / "out"] if command == "convert" else []), "-v")
    assert done.status in (0, 2)
    assert not set("\x1b\x07\x9b\u202e") & set(done.err + done.out)


def test_names_of_files_do_not_reach_the_terminal(lense: Command, tmp_path: Path) -> None:
    for name in (f"{ESCAPE}.txt", "[bold]a[red].txt", os.fsdecode(b"a\xff.txt")):
        (path := tmp_path / name).write_text("1 2\n2 3\n")
        done = lense("graph", "info", path)
        assert done.status == 0
        assert not set("\x1b\x07") & set(done.out + done.err)
        done = lense("graph", "info", tmp_path / f"no-{name}")
        assert done.status == 2
        assert not set("\x1b\x07") & set(done.err)


def test_ids_do_not_reach_the_terminal(lense: Command, tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 0], [1, 2], labels=np.array([ESCAPE, "b", "c"]))
    write_graph(graph, path := tmp_path / "a.npz")
    assert read_graph(path) == graph
    done = lense("solve", path, "-p", "mvc", "-b", "1")
    assert done.status == 0
    assert "\x1b" not in done.out + done.err
    assert "\\x1b[2J" in done.out


def test_a_pipe_without_the_signs_that_are_printed_gets_others(tmp_path: Path) -> None:
    """As pipes of Windows, whose encoding has neither the bars of ``graph info`` nor every id."""
    graph = tmp_path / "graph.csv"
    graph.write_text("source,target\nλ,b\nb,c\n", encoding="utf-8")
    settings = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    for words in (["graph", "info"], ["solve", "-p", "mvc", "-b", "3"]):
        done = subprocess.run([sys.executable, "-m", "lense", *words, str(graph)], env=settings, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert b"?" in done.stdout
