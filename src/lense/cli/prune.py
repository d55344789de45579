"""``lense prune``: the small part of a graph that is worth solving."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from lense._util.formatting import duration, percent
from lense.cli.models import expectation, how_to_walk, model_name, need_pruner, open_prepared
from lense.cli.options import GraphName, OutFormat, Pruning, Reading, Running, Task, grouped, running_option
from lense.cli.session import check_place, print_facts, print_json
from lense.cli.streaming import Streaming
from lense.errors import LenseError, choose

if TYPE_CHECKING:
    from lense._util.types import AnyArray
    from lense.graph import Graph, Scan
    from lense.graph.subgraph import Subgraph
    from lense.pruners import Pruner
    from lense.pruners.calibration import Expected


@grouped()
def prune(
    graph: GraphName,
    *,
    task: Task,
    pruning: Pruning,
    reading: Reading,
    streaming: Streaming,
    out: Annotated[Path, running_option("--out", "-o", help="The graph file to write; its name says the format.")],
    out_format: OutFormat = None,
    running: Running,
) -> None:
    """Write the subgraph that a pruner keeps, with the original ids (and, for im, the edge probabilities).

    The pruner bounds also writes the vertices that every optimum holds, to OUT.forced.txt beside the graph.
    """
    check_place(out)
    with running.session():
        from lense.graph import write_graph

        _check_format(out, out_format)
        check_place(_forced_file(out))
        pruner = need_pruner(task, pruning, seed=running.seed)
        problem = pruner.problem_
        if task.budget is None and pruning.model is None:
            raise LenseError("Say with --budget how many vertices a solution has.")
        budget = pruner.budget if task.budget is None else task.budget
        scan = None if streaming.solves_in_memory(problem, graph) else streaming.scan(graph, reading)
        if scan is None:
            streaming.check_local()
            whole = open_prepared(problem, graph, reading)
            made = _in_memory(pruner, whole, task.budget, pruning, running.seed)
        else:
            made = _streamed(pruner, scan, budget, pruning, streaming, running.seed)
        part, expected = made.part, made.expected
        write_graph(part.graph, out, format=out_format)
        forced_out = _write_forced(out, made.forced if pruner.forces else None)
    record: dict[str, Any] = {
        "out": str(out),
        "problem": problem.name,
        "vertices": part.graph.num_vertices,
        "edges": part.graph.num_edges,
        "vertices_pruned": 1 - part.graph.num_vertices / made.vertices,
        "edges_pruned": 1 - part.graph.num_edges / made.edges,
        "roots": part.roots.size,
        "expected_ratio": None if expected is None else expected.ratio,
        "confidence": None if expected is None else expected.confidence,
        "unlike": made.unlike if expected is None else expected.unlike,
        "forced": part.forced.size,
        "forced_out": forced_out,
        "seconds": made.seconds,
        "pruner": pruner.name,
        "model": model_name(pruning, pruner),
        "graph": {"source": graph, "vertices": made.vertices, "edges": made.edges},
        "seed": running.seed,
    }
    if running.as_json:
        print_json(record)
    elif not running.quiet:
        _show(record)


@dataclass(frozen=True)
class _Made:
    """A part, the ids of its forced vertices, the size of the whole graph, what to expect, and the seconds it took."""

    part: "Subgraph"
    forced: "AnyArray"
    vertices: int
    edges: int
    expected: "Expected | None"
    seconds: float
    unlike: str = ""


def _in_memory(pruner: "Pruner", whole: "Graph", budget: float | None, pruning: Pruning, seed: int) -> _Made:
    from lense._util.measuring import Stopwatch

    pruner.problem_.check_budget(whole, pruner.budget if budget is None else budget)
    walks = how_to_walk(pruner, pruning.stop)
    expected = pruner.expected(whole, budget=budget, prepared=True)
    with Stopwatch() as watch:
        part = pruner.prune(whole, budget=budget, seed=seed, prepared=True, **walks)
    sizes = whole.num_vertices, whole.num_edges
    unlike = pruner.warning(whole, pruner.budget if budget is None else budget)
    return _Made(part, whole.labels[part.forced], *sizes, expected, watch.seconds, unlike)


def _streamed(
    pruner: "Pruner", scan: "Scan", budget: float, pruning: Pruning, streaming: Streaming, seed: int
) -> _Made:
    from lense._util.measuring import Stopwatch
    from lense.pruners.core import Core
    from lense.streaming.excerpts import Excerpts
    from lense.streaming.pruning import expected_streamed, prune_streamed
    from lense.streaming.room import Room

    how_to_walk(pruner, pruning.stop)  # refuses what is for walks alone
    with Stopwatch() as watch, streaming.passes(scan) as engine:
        excerpts = Excerpts(scan, Room.of(streaming.limit), engine)
        part = prune_streamed(pruner, excerpts, budget=budget, seed=seed)
    expected = expected_streamed(pruner, excerpts, budget) if isinstance(pruner, Core) else None
    sizes = scan.num_vertices, scan.num_edges
    return _Made(part, scan.labels_of(part.forced), *sizes, expected, watch.seconds)


def _show(record: dict[str, Any]) -> None:
    whole = record["graph"]
    print_facts(
        "Pruned graph",
        {
            name: f"{record[name]:,} of {whole[name]:,}, so {percent(record[f'{name}_pruned'])} pruned"
            for name in ("vertices", "edges")
        }
        | {
            "roots": f"{record['roots']:,}",
            **({"in doubt": record["unlike"]} if record["unlike"] and record["expected_ratio"] is None else {}),
            **({} if record["expected_ratio"] is None else {"expected": expectation(record)}),
            **({"forced": f"{record['forced']:,}, in {record['forced_out']}"} if record["forced_out"] else {}),
            # without a model, the pruner's own name stands in its place
            "pruner" if record["model"] == record["pruner"] else "model": f"{record['model']}, for {record['problem']}",
            "time": duration(record["seconds"]),
            "written to": record["out"],
        },
    )


def _forced_file(out: Path) -> Path:
    return out.with_name(f"{out.name}.forced.txt")


def _write_forced(out: Path, labels: "AnyArray | None") -> str | None:
    """Write the ids of the forced vertices beside ``out``, one on a line; the name of that file.

    Where there are none, the file of an earlier graph of that name is deleted, since it says nothing about this one.
    """
    from lense._util.files import replacing, system_errors

    path = _forced_file(out)
    with system_errors(path, "written"):
        if labels is None:
            path.unlink(missing_ok=True)
            return None
        with replacing(path) as part:
            part.write_text("".join(f"{label}\n" for label in labels.tolist()), encoding="utf-8")
    return str(path)


def _check_format(out: Path, name: str | None) -> None:
    """Raise unless the format of the file to write is known, before the long work."""
    from lense.graph.files import FORMATS, GRAPH_SUFFIXES
    from lense.graph.formats.streams import without_compression

    if name is not None:
        choose(name, FORMATS, "graph format")
    elif without_compression(out).suffix.lower() not in GRAPH_SUFFIXES:
        known = ", ".join(GRAPH_SUFFIXES)
        raise LenseError(f"The name of {out} does not say its format: end it in one of {known}, or name one with --to.")
