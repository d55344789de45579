"""``lense prune``: the small part of a graph that is worth solving."""

from pathlib import Path
from typing import Annotated

import typer

from lense.cli.models import (
    Budget,
    Device,
    GraphName,
    ModelFolder,
    ProblemName,
    PrunerName,
    Stop,
    find_model,
    model_name,
    no_model,
    open_prepared,
    percent,
    pruned,
)
from lense.cli.session import (
    Directed,
    FileFormat,
    Ids,
    Json,
    KeepDuplicates,
    KeepLoops,
    NoWeights,
    Quiet,
    Seed,
    Settings,
    Threads,
    Verbose,
    check_place,
    duration,
    parse_settings,
    print_facts,
    print_json,
    reading,
    session,
)
from lense.errors import LenseError, choose


def prune(
    graph: GraphName,
    out: Annotated[Path, typer.Option("--out", "-o", help="The graph file to write; its name tells the format.")],
    model: ModelFolder = None,
    problem: ProblemName = None,
    budget: Budget = None,
    pruner: PrunerName = None,
    stop: Stop = "final",
    device: Device = "auto",
    out_format: Annotated[str | None, typer.Option("--to", help="Format to write, if the name does not tell.")] = None,
    settings: Settings = None,
    seed: Seed = 0,
    directed: Directed = None,
    file_format: FileFormat = None,
    ids: Ids = "auto",
    no_weights: NoWeights = False,
    keep_duplicates: KeepDuplicates = False,
    keep_self_loops: KeepLoops = False,
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Write the subgraph that a pruner keeps, with the original ids (and, for im, the edge probabilities)."""
    check_place(out)
    with session(quiet=quiet, verbose=verbose, threads=threads):
        from lense.evaluation.yardstick import shares_pruned
        from lense.graph import write_graph
        from lense.stopwatch import Stopwatch

        _check_format(out, out_format)
        task, chosen = find_model(
            model, problem, parse_settings(settings), seed=seed, device=device, name=pruner, budget=budget
        )
        if chosen is None:
            raise no_model(problem)
        options = reading(directed, file_format, ids, no_weights, keep_duplicates, keep_self_loops)
        whole = open_prepared(task, graph, options)
        task.check_budget(whole, chosen.budget if budget is None else budget)
        with Stopwatch() as watch:
            part = pruned(chosen, whole, budget, seed, stop)
        write_graph(part.graph, out, format=out_format)
        vertices_pruned, edges_pruned = shares_pruned(whole, part)
    record = {
        "out": str(out),
        "problem": task.name,
        "vertices": part.graph.num_vertices,
        "edges": part.graph.num_edges,
        "vertices_pruned": vertices_pruned,
        "edges_pruned": edges_pruned,
        "roots": part.roots.size,
        "seconds": watch.seconds,
        "pruner": chosen.name,
        "model": model_name(model, chosen),
        "graph": {"source": graph, "vertices": whole.num_vertices, "edges": whole.num_edges},
        "seed": seed,
    }
    if as_json:
        print_json(record)
    elif not quiet:
        print_facts(
            "Pruned graph",
            {
                "vertices": f"{record['vertices']:,} of {whole.num_vertices:,}, so {percent(vertices_pruned)} pruned",
                "edges": f"{record['edges']:,} of {whole.num_edges:,}, so {percent(edges_pruned)} pruned",
                "roots": f"{record['roots']:,}",
                "model": f"{record['model']}, for {task.name}",
                "time": duration(watch.seconds),
                "written to": str(out),
            },
        )


def _check_format(out: Path, name: str | None) -> None:
    """Raise unless the format of the file to write is known, before the walk."""
    from lense.graph.files import FORMATS, GRAPH_SUFFIXES
    from lense.graph.formats.streams import without_compression

    if name is not None:
        choose(name, FORMATS, "graph format")
    elif without_compression(out).suffix.lower() not in GRAPH_SUFFIXES:
        known = ", ".join(GRAPH_SUFFIXES)
        raise LenseError(
            f"The name of {out} does not tell its format: end it in one of {known}, or name one with --to."
        )
