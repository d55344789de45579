"""The front door: ``lense solve``, ``score``, ``prune`` and ``advise`` choose vertices and say how good they are."""

from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lense._util.files import check_place, system_errors, write_text
from lense._util.formatting import duration, percent, quantity, size
from lense.cli.options import (
    GRAPH,
    Certify,
    GraphName,
    OutFormat,
    Pruning,
    Reading,
    Running,
    Solver,
    Solving,
    Streaming,
    Target,
    Task,
    from_standard_input,
    grouped,
    problem_option,
    running_option,
    solve_options,
)
from lense.cli.output import expectation
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.solving import Advice

_SHOWN_VERTICES = 10


@grouped()
def solve(
    graph: GraphName,
    *,
    task: Task,
    solver: Solver = None,
    solving: Solving,
    pruning: Pruning,
    reading: Reading,
    streaming: Streaming,
    out: Annotated[
        Path | None, running_option("--out", "-o", help="Also write the solution to a .json or .csv file.")
    ] = None,
    running: Running,
) -> None:
    """Choose the best vertices within a budget, on the whole graph or the part that matters.

    For example: lense solve graph.txt --problem mvc --budget 100

    By default, solves whichever is estimated to be faster. --set sets options of the problem, such as model, epsilon
    and worlds for im, or gap and time_limit for mip solvers. An unknown name lists the choices.
    """
    if out is not None:
        if out.suffix not in (".json", ".csv"):
            raise LenseError(f"--out takes a file ending in .json or .csv, not {out.name}.")
        check_place(out)
    with running.session():
        from lense.solving import answer_record, solve, write_answer

        task.check(pruning.model)
        options = solve_options(task, solving, pruning, reading, streaming, running)
        found = solve(graph, task.problem, task.budget, solver, options=options)
        record = answer_record(found)
    if out is not None:
        write_answer(out, record)
    running.show("Solution", record, _solution_facts(found, record), is_written=out is not None)


@grouped()
def score(
    graph: GraphName,
    *,
    vertices: Annotated[
        Path,
        problem_option(
            "--vertices", help="A file with vertex ids: one on a line, a JSON list, or from 'lense solve --out'."
        ),
    ],
    task: Task,
    certify: Certify = True,
    reading: Reading,
    running: Running,
) -> None:
    """Score your own set of vertices, and bound how far it is from the optimum.

    For example: lense score graph.txt --vertices answer.txt --problem mvc

    --budget defaults to the number of vertices in the file.
    """
    with running.session():
        from lense.solving import answer_record, read_answer, score

        task.check(needs_budget=False)
        options = solve_options(task, reading, running)
        found = score(graph, read_answer(vertices), task.problem, task.budget, options=options, certify=certify)
        record = answer_record(found)
    facts = {
        "graph": found.provenance["graph"]["text"],
        "problem": f"{found.problem}, budget {record['budget']}",
        "vertices": f"{len(found.vertices):,}",
        "score": found.score_text,
    }
    running.show("Answer", record, facts | _bound(found))


def _solution_facts(found: Any, record: dict[str, Any]) -> dict[str, str]:
    first = ", ".join(map(str, record["vertices"][:_SHOWN_VERTICES]))
    more = len(record["vertices"]) - _SHOWN_VERTICES
    details = found.details
    where = " on the part" if found.pruned is not None else ""
    return {
        "graph": found.provenance["graph"]["text"],
        "problem": f"{found.problem} by {found.solver}, budget {record['budget']}",
        **({"how": found.reason} if found.reason else {}),
        **({"pruned": _kept(record["pruned"])} if record["pruned"] else {}),
        **{
            f"round {i}": f"{one['roots']:,} roots, {one['edges']:,} edges: {quantity(one['score'])} in "
            f"{duration(one['seconds'])}"
            for i, one in enumerate(details.get("rounds", ()), start=1)
            if "roots" in one
        },
        "score": found.score_text,
        "time": duration(found.seconds),
        "vertices": first + (f", … and {more} more (--json or --out for all)" if more > 0 else ""),
        **_bound(found),
        **({"time to certify": duration(found.certificate_seconds)} if found.certificate_seconds is not None else {}),
        **{
            name.replace("_", " ") + where: value if isinstance(value, str) else quantity(value)
            for name, value in details.items()
            if not (value is None or isinstance(value, list | tuple))
        },
    }


def _bound(found: Any) -> dict[str, str]:
    from lense.problems.base import format_score

    if found.upper_bound is None:
        return {}
    return {"optimum at most": format_score(found.upper_bound, found.unit), "certified": found.quality_text}


