"""The answer to a question: solved as asked, then looked at from all sides."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.classes import known_class
from lense._util.formatting import duration
from lense._util.measuring import Stopwatch
from lense._util.types import Float64s
from lense.app.asking import AUTO, EXACT, WHOLE, Solve, Task
from lense.app.events import Events
from lense.app.inside import bounds_section, scores_section, walk_section
from lense.app.looking import opened
from lense.app.recipe import recipe
from lense.errors import LenseError
from lense.graph import Graph, write_graph
from lense.graph.subgraph import Subgraph, shares_pruned, subgraph
from lense.kernels.gains import gains_in_order
from lense.problems import Problem, Solution, seeded_problem
from lense.problems.base import GROUP as PROBLEMS
from lense.problems.base import format_score
from lense.problems.exact import solve_exactly
from lense.pruners import Core, Pruner, get_pruner
from lense.pruners.registry import GROUP as PRUNERS
from lense.pruners.shipped import shipped_core, shipped_model
from lense.report.blocks import Block, facts, section, table, write_page
from lense.report.drawing import drawing_block, drawing_section
from lense.solving import Advice, SolveOptions, answer_record, solve_prepared, write_answer
from lense.solving.deciding import advise
from lense.solving.front import provenance

MOST_ROWS = 5000
"""Chosen vertices that the page lists; the files have all."""
_DRAWN = {"most_vertices": 20_000, "most_edges": 60_000}
"""What a browser moves without stutter."""
_FILES = {
    "pruned.txt.gz": "Pruned graph (edge list)",
    "pruned.npz": "Pruned graph (.npz)",
    "answer.csv": "Answer (CSV)",
    "answer.json": "Answer (JSON)",
    "report.html": "Report (HTML)",
}


@dataclass(frozen=True)
class Answer:
    """A solution with all that it was found with.

    ``part`` is what was pruned to, or where nothing was pruned, what would have been. ``advice`` is None for an exact
    search.
    """

    problem: Problem
    graph: Graph
    budget: float
    solution: Solution
    part: Subgraph
    core: Core | None
    pruner: Pruner | None = None
    advice: Advice | None = None

    @property
    def is_pruned(self) -> bool:
        return self.solution.pruned is not None


def answer(task: Task, events: Events) -> dict[str, Any]:
    """Everything that the page shows of an answer; the files to download go to the task's folder."""
    ask = task.ask
    assert isinstance(ask, Solve)
    problem = seeded_problem(known_class(ask.problem, PROBLEMS), ask.seed, {"solver": ask.solver})
    with events.stage("Reading the graph"):
        graph = problem.prepare(opened(task, arcs=problem.uses_direction))
        problem.check_budget(graph, ask.budget)
    found = _solved(problem, graph, ask, events)
    with events.stage("Looking inside"):
        inside = _inside(found, ask.seed)
    with events.stage("Drawing the core"):
        drawn = drawing_block(graph, found.part, found.solution.indices, title=_part_title(found), **_DRAWN)
        chosen = chosen_table(found)
    with events.stage("Writing the files"):
        _write_files(task, found, chosen, inside)
    return {
        "kind": "solve",
        "title": headline(found, task.title),
        "reason": found.solution.reason,
        "tiles": tiles(found),
        "chosen": chosen,
        "picture": drawn,
        "inside": inside,
        "recipe": recipe(task),
        "files": [
            {"name": name, "title": title} for name, title in _FILES.items() if (Path(task.folder) / name).is_file()
        ],
    }


