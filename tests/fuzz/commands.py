"""Command lines with wrong, missing and odd words."""

import contextlib
import io
import os
from pathlib import Path

from lense.cli import main
from tests.fuzz.graphs import seeds
from tests.fuzz.values import Rng

_COMMANDS = (
    ["graph", "info", "GRAPH"],
    ["graph", "convert", "GRAPH", "OUT.mtx"],
    ["graph", "split", "GRAPH", "OUT.txt", "OUT2.txt", "-f", "0.5"],
    ["graph", "generate", "barabasi-albert", "OUT.txt", "--set", "n=50", "--set", "m=2"],
    ["solve", "GRAPH", "-p", "mvc", "-b", "2"],
    ["solve", "GRAPH", "-p", "bmc", "-b", "2", "--json", "--out", "OUT.json"],
    ["advise", "GRAPH", "-p", "mvc", "-b", "2"],
    ["prune", "GRAPH", "OUT.txt", "-p", "mvc", "-b", "2", "--pruner", "top-degree"],
    ["score", "GRAPH", "--vertices", "GRAPH", "-p", "mvc"],
    ["data", "list"],
    ["models", "list"],
    ["versions"],
    ["evaluate", "GRAPH", "-p", "mvc", "-b", "2"],
)
_PLAIN_WORDS = """
-b -p --set --seed --out --json -q -v --threads --format --columns --ids --no-weights --pruner --model --target --size
--budget --solver --keep-duplicates --directed --train-share --help --version -- mvc bmc im domination core lense random
npz parquet edge-list 0 -1 1 nan inf 1e999 2.5 99999999999999999999 ² x= =x n=1 n=-1 n=nan solver=mip epsilon=0
seed=1 GRAPH GRAPH2 OUT.npz MISSING /dev/null . / ../.. *
"""
_WORDS = (*_PLAIN_WORDS.split(), "", " ", "\ud800", "a" * 5000)


def run_case(folder: Path, rng: Rng) -> None:
    """Run a command line; a status other than 0 comes with one line that explains it."""
    words = list(_COMMANDS[rng.integers(len(_COMMANDS))])
    for _ in range(int(rng.integers(1, 4))):
        at, word = int(rng.integers(1, len(words) + 1)), _WORDS[rng.integers(len(_WORDS))]
        if rng.random() < 0.5 and at < len(words):
            words[at] = word
        else:
            words.insert(at, word)
    (folder / "graph.txt").write_bytes(seeds(".txt")[0])
    (folder / "graph.parquet").write_bytes(seeds(".parquet")[1])
    os.chdir(folder)
    named = {"GRAPH": "graph.txt", "GRAPH2": "graph.parquet", "MISSING": "missing.txt"}
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main([named.get(word, word) for word in words])
    except SystemExit as ended:
        status = ended.code or 0
        lines = [line for line in err.getvalue().splitlines() if line]
        assert status in (0, 2), (words, status)
        assert status == 0 or (lines and lines[-1].startswith("lense: ")), (words, status, lines)
        assert "Traceback" not in err.getvalue(), words
        left = [path.name for path in folder.iterdir() if path.name.startswith(".lense-")]
        assert not left, (words, left)
