"""``lense solve``, and ``lense score`` for an answer from elsewhere: choose vertices, and say how good they are."""

from pathlib import Path
from typing import Annotated, Any

from lense._util.files import check_place
from lense._util.formatting import duration, percent, quantity
from lense.cli.options import (
    Certify,
    GraphName,
    Pruning,
    Reading,
    Running,
    Solver,
    Solving,
    Streaming,
    Task,
    grouped,
    problem_option,
    running_option,
    solve_options,
)
from lense.cli.session import print_facts, print_json
from lense.errors import LenseError

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
    if running.as_json:
        print_json(record)
    elif not running.quiet or out is None:
        print_facts("Solution", _facts(found, record))


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

        task.check_problem()
        options = solve_options(task, reading, running)
        found = score(graph, read_answer(vertices), task.problem, task.budget, options=options, certify=certify)
        record = answer_record(found)
    if running.as_json:
        print_json(record)
        return
    bound = {name: text for name, text in _quality(found).items() if name != "time to certify"}
    facts = {
        "graph": found.provenance["graph"]["text"],
        "problem": f"{found.problem}, budget {record['budget']}",
        "vertices": f"{len(found.vertices):,}",
        "score": found.score_text,
    }
    print_facts("Answer", facts | bound)


def _facts(found: Any, record: dict[str, Any]) -> dict[str, str]:
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
        **_quality(found),
        **{
            name.replace("_", " ") + where: value if isinstance(value, str) else quantity(value)
            for name, value in details.items()
            if not isinstance(value, list)
        },
    }


def _quality(found: Any) -> dict[str, str]:
    from lense.problems.base import format_score

    known = {}
    if found.upper_bound is not None:
        known["optimum at most"] = format_score(found.upper_bound, found.unit)
        known["certified"] = found.quality_text
    if found.certificate_seconds is not None:
        known["time to certify"] = duration(found.certificate_seconds)
    return known


def _kept(pruned: dict[str, Any]) -> str:
    if pruned["mode"] == "ground-set":
        return f"to {pruned['roots']:,} vertices to choose from in {duration(pruned['seconds'])}"
    return (
        f"to {pruned['vertices']:,} vertices (-{percent(pruned['vertices_pruned'])}) and {pruned['edges']:,} edges "
        f"(-{percent(pruned['edges_pruned'])}) in {duration(pruned['seconds'])}"
    )
