"""The commands that accidents happen to, each in a folder of its own."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from lense.graph import power_law, write_graph
from tests.streaming.graphs import write_graph_as_parts

_TINY = (
    "samples_per_class=10",
    "epochs=2",
    "train_steps=60",
    "update_every=10",
    "evaluations=2",
    "roots=20",
    "test_steps=10",
)
_SET = [word for setting in _TINY for word in ("--set", setting)]
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "convert": ("graph", "convert", "graph.txt", "OUT/graph.mtx.gz"),
    "generate": ("graph", "generate", "rmat", "OUT/made.npz", "--set", "scale=12", "--set", "num_edges=40000"),
    "streamed convert": ("graph", "convert", "graph.txt", "OUT/graph"),
    "streamed generate": ("graph", "generate", "rmat", "OUT/made", "--set", "scale=12", "--set", "num_edges=40000"),
    "streamed prune": ("prune", "parts", "-p", "mvc", "-b", "5", "--stream", "-o", "OUT/part.parquet"),
    "core": ("train", "graph.txt", "-p", "mvc", "-b", "5", "-o", "OUT/model"),
    "lense": ("train", "graph.txt", "-p", "mvc", "-b", "5", "-o", "OUT/model", "--pruner", "lense", *_SET),
    "compare": (
        *("compare", "graph.txt", "-p", "mvc", "-b", "5", "-o", "OUT/compared", "--seeds", "2"),
        *("--pruners", "top-degree,quickprune,core,random", "-e", "2"),
    ),
    "reproduce": (
        *("reproduce", "core", "--graphs", "graph.txt", "--problems", "mvc", "-b", "5"),
        *("--seeds", "0", "-e", "2", "-o", "OUT/results"),
    ),
}
_VARYING = re.compile(
    rb'"(seconds|peak_bytes|[a-z_]*seconds|continued|was_interrupted|interrupted)": ?(\[[^\]]*\]|[^,}\]]+)|'
    rb'"machine": ?\{[^}]*\}'
)
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")} | {
    "PYTHONPATH": os.pathsep.join(sys.path),
    "LENSE_THREADS": "1",
}
"""What commands know; accidents happen to them alone, and not to what measures which lines are run."""
_TIMED = (".png", ".svg", ".pdf", ".md", ".csv")
"""Files that show how long something took; the figures in them are those of the records."""


@dataclass(frozen=True)
class Ended:
    status: int
    said: str


def prepare(folder: Path) -> None:
    graph = power_law(400, 6, 2.3, np.random.default_rng(0))
    write_graph(graph, folder / "graph.txt")
    write_graph_as_parts(graph, folder / "parts")


def start(command: str, folder: Path, out: str, **more: str) -> "subprocess.Popen[str]":
    words = [word.replace("OUT", out) for word in COMMANDS[command]]
    (folder / out).mkdir(exist_ok=True)
    interrupts = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)"  # off in the background
    program = f"{interrupts}; from lense.cli import main; main(sys.argv[1:])"
    return subprocess.Popen(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        env={**ENVIRONMENT, "LENSE_CACHE": str(folder), **more},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        restore_signals=True,
        start_new_session=True,
    )


def finish(running: "subprocess.Popen[str]", timeout: float = 600) -> Ended:
    _, said = running.communicate(timeout=timeout)
    return Ended(running.returncode, said)


def run(command: str, folder: Path, out: str) -> Ended:
    return finish(start(command, folder, out))


def kill_at(command: str, folder: Path, out: str, seconds: float) -> bool:
    """Kill the command after so many seconds, with all its children; whether it was still running."""
    running = start(command, folder, out)
    try:
        running.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGKILL)
        finish(running)
        return True
    finish(running)
    return False


def contents(folder: Path) -> dict[str, str]:
    """A digest of each file, hidden ones too, less what says how long something took."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"):
        data = path.read_bytes()
        if path.suffix in _TIMED and path.name != "training.csv":
            data = b""
        elif path.suffix in (".json", ".jsonl"):
            data = _VARYING.sub(b"", data)
        found[str(path.relative_to(folder))] = sha256(data).hexdigest()
    return found


def wait_for(path: Path, running: "subprocess.Popen[str]", seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not path.exists() and running.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