def _solved(problem: Problem, graph: Graph, ask: Solve, events: Events) -> Answer:
    core = shipped_core(problem)
    if core is not None:
        core.set_params(target=ask.target, budget=ask.budget, seed=ask.seed)
    if ask.way == EXACT:
        with events.stage(f"Searching for an optimum, for at most {ask.seconds:g} s", ask.seconds):
            solution = solve_exactly(
                problem, graph, ask.budget, np.random.default_rng(ask.seed), time_limit=ask.seconds
            )
        solution = replace(solution, reason="searched for an optimum, as asked")
        return Answer(problem, graph, ask.budget, solution, _core_part(graph, ask, solution, core), core)
    with events.stage("Estimating what each way takes"):
        advice = advise(problem, graph, ask.budget, core=core, target=ask.target, seed=ask.seed)
    if ask.way in (AUTO, WHOLE, "core"):
        prunes = {AUTO: None, WHOLE: False}.get(ask.way, True)
        expected = _seconds(advice, advice.prune if prunes is None else prunes)
        options = SolveOptions(prune=prunes, target=ask.target, seed=ask.seed)
        with events.stage(f"Solving with {problem.solver}, and bounding the optimum", expected):
            solution = solve_prepared(problem, graph, ask.budget, options, core, advice if prunes is None else None)
        part = _core_part(graph, ask, solution, core)
        return Answer(problem, graph, ask.budget, solution, part, core, advice=advice)
    pruner = _named_pruner(problem, ask)
    with events.stage(f"Pruning by {pruner.name}"), Stopwatch() as watch:
        part = pruner.prune(graph, budget=ask.budget, seed=ask.seed, prepared=True)
    with events.stage(f"Solving with {problem.solver}, and bounding the optimum", advice.part_seconds):
        solution = pruner.solve_kept(graph, part, ask.budget, seed=ask.seed, seconds=watch.seconds)
    kept = "pruned by" if solution.pruned is not None else "solved on the whole graph, all of which is kept by"
    reason = "; ".join(filter(None, (f"{kept} {pruner.name}, as asked", pruner.warning(graph, ask.budget))))
    solution = replace(solution, reason=reason)
    return Answer(problem, graph, ask.budget, solution, part, core, pruner, advice)


def _seconds(advice: Advice, prunes: bool) -> float:
    if not prunes:
        return advice.whole_seconds
    return (advice.prune_seconds or 0.0) + (advice.part_seconds or 0.0)


def _named_pruner(problem: Problem, ask: Solve) -> Pruner:
    if ask.way == "lense":
        model = shipped_model(problem)
        assert model is not None
        return model
    return get_pruner(known_class(ask.way, PRUNERS), problem, ask.budget)


def _core_part(graph: Graph, ask: Solve, solution: Solution, core: Core | None) -> Subgraph:
    """The core that was solved on; for the whole graph, the one that the calibration would take; else the answer's."""
    if core is None:
        return subgraph(graph, solution.indices)
    roots = solution.pruned.roots if solution.pruned is not None else None
    return core.set_params(size=roots).prune(graph, budget=ask.budget, seed=ask.seed, prepared=True)


def _inside(found: Answer, seed: int) -> list[Block]:
    """Sections: bounds round by round, scores, and the map with the walk of a LeNSE."""
    known = found.solution.indices
    sections = [
        bounds_section(found.problem, found.graph, found.budget, known),
        scores_section(found.problem, found.graph, found.budget, known, found.core),
    ]
    if found.pruner is not None and found.pruner.name == "lense" and found.part.graph is not found.graph:
        whole = found.advice.whole_seconds if found.advice is not None else 0.0
        sections.append(walk_section(found.pruner, found.graph, found.budget, seed, whole))
    return [one for one in sections if one is not None]


def headline(found: Answer, title: str) -> str:
    """The problem and the graph in a line."""
    return f"{found.problem.name} on {title}, budget {found.budget:,g}"


