"""The whole graph against prune and solve: times and scores of cheap and expensive heuristics, in one run.

``python -m benchmarks.end_to_end --graphs facebook wiki --heuristics greedy bmc-mip-5 plain-greedy``

Each measurement has its own process, which ends at the time limit. The time is that of ``lense.solve`` on a graph
in memory, without the certificate: estimates, pruning, the heuristic and the score. Kernels are compiled before. Every
measurement is added to ``end_to_end.jsonl`` at once. An interrupted run continues with what is missing there, and
``end_to_end.md`` shows all that is there.
"""

import argparse
import gc
import json
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.end_to_end_cases import CASES
from benchmarks.measure import SEED
from lense._util.files import replacing
from lense._util.threads import available_cores
from lense.graph import open_graph, power_law, to_networkx
from lense.solving import score

BUDGET = 100
LIMIT, READING = 600.0, 900.0
WORLDS = 10_000
SHORT, SHORT_RUNS = 3.0, 5
"""What takes fewer seconds is run so often, and the least counts."""
STORE = Path(__file__).with_suffix(".jsonl")
WAYS: dict[str, bool | None] = {"default": None, "whole": False}
HEADINGS = ("graph", "heuristic", "whole", "default", "times as fast", "by processor time", "ratio", "what it did")
WIDTHS = (15, 15, 10, 10, 14, 18, 7, 0)
SLOWEST, WORST_RATIO = 1.3, 0.985
Record = dict[str, Any]


def measured(
    graph: str, name: str, budget: int, prune: bool | None, ready: Callable[[], None] = lambda: None
) -> Record:
    """Seconds and score of one way to solve, in this process; ``ready`` is called before the clock starts."""
    case = CASES[name]
    theirs: Any = open_graph(graph, arcs=case.problem == "im")
    small: Any = power_law(300, 6, 2.3, np.random.default_rng(SEED))
    if case.graph_type == "networkx":
        theirs = to_networkx(theirs if case.problem == "im" else theirs.as_undirected())
        small = to_networkx(small)
    for way in (True, False, None):
        case.solve(small, 5, way)  # compiles
    gc.collect()  # what reading left behind is not for the first who allocates to clear away
    ready()
    times, found = run = _timed(lambda: case.solve(theirs, budget, prune))
    if times["seconds"] < SHORT:
        more = (_timed(lambda: case.solve(theirs, budget, prune)) for _ in range(SHORT_RUNS - 1))
        times, found = min(run, *more, key=lambda one: one[0]["processor_seconds"])
    score = found.score if case.problem != "im" else _spread(graph, found.vertices)
    return {**times, "score": score, "reason": found.reason, "pruned": found.pruned is not None}