def _kept(pruned: dict[str, Any]) -> str:
    if pruned["mode"] == "ground-set":
        return f"to {pruned['roots']:,} vertices to choose from in {duration(pruned['seconds'])}"
    return (
        f"to {pruned['vertices']:,} vertices (-{percent(pruned['vertices_pruned'])}) and {pruned['edges']:,} edges "
        f"(-{percent(pruned['edges_pruned'])}) in {duration(pruned['seconds'])}"
    )


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
    forced_out = out.with_name(f"{out.name}.forced.txt")
    check_place(out)
    with running.session():
        from lense.graph import write_graph
        from lense.graph.files import graph_format
        from lense.solving import find_part

        graph_format(out, out_format)
        check_place(forced_out)
        task.check(pruning.model)
        options = solve_options(task, pruning, reading, streaming, running)
        found = find_part(graph, task.problem, task.budget, options=options)
        part = found.subgraph
        write_graph(part.graph, out, format=out_format)
        with system_errors(forced_out, "written"):
            if found.says_forced:
                write_text(forced_out, "".join(f"{one}\n" for one in found.forced))
            else:  # an earlier file of that name says nothing about this graph
                forced_out.unlink(missing_ok=True)
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
        "forced_out": str(forced_out) if found.says_forced else None,
        "seconds": found.seconds,
        "pruner": found.found_by,
        "model": found.setup.model,
        "graph": {name: whole[name] for name in ("source", "vertices", "edges")},
        "seed": running.seed,
    }
    running.show("Pruned graph", record, _part_facts(record), is_written=True)


def _part_facts(record: dict[str, Any]) -> dict[str, str]:
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


@grouped(without=("model",))
def advise(
    graph: Annotated[
        str | None,
        typer.Argument(help=f"{GRAPH}; else give --edges.", callback=from_standard_input),
    ] = None,
    *,
    vertices: Annotated[
        int | None, problem_option(help="Size of a graph you do not have yet (default: a tenth of --edges).")
    ] = None,
    edges: Annotated[int | None, problem_option(help="Size of a graph you do not have yet.")] = None,
    task: Task,
    solver: Solver = None,
    target: Target = None,
    costs: Annotated[
        bool, problem_option("--costs", help="Also measure time and memory of reading, certifying and training.")
    ] = False,
    reading: Reading,
    running: Running,
) -> None:
    """Estimate what a heuristic takes on the whole graph and on a part of it, and which 'lense solve' would choose.

    For example: lense advise graph.txt --problem im --budget 100

    --costs also extrapolates time and memory from a sample. Without a graph, give its size:
    lense advise --edges 50000000 --problem mvc --budget 100
    """
    with running.session():
        from lense.solving import advise

        task.check()
        options = solve_options(task, reading, running)
        found = advise(
            graph,
            task.problem,
            task.budget,
            solver,
            measure=costs,
            vertices=vertices,
            edges=edges,
            options=options,
            target=target,
        )
    running.show("Advice", _advice_record(found), _advice_facts(found))


def _advice_record(found: "Advice") -> dict[str, Any]:
    known = {name: value for name, value in asdict(found).items() if name not in ("graph", "costs")}
    graph = {name: value for name, value in found.graph.items() if name != "text"}
    costs = {name: cost._asdict() for name, cost in found.costs.items()}
    return {**known, "graph": graph, **({"costs": costs} if costs else {})}


def _advice_facts(found: "Advice") -> dict[str, str]:
    seconds = {
        "whole graph": found.whole_seconds,
        "pruning": found.prune_seconds,
        "solving the part": found.part_seconds,
    }
    facts = {"graph": found.graph["text"]}
    if "bytes" in found.graph:
        facts["memory"] = f"{size(found.graph['bytes'])} for the graph"
    facts["advice"] = found.reason
    facts |= {name: f"about {duration(one, 2)}" for name, one in seconds.items() if one is not None and isfinite(one)}
    if found.part_edges is not None:
        facts["part"] = f"at most {percent(found.part_edges / max(found.graph['edges'], 1))} of the edges"
    if found.confidence is not None:
        facts["expected"] = expectation(vars(found))
    for name, cost in found.costs.items():
        times = [f"about {duration(cost.seconds, 2)}"] if cost.seconds else []
        memory = [f"about {size(cost.bytes)} of memory"] if cost.bytes else []
        facts[f"to {name}"] = ", ".join(times + memory)
    return facts
