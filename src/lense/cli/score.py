"""``lense score``: an answer from elsewhere, scored and certified."""

import csv
from pathlib import Path
from typing import Annotated, Any

from lense.cli.models import named_problem, open_prepared, whole_if_possible
from lense.cli.options import GraphName, Reading, Running, Task, grouped, problem_option
from lense.cli.session import print_facts, print_json
from lense.errors import LenseError


@grouped()
def score(
    graph: GraphName,
    *,
    vertices: Annotated[
        Path,
        problem_option(
            "--vertices",
            help="A file with the ids of the vertices: one on a line, a JSON list, or what 'lense solve --out' wrote.",
        ),
    ],
    task: Task,
    certify: Annotated[
        bool,
        problem_option("--certify/--no-certify", help="Bound the optimum, to say how good the answer is at least."),
    ] = True,
    reading: Reading,
    running: Running,
) -> None:
    """Score a set of vertices that was found elsewhere, and say how close to the optimum it is at least.

    For example: lense score graph.txt --vertices answer.txt --problem mvc

    The budget is the number of vertices unless --budget says otherwise.
    """
    with running.session():
        from lense.problems.base import format_score
        from lense.solving import score_answer

        problem = named_problem(task.problem, task.options(), running.seed)
        labels = _read(vertices)
        whole = open_prepared(problem, graph, reading)
        found = score_answer(problem, whole, labels, task.budget, seed=running.seed, certify=certify)
    record: dict[str, Any] = {
        "problem": found.problem,
        "budget": whole_if_possible(found.budget),
        "vertices": list(found.vertices),
        "score": found.score,
        "stderr": found.stderr,
        "unit": found.unit,
        "lower_bound": found.lower_bound,
        "upper_bound": found.upper_bound,
        "certified": found.certified,
        "optimal": found.optimal,
        "graph": {"source": graph, "vertices": whole.num_vertices, "edges": whole.num_edges},
        "seed": running.seed,
    }
    if running.as_json:
        print_json(record)
        return
    facts = {
        "graph": repr(whole).removeprefix("Graph(").removesuffix(")"),
        "problem": f"{found.problem}, budget {record['budget']}",
        "vertices": f"{len(labels):,}",
        "score": found.score_text,
    }
    if found.upper_bound is not None:
        facts["optimum at most"] = format_score(found.upper_bound, found.unit)
        facts["certified"] = found.quality_text
    print_facts("Answer", facts)


def _read(path: Path) -> list[Any]:
    """Ids: a JSON list, a JSON object with a list called vertices or a table with a column of that name, as
    'lense solve --out' writes them, or lines.
    """
    from lense._util.files import parse_json, system_errors
    from lense.solving.answers import ANSWER_COLUMNS

    with system_errors(path, "read"):
        content = path.read_bytes()
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise LenseError(f"{path} is not UTF-8 text: give it one id on a line, or a JSON list of ids.") from error
    if text.lstrip()[:1] in ("[", "{"):
        try:
            read = parse_json(text)
        except ValueError as error:
            raise LenseError(f"{path} is no JSON: {error}.") from error
        listed = read.get("vertices") if isinstance(read, dict) else read
        if not isinstance(listed, list):
            raise LenseError(f"{path} has no list of vertices: write one as [1, 2, 3].")
        return listed
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if lines[:1] != [",".join(ANSWER_COLUMNS)]:
        return [line.strip() for line in lines]
    try:
        return [row["vertex"] for row in csv.DictReader(lines)]
    except csv.Error as error:
        raise LenseError(f"{path} is no table: {error}.") from error
