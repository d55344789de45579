"""Output on a system whose pipes do not take every sign, such as Windows."""

import os
import subprocess
import sys
from pathlib import Path


def test_a_pipe_without_the_signs_that_are_printed_gets_others(tmp_path: Path) -> None:
    """As pipes of Windows, whose encoding has neither the bars of ``graph info`` nor every id."""
    graph = tmp_path / "graph.csv"
    graph.write_text("source,target\nλ,b\nb,c\n", encoding="utf-8")
    command = [sys.executable, "-m", "lense"]
    settings = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    for words in (("graph", "info"), ("solve", "--problem", "mvc", "--budget", "3")):
        done = subprocess.run([*command, *words, str(graph)], env=settings, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert b"?" in done.stdout
