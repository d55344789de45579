"""``lense prune``: the small part of a graph that is worth solving."""

from pathlib import Path
from typing import Annotated, Any

from lense._util.files import check_place, system_errors, write_text
from lense._util.formatting import duration, percent
from lense.cli.options import (
    GraphName,
    OutFormat,
    Pruning,
    Reading,
    Running,
    Streaming,
    Task,
    grouped,
    running_option,
    solve_options,
)
from lense.cli.session import expectation, print_facts, print_json


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

    --pruner bounds also writes the vertices that every optimum contains, to OUT.forced.txt beside the graph.
    """
    check_place(out)
    with running.session():
        from lense.graph import write_graph
        from lense.graph.files import graph_format
        from lense.solving import find_part

        graph_format(out, out_format)
        check_place(_forced_file(out))
        task.check(pruning.model)
        options = solve_options(task, pruning, reading, streaming, running)
        found = find_part(graph, task.problem, task.budget, options=options)
        part = found.subgraph
        write_graph(part.graph, out, format=out_format)
        forced_out = _write_forced(out, found.forced if found.pruner.forces else None)
    whole = found.graph
    record: dict[str, Any] = {
        "out": str(out),
        "problem": found.setup.problem.name,
        "vertices": part.graph.num_vertices,
        "edges": part.graph.num_edges,
        "vertices_pruned": 1 - part.graph.num_vertices / whole["vertices"],
        "edges_pruned": 1 - part.graph.num_edges / whole["edges"],
        "roots": part.roots.size,
        "expected_ratio": None if found.expected is None else found.expected.ratio,
        "confidence": None if found.expected is None else found.expected.confidence,
        "unlike": found.warning,
        "forced": part.forced.size,
        "forced_out": forced_out,
        "seconds": found.seconds,
        "pruner": found.pruner.name,
        "model": found.setup.model,
        "graph": {name: whole[name] for name in ("source", "vertices", "edges")},
        "seed": running.seed,
    }
    if running.as_json:
        print_json(record)
    elif not running.quiet:
        print_facts("Pruned graph", _facts(record))


def _facts(record: dict[str, Any]) -> dict[str, str]:
    whole = record["graph"]
    facts = {
        name: f"{record[name]:,} of {whole[name]:,}, so {percent(record[f'{name}_pruned'])} pruned"
        for name in ("vertices", "edges")
    }
    facts["roots"] = f"{record['roots']:,}"
    if record["expected_ratio"] is not None:
        facts["expected"] = expectation(record)
    elif record["unlike"]:
        facts["in doubt"] = record["unlike"]
    if record["forced_out"]:
        facts["forced"] = f"{record['forced']:,}, in {record['forced_out']}"
    # without a model, the pruner's own name stands in its place
    source = "pruner" if record["model"] == record["pruner"] else "model"
    facts[source] = f"{record['model']}, for {record['problem']}"
    return {**facts, "time": duration(record["seconds"]), "written to": record["out"]}


def _forced_file(out: Path) -> Path:
    return out.with_name(f"{out.name}.forced.txt")


def _write_forced(out: Path, ids: list[Any] | None) -> str | None:
    """Write the ids of the forced vertices beside ``out``, one on a line; the name of that file."""
    path = _forced_file(out)
    with system_errors(path, "written"):
        if ids is not None:
            return str(write_text(path, "".join(f"{one}\n" for one in ids)))
        path.unlink(missing_ok=True)  # of an earlier graph of that name: it says nothing about this one
    return None
