"""Solve graphs that stay on disk, from 10^6 edges up, beside one plain pass of pyarrow over the same columns.

``python -m benchmarks.streaming --folder scratch --most 1e9`` generates what is not in the folder yet, runs every step
in its own process, prints a table, and writes ``streaming.json`` and ``streaming.png`` beside this file.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

RESULTS = Path(__file__).with_name("streaming.json")
PICTURE = Path(__file__).with_name("streaming.png")
SCALES = {10**6: 17, 10**7: 20, 10**8: 23, 10**9: 26}
"""Edges to draw, and the binary logarithm of the vertices that they are drawn between."""
TINY = 10**4
MOST_IN_MEMORY = 10**7
"""Graphs of at most so many edges are solved in memory too, and the answers compared."""
BUDGET = 100
_LENSE = "import sys; from lense.cli import main; main(sys.argv[1:])"
_PASS = """
import sys
from pathlib import Path
from pyarrow import parquet
for path in sorted(Path(sys.argv[1]).glob("part-*.parquet")):
    for batch in parquet.ParquetFile(path).iter_batches(columns=["source", "target"]):
        pass
"""


@dataclass(frozen=True)
class Spent:
    """What a process took: seconds by the clock, seconds of the processor, and the most bytes that it held."""

    wall: float
    processor: float
    peak: int
    output: str = ""


@dataclass(frozen=True)
class Measured:
    """One graph: edges drawn and left, and what each step took; the two startups are with a tiny graph."""

    drawn: int
    edges: int
    vertices: int
    certified: float
    solve_startup: Spent
    pass_startup: Spent
    generate: Spent | None
    plain_pass: Spent
    solve: Spent

    @property
    def passes(self) -> float:
        """The time of the solution in plain passes, both without the start of the program; processor time."""
        solving = self.solve.processor - self.solve_startup.processor
        return solving / (self.plain_pass.processor - self.pass_startup.processor)

    @property
    def passes_by_clock(self) -> float:
        return (self.solve.wall - self.solve_startup.wall) / (self.plain_pass.wall - self.pass_startup.wall)


def run(code: str, *arguments: object) -> Spent:
    """Run Python code in a new process; raises if it fails. This process stays small, since a child starts with it."""
    read, write = os.pipe()
    begun = perf_counter()
    command = [sys.executable, "-c", code, *map(str, arguments)]
    child = os.posix_spawn(sys.executable, command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)])
    os.close(write)
    with os.fdopen(read) as pipe:
        output = pipe.read()
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{' '.join(command[3:])} ended with status {os.waitstatus_to_exitcode(status)}.")
    return Spent(perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, output)


def generated(drawn: int, scale: int, folder: Path) -> tuple[Path, Spent | None]:
    """The folder of a graph, and what it took to write it, if it was not there."""
    graph = folder / f"rmat{drawn:.0e}".replace("+0", "")
    if graph.is_dir():
        return graph, None
    sizes = "--set", f"scale={scale}", "--set", f"num_edges={drawn}"
    return graph, run(_LENSE, "graph", "generate", "rmat", graph, *sizes)


def solved(graph: Path, turns: int) -> tuple[Spent, Spent]:
    """A plain pass and a solution, in turns; the least of each counts."""
    arguments = "solve", graph, "-p", "mvc", "-b", BUDGET, "--stream", "--json"
    rounds = [(run(_PASS, graph), run(_LENSE, *arguments)) for _ in range(turns)]
    plain, solve = (min(times, key=lambda one: one.processor) for times in zip(*rounds, strict=True))
    return plain, solve


def measured(drawn: int, folder: Path, turns: int, startups: tuple[Spent, Spent]) -> Measured:
    """Generate if needed, then pass and solve."""
    graph, made = generated(drawn, SCALES[drawn], folder)
    plain, solve = solved(graph, turns)
    answer = json.loads(solve.output)
    if drawn <= MOST_IN_MEMORY:
        check_memory_agrees(graph, answer)
    sizes = answer["graph"]["edges"], answer["graph"]["vertices"]
    return Measured(drawn, *sizes, answer["certified"], startups[1], startups[0], made, plain, solve)


def check_memory_agrees(graph: Path, answer: dict[str, Any]) -> None:
    """End the run unless the graph in memory has the same answer, to the last bit."""
    whole = json.loads(run(_LENSE, "solve", graph, "-p", "mvc", "-b", BUDGET, "--no-stream", "--json").output)
    for key in ("vertices", "score", "lower_bound", "upper_bound", "certified", "graph", "options", "details"):
        if answer[key] != whole[key]:
            raise SystemExit(f"{graph}: the {key} of the stream is {answer[key]}, and that of memory {whole[key]}.")
    print(f"{graph.name}: the same in memory")


def draw(found: list[Measured], path: Path) -> None:
    """Processor time and memory over edges, both in logarithms."""
    import matplotlib

    from benchmarks.growth import COLOURS
    from lense.plots import STYLE, new_figure, save_figure

    edges = [one.edges for one in found]
    with matplotlib.rc_context(STYLE):
        figure = new_figure(8, 3.6)
        times, memory = figure.subplots(1, 2)
        times.loglog(
            edges, [one.solve.processor for one in found], "o-", color=COLOURS[0], label="lense solve --stream"
        )
        times.loglog(
            edges, [one.plain_pass.processor for one in found], "s--", color="black", label="one pass of pyarrow"
        )
        slope = [found[-1].plain_pass.processor * size / edges[-1] for size in edges]
        times.loglog(edges, slope, color="0.8", zorder=0, label="linear growth")
        times.set(xlabel="edges", ylabel="seconds of the processor")
        times.legend(frameon=False)
        memory.loglog(
            edges, [one.solve.peak / 1e9 for one in found], "o-", color=COLOURS[0], label="peak of lense solve"
        )
        memory.loglog(
            edges,
            [4 * one.vertices / 1e9 for one in found],
            "--",
            color=COLOURS[1],
            label="one array over the vertices",
        )
        memory.loglog(edges, [8 * one.edges / 1e9 for one in found], color="0.6", label="the edges themselves")
        memory.set(xlabel="edges", ylabel="GB")
        memory.legend(frameon=False)
    save_figure(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where the graphs are or will be")
    parser.add_argument("--most", type=float, default=1e8, help="the most edges to draw")
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    tiny, _ = generated(TINY, 10, options.folder)
    startups = solved(tiny, 3)
    found = []
    for drawn in SCALES:
        if drawn > options.most:
            break
        found.append(one := measured(drawn, options.folder, options.turns if drawn < 10**9 else 1, startups))
        print(
            f"{one.edges:,} edges, {one.vertices:,} vertices: certified {one.certified:.4f}, "
            f"{one.solve.processor:.1f} s of the processor, {one.passes:.2f} passes ({one.passes_by_clock:.2f} by the "
            f"clock), peak {one.solve.peak / 1e6:.0f} MB",
            flush=True,
        )
    RESULTS.write_text(json.dumps([_record(one) for one in found], indent=2) + "\n")
    draw(found, PICTURE)


def _record(one: Measured) -> dict[str, object]:
    record = asdict(one)
    for step in ("solve_startup", "pass_startup", "generate", "plain_pass", "solve"):
        if record[step] is not None:
            del record[step]["output"]
    return {**record, "passes": one.passes, "passes_by_clock": one.passes_by_clock}


if __name__ == "__main__":
    main()