def _timed(work: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    begun, begun_work = perf_counter(), process_time()
    found = work()
    return {"seconds": perf_counter() - begun, "processor_seconds": process_time() - begun_work}, found


def _spread(graph: str, labels: Sequence[Any]) -> float:
    """On many more worlds than any heuristic saw: the score on those that it fitted to says too much."""
    return float(score(graph, labels, "im", seed=SEED, worlds=WORLDS, certify=False).score)


def within(limit: float, *arguments: Any) -> Record:
    """What :func:`measured` returns in its own process; without a score if solving passes the limit."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=_answer, args=(answers, arguments))
    process.start()
    try:
        found: Record = answers.get(timeout=READING)
        if "error" not in found:  # the graph is read, and the clock has started
            found = answers.get(timeout=limit)
    except Empty:
        return {"seconds": limit, "processor_seconds": None, "score": None, "reason": "", "pruned": None}
    finally:
        process.kill()
        process.join()
    if "error" in found:
        raise RuntimeError(found["error"])
    return found


def _answer(answers: Any, arguments: tuple[str, str, int, bool | None]) -> None:
    try:
        graph, name, budget, prune = arguments
        answers.put(measured(graph, name, budget, prune, lambda: answers.put({})))
    except Exception as error:
        answers.put({"error": f"{type(error).__name__}: {error}"})


class Store:
    """Measurements in a file, one JSON object on a line; the last one for a graph, heuristic, budget and way counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.records = {self._key(record): record for record in map(json.loads, lines)}

    def get(self, graph: str, name: str, budget: int, way: str, limit: float) -> Record | None:
        """What is known; None also if it passed a limit that was shorter than this one."""
        record = self.records.get((graph, name, budget, way))
        return None if record is None or (record["score"] is None and record["limit"] < limit) else record

    def add(self, record: Record) -> None:
        self.records[self._key(record)] = record
        with self.path.open("a") as file:
            file.write(json.dumps(record, allow_nan=False) + "\n")

    def pairs(self) -> Iterator[tuple[Record, Record]]:
        """(default, whole) of each graph and heuristic for which there are both."""
        for graph, name, budget, way in self.records:
            sides = [self.records.get((graph, name, budget, one)) for one in WAYS]
            if way == next(iter(WAYS)) and sides[0] is not None and sides[1] is not None:
                yield sides[0], sides[1]

    @staticmethod
    def _key(record: Record) -> tuple[str, str, int, str]:
        return record["graph"], record["heuristic"], record["budget"], record["way"]


def look_at(store: Store, graph: str, name: str, budget: int, limit: float) -> tuple[Record, Record]:
    """(default, whole): from the store, or measured and added to it."""
    sides = []
    for way, prune in WAYS.items():
        record = store.get(graph, name, budget, way, limit)
        if record is None:
            what = {"graph": graph, "heuristic": name, "budget": budget, "way": way, "limit": limit}
            when = {"at": f"{datetime.now(UTC):%Y-%m-%d %H:%M}", "cores": available_cores()}
            record = {**what, **within(limit, graph, name, budget, prune), **when}
            store.add(record)
        sides.append(record)
    return sides[0], sides[1]


def cells(default: Record, whole: Record) -> tuple[str, ...]:
    """A row; a side that passed the limit has no score, and its time is at least the limit."""
    over = ["> " if side["score"] is None else "" for side in (whole, default)]
    times = [f"{mark}{side['seconds']:.3g} s" for mark, side in zip(over, (whole, default), strict=True)]
    faster = "" if over[1] else f"{over[0]}{whole['seconds'] / default['seconds']:.3g}"
    if any(over):
        return default["graph"], default["heuristic"], *times, faster, "", "", default["reason"]
    work, ratio = (whole[key] / default[key] for key in ("processor_seconds", "score"))
    return default["graph"], default["heuristic"], *times, faster, f"{work:.3g}", f"{1 / ratio:.4f}", default["reason"]


def missed(default: Record, whole: Record) -> list[str]:
    """What is not as it should be: more than 1.3 times the processor time, or less than 0.985 of the score."""
    if default["score"] is None or whole["score"] is None:
        return ["time"] if default["score"] is None and whole["score"] is not None else []
    slow = default["processor_seconds"] > SLOWEST * whole["processor_seconds"]
    return ["time"] * slow + ["score"] * (default["score"] < WORST_RATIO * whole["score"])


def page(pairs: Iterable[tuple[Record, Record]]) -> str:
    """All rows as a Markdown page, with the number of those that miss the aim."""
    known = list(pairs)
    faults = [missed(*pair) for pair in known]
    lines = [HEADINGS, ("---",) * len(HEADINGS), *(cells(*pair) for pair in known)]
    counts = ", ".join(f"{sum(kind in found for found in faults)} miss the {kind}" for kind in ("time", "score"))
    return (
        "# End to end\n\nWritten by `python -m benchmarks.end_to_end`; [what is measured](README.md#end-to-end).\n\n"
        f"{len(known)} rows: {counts}. The aim is at most {SLOWEST} times the processor time of the whole graph, "
        f"and at least {WORST_RATIO} of its score.\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    given = _options(arguments)
    store = Store(given.store)
    _print(HEADINGS)
    for graph in given.graphs:
        for name in given.heuristics:
            _print(cells(*look_at(store, graph, name, given.budget, given.limit)))
            with replacing(given.store.with_suffix(".md")) as part:
                part.write_text(page(store.pairs()))
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.end_to_end",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--graphs", nargs="+", default=["facebook", "wiki", "deezer"], help="files, or names of graphs")
    parser.add_argument("--heuristics", nargs="+", default=list(CASES), choices=list(CASES), metavar="NAME")
    parser.add_argument("--budget", type=int, default=BUDGET)
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for each measurement")
    parser.add_argument("--store", type=Path, default=STORE, help="the .jsonl file to add to; its .md is the table")
    return parser.parse_args(arguments)


def _print(row: tuple[str, ...]) -> None:
    print("  ".join(cell.ljust(width) for cell, width in zip(row, WIDTHS, strict=True)).rstrip(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