def tiles(found: Answer) -> list[dict[str, str]]:
    """The answer first: score, what is certain of it, what was pruned, and what the whole graph would take."""
    solution, advice = found.solution, found.advice
    score = format_score(solution.score, solution.unit, solution.stderr)
    made = [{"name": "Score", "value": score, "note": found.problem.goal}, _certain(solution)]
    if solution.pruned is not None:
        pruned = solution.pruned
        made.append(
            {
                "name": "Pruned",
                "value": f"{100 * pruned.edges_pruned:.1f} %",
                "note": f"of the edges, in {duration(pruned.seconds, 2)} by {pruned.pruner}; "
                f"{pruned.vertices:,} vertices and {pruned.edges:,} edges are left",
            }
        )
    else:
        part = shares_pruned(found.graph, found.part)[1]
        made.append(
            {"name": "Pruned", "value": "nothing", "note": f"a core would leave out {100 * part:.1f} % of the edges"}
        )
    whole = "not estimated" if advice is None else f"about {duration(advice.whole_seconds, 2)}"
    made.append(
        {
            "name": "On the whole graph",
            "value": whole,
            "note": f"{solution.solver} took {duration(max(solution.seconds, 1e-4), 2)} here",
        }
    )
    return made


def _certain(solution: Solution) -> dict[str, str]:
    note = (
        "" if solution.upper_bound is None else f"optimum at most {format_score(solution.upper_bound, solution.unit)}"
    )
    return {"name": "Certified", "value": solution.quality_text, "note": note}


def chosen_table(found: Answer) -> Block:
    """The chosen vertices in their order, with degree and gain."""
    vertices, graph = found.solution.indices, found.graph
    labels = graph.labels[vertices].astype(str).tolist()
    degrees = np.diff(graph.incident.indptr)[vertices].tolist()
    gains = _gains(found)
    rows = []
    for i, (label, degree) in enumerate(zip(labels[:MOST_ROWS], degrees, strict=False)):
        gain = [] if gains is None else [(_gain(found.problem, float(gains[i])), float(gains[i]))]
        rows.append([(f"{i + 1:,}", i + 1), (label, None), (f"{degree:,}", degree), *gain])
    columns = ("order", "vertex", "degree", *(() if gains is None else ("gain",)))
    cut = f" The first {MOST_ROWS:,} of {len(labels):,}; the files have all." if len(labels) > MOST_ROWS else ""
    note = "Degree: edges at the vertex. " if gains is None else "Degree: edges at the vertex. Gain: what it adds to "
    note += "" if gains is None else "the score of those above it."
    return {**table("Chosen vertices", columns, rows, note=note + cut), "words": [1]}


def _gains(found: Answer) -> Float64s | None:
    known = found.problem.gains(found.graph, found.budget)
    if known is None:
        return None
    gains: Float64s = known.scale * gains_in_order(known, found.solution.indices)
    return gains


def _gain(problem: Problem, gain: float) -> str:
    return f"{100 * gain:.3f} %" if problem.unit.startswith("%") else f"{gain:,.4g}"


def _part_title(found: Answer) -> str:
    if found.is_pruned:
        return "The part that was solved"
    return "The core that pruning would keep" if found.core is not None else "The answer and its neighbours"


def _write_files(task: Task, found: Answer, chosen: Block, inside: list[Block]) -> None:
    ask, folder = task.ask, Path(task.folder)
    assert isinstance(ask, Solve)
    record = answer_record(
        replace(found.solution, provenance=provenance(found.problem, found.graph, task.title, "shipped", ask.seed))
    )
    for name in ("answer.json", "answer.csv"):
        write_answer(folder / name, record)
    _write_part(found.part.graph, folder)
    about = {tile["name"]: f"{tile['value']}: {tile['note']}" for tile in tiles(found)}
    lines = recipe(task)
    page = {
        "title": headline(found, task.title),
        "lead": found.solution.reason,
        "sections": [
            section("Answer", facts("In short", about), facts("The same again", lines), chosen),
            drawing_section(found.graph, found.part, found.solution.indices, _part_title(found)),
            *inside,
        ],
    }
    write_page(folder / "report.html", page)


def _write_part(graph: Graph, folder: Path) -> None:
    """As an edge list, which everybody reads; as .npz where ids have characters that no edge list can hold."""
    try:
        write_graph(graph, folder / "pruned.txt.gz")
    except LenseError:
        write_graph(graph, folder / "pruned.npz")
