"""Result stores with damaged lines, and plans of comparisons."""

import json
from functools import cache
from pathlib import Path

from lense.experiments import EXPERIMENTS
from lense.experiments.comparison import OneGraph
from tests.fuzz.mutations import changed_json, damaged, json_text
from tests.fuzz.values import Rng

RESULTS = Path(__file__).parents[2] / "results"
_MOST_BYTES = 20_000


@cache
def seeds() -> dict[str, tuple[bytes, ...]]:
    """A few short lines of each experiment's results."""
    found = {}
    for name in EXPERIMENTS:
        path = RESULTS / f"{name}.jsonl"
        lines = [line for line in path.read_bytes().splitlines() if len(line) < _MOST_BYTES] if path.is_file() else []
        if lines:
            found[name] = tuple(lines[:6])
    return found


def run_case(folder: Path, rng: Rng) -> None:
    """Read a store of which a line is damaged."""
    names = sorted(seeds())
    name = names[rng.integers(len(names))]
    lines = list(seeds()[name])
    at = int(rng.integers(len(lines)))
    if rng.random() < 0.7:
        lines[at] = json_text(changed_json(json.loads(lines[at]), rng), rng).replace(b"\n", b" ")
    else:
        lines[at] = damaged(lines[at], rng, lines)
    store = EXPERIMENTS[name].store(folder)
    store.path.write_bytes(b"\n".join(lines) + b"\n")
    records = list(store.records().values())
    for record in records:
        assert (record.figures is None) != (record.error is None)
    if name == "rivals":
        one = OneGraph(records)
        if one.wholes:
            one.failures()


def warm_up(folder: Path) -> None:
    for name, lines in seeds().items():
        store = EXPERIMENTS[name].store(folder)
        store.path.write_bytes(b"\n".join(lines) + b"\n")
        assert store.records()
