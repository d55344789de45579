"""What the page shows of an answer and of a comparison of pruners."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from lense._util.classes import known_class
from lense._util.environment import has_learn
from lense._util.formatting import duration, percent
from lense._util.progress import Advance, reporting_to
from lense._util.types import Float64s
from lense.app.requests import CompareRequest, GeneratedGraph, JobSpec, LookRequest, SolveRequest
from lense.errors import LenseError
from lense.experiments import compare as compare_pruners
from lense.experiments.comparison import Comparison, OneGraph
from lense.graph import Graph, write_graph
from lense.graph.subgraph import Subgraph, shares_pruned, subgraph
from lense.kernels.gains import gains_in_order
from lense.problems import Problem, Solution
from lense.problems.base import format_score
from lense.problems.bounds import RULES, lossless_core, takes_part
from lense.pruners import Pruner
from lense.pruners.model_files import SHIPPED
from lense.pruners.registry import GROUP as PRUNERS
from lense.pruners.shipped import DEFAULTS
from lense.report import results_page
from lense.report.blocks import Block, facts, section, table, text, write_page
from lense.report.drawing import drawing_block, drawing_section
from lense.report.results import fronts_block
from lense.solving import SolveOptions, answer_record, find_part, solve, write_answer
from lense.solving.options import find_setup

if TYPE_CHECKING:
    from lense.app.worker import Events

MOST_ROWS = 5000
"""Chosen vertices that the page lists; the files have all."""
_DRAWN = {"most_vertices": 20_000, "most_edges": 60_000}
"""What a browser moves without stutter."""
_EFFORT, _SECONDS = 60.0, 20.0
_MEASURABLE_SECONDS = 5.0
_FILE = "graph.npz"
_SEEDS, _EPISODES = 1, 3
"""Of a comparison."""


@dataclass(frozen=True)
class Answered:
    """A solution, and the part that was or would be solved; without a ``pruner``, the answer with its neighbours."""

    spec: JobSpec
    problem: Problem
    graph: Graph
    solution: Solution
    part: Subgraph
    pruner: Pruner | None

    @property
    def title(self) -> str:
        return f"{self.problem.name} on {self.spec.title}, budget {self.solution.budget:,g}"

    @property
    def part_title(self) -> str:
        if self.pruner is None:
            return "The answer and its neighbours"
        return "The part that was solved" if self.solution.pruned is not None else "The core that pruning would keep"


def answer(spec: JobSpec, events: "Events") -> dict[str, Any]:
    """Everything that the page shows of an answer; the files to download go to the job's folder."""
    found = _answered(spec, events)
    with events.stage("Looking inside"):
        inside = _inside(found)
    with events.stage("Drawing the core"):
        chosen = found.solution.indices
        drawn = drawing_block(found.graph, found.part, chosen, title=found.part_title, **_DRAWN)
        listed = chosen_table(found)
    with events.stage("Writing the files"):
        files = _write_files(found, listed, inside)
    return {
        "kind": "solve",
        "title": found.title,
        "reason": found.solution.reason,
        "tiles": tiles(found),
        "chosen": listed,
        "picture": drawn,
        "inside": inside,
        "recipe": recipe(spec),
        "files": files,
    }


def _answered(spec: JobSpec, events: "Events") -> Answered:
    ask = spec.ask
    assert isinstance(ask, SolveRequest)
    options = SolveOptions(seed=ask.seed, **ask.options())
    problem = find_setup(ask.problem, ask.budget, ask.solver, SolveOptions(seed=ask.seed), prunes=False).problem
    with events.stage("Reading the graph"):
        read = spec.open_graph(arcs=problem.uses_direction)
        graph = problem.prepare(read)
    question = read, ask.problem, ask.budget, ask.solver
    with events.stage(f"Solving with {problem.solver}, and bounding the optimum"):
        found = solve(*question, options=options)
        provenance = {**found.provenance, "graph": {**found.provenance["graph"], "source": spec.title}}
        found = replace(found, provenance=provenance)
    if options.pruner is None:
        options = SolveOptions(target=ask.target, seed=ask.seed)
    part, pruner = found.part, find_setup(*question[1:], options).pruner
    if part is None:
        with events.stage("Finding the part"):
            part = find_part(*question, options=options).subgraph if pruner else subgraph(graph, found.indices)
    return Answered(spec, problem, graph, found, part, pruner)


def tiles(found: Answered) -> list[dict[str, str]]:
    """The answer first: score, what is certain of it, what was pruned, and what the whole graph would take."""
    solution, pruned = found.solution, found.solution.pruned
    bound = solution.upper_bound
    share = shares_pruned(found.graph, found.part)[1]
    left_out, note = "nothing", f"a core would leave out {percent(share)} of the edges"
    if pruned is not None:
        left_out = percent(pruned.edges_pruned)
        note = (
            f"of the edges, in {duration(pruned.seconds, 2)} by {pruned.pruner}; {pruned.vertices:,} vertices and "
            f"{pruned.edges:,} edges are left"
        )
    seconds = None if solution.advice is None else solution.advice.whole_seconds
    whole = "not estimated" if seconds is None else f"about {duration(seconds, 2)}"
    took = f"{solution.solver} took {duration(max(solution.seconds, 1e-4), 2)} here"
    most = "" if bound is None else f"optimum at most {format_score(bound, solution.unit)}"
    made = [
        ("Score", solution.score_text, found.problem.goal),
        ("Certified", solution.quality_text, most),
        ("Pruned", left_out, note),
        ("On the whole graph", whole, took),
    ]
    return [{"name": name, "value": value, "note": note} for name, value, note in made]


def chosen_table(found: Answered) -> Block:
    """The chosen vertices in their order, with degree and gain."""
    vertices, graph = found.solution.indices, found.graph
    labels = graph.labels[vertices].astype(str).tolist()
    degrees = np.diff(graph.incident.indptr)[vertices].tolist()
    known = found.problem.gains(graph, found.solution.budget)
    gains: Float64s | None = None if known is None else known.scale * gains_in_order(known, vertices)
    is_share = found.problem.unit.startswith("%")
    rows = []
    for i, (label, degree) in enumerate(zip(labels[:MOST_ROWS], degrees, strict=False)):
        gain = [] if gains is None else [percent(gains[i], 3) if is_share else f"{gains[i]:,.4g}"]
        rows.append([f"{i + 1:,}", label, f"{degree:,}", *gain])
    note = "Degree: edges at the vertex."
    if gains is not None:
        note += " Gain: what it adds to the score of those above it."
    if len(labels) > MOST_ROWS:
        note += f" The first {MOST_ROWS:,} of {len(labels):,}; the files have all."
    columns = ("order", "vertex", "degree", *(() if gains is None else ("gain",)))
    return {**table("Chosen vertices", columns, rows, note=note), "words": [1]}


def _write_files(found: Answered, chosen: Block, inside: list[Block]) -> list[dict[str, str]]:
    """The answer, the part and a report, as files; their names and titles."""
    folder, solution = Path(found.spec.folder), found.solution
    record = answer_record(solution)
    for name in ("answer.json", "answer.csv"):
        write_answer(folder / name, record)
    part = {"name": "pruned.txt.gz", "title": "Pruned graph (edge list)"}
    try:
        write_graph(found.part.graph, folder / part["name"])
    except LenseError:  # ids with characters that no edge list can hold
        part = {"name": "pruned.npz", "title": "Pruned graph (.npz)"}
        write_graph(found.part.graph, folder / part["name"])
    about = {tile["name"]: f"{tile['value']}: {tile['note']}" for tile in tiles(found)}
    page = {
        "title": found.title,
        "lead": solution.reason,
        "sections": [
            section("Answer", facts("In short", about), facts("The same again", recipe(found.spec)), chosen),
            drawing_section(found.graph, found.part, solution.indices, found.part_title),
            *inside,
        ],
    }
    write_page(folder / "report.html", page)
    return [
        part,
        {"name": "answer.csv", "title": "Answer (CSV)"},
        {"name": "answer.json", "title": "Answer (JSON)"},
        {"name": "report.html", "title": "Report (HTML)"},
    ]


def _inside(found: Answered) -> list[Block]:
    """Sections: bounds round by round, and the map with the walk of a LeNSE."""
    sections = []
    if takes_part(found.problem) and found.problem.checked_costs(found.graph) is None:
        sections.append(bounds_section(found.problem, found.graph, found.solution))
    if found.pruner is not None and found.pruner.name == "lense" and found.solution.pruned is not None:
        seed, larger = found.solution.provenance["seed"], found.graph.num_edges / max(found.part.graph.num_edges, 1)
        seconds = larger * found.solution.seconds
        sections.append(walk_section(found.pruner, found.graph, found.solution.budget, seed, seconds))
    return sections


def bounds_section(problem: Problem, graph: Graph, solution: Solution) -> Block:
    """What was dropped and forced, round by round."""
    deadline = monotonic() + _SECONDS
    core = lossless_core(problem, graph, solution.budget, solution.indices, effort=_EFFORT, deadline=deadline)
    rows = [
        (f"{i}", one.rule, f"{one.dropped:,}", f"{one.forced:,}", f"{one.live:,}")
        for i, one in enumerate(core.rounds, start=1)
    ]
    rules = dict.fromkeys(one.rule for one in core.rounds)
    used = " ".join(f"{rule.capitalize()}: {RULES[rule]}." for rule in rules if rule in RULES)
    left = [(0, graph.num_vertices), *((i, one.live) for i, one in enumerate(core.rounds, start=1))]
    curve = {
        "kind": "lines",
        "title": "Vertices not decided yet",
        "x": "round",
        "series": [{"name": "vertices", "points": left}],
        "zero": True,
    }
    dropped = graph.num_vertices - core.live.size - core.forced.size
    still = (
        f"{core.live.size:,} are left to choose {core.left:,} from." if core.live.size else "Nothing is left to choose."
    )
    proven = " The best choice known is proven to be an optimum." if core.is_proven else ""
    return section(
        "Bounds",
        curve,
        {**table("Rounds", ("round", "rule", "dropped", "forced", "left"), rows, note=used), "words": [0, 1]},
        lead=f"Of {graph.num_vertices:,} vertices, {dropped:,} are in no optimum and {core.forced.size:,} are in every "
        f"one: that is proven, not guessed. {still}{proven}",
    )


def walk_section(model: Any, graph: Graph, budget: float, seed: int, whole_seconds: float) -> Block:
    """The map of a LeNSE with its classes, its goal, and the walk on this graph step by step.

    Ratios are measured along it where the heuristic is quick enough on the whole graph.
    """
    if not has_learn():
        return section("LeNSE's walk", lead="Drawing the walk on its map needs torch: pip install 'lense[learn]'.")
    from lense.evaluation import Yardstick
    from lense.report.walks import walk_sections

    is_quick = whole_seconds < _MEASURABLE_SECONDS
    yardstick = Yardstick(model.problem_, graph, budget, seed=seed) if is_quick else None
    return next(walk_sections(model, graph, budget, "LeNSE's walk", "this graph", seed=seed, yardstick=yardstick))


def compare(spec: JobSpec, events: "Events") -> dict[str, Any]:
    """The result of ``lense compare``, with a plot of what is known after each of its cells sent as an event."""
    ask, folder, out = spec.ask, Path(spec.folder), Path(spec.folder) / "comparison"
    assert isinstance(ask, CompareRequest)
    graph, reading = spec.source, ask.reading.options()
    if isinstance(ask.graph, GeneratedGraph):
        graph, reading = str(folder / _FILE), ask.graph.reading
        write_graph(ask.graph.make(), graph)
    kind = Comparison()

    @contextmanager
    def reporter(description: str, total: float | None) -> Iterator[Advance]:
        with events.task(description, total) as outer:

            def advance(amount: float, /, note: str = "") -> None:
                outer(amount, note)
                if description == f"running {kind.name}":
                    known = OneGraph(list(kind.store(out).records().values()))
                    if known.wholes and known.rows:
                        events.send(partial=_blocks(known))

            yield advance

    with reporting_to(reporter):
        found = compare_pruners(
            graph,
            ask.problem,
            ask.budget,
            [known_class(name, PRUNERS) for name in ask.pruners],
            out=out,
            seeds=range(ask.seed, ask.seed + _SEEDS),
            episodes=_EPISODES,
            model=str(SHIPPED / DEFAULTS[ask.problem]) if ask.needs_model else None,
            reading=reading,
            settings={"solver": ask.solver},
        )
    with events.stage("Writing the report"):
        write_page(folder / "report.html", results_page(out))
        for name in ("table.csv", "front.png"):
            (out / name).replace(folder / name)
    files = {"table.csv": "Table (CSV)", "front.png": "Plot (PNG)", "report.html": "Report (HTML)"}
    return {
        "kind": "compare",
        "title": f"Pruners for {ask.problem} on {spec.title}, budget {ask.budget:,}",
        "blocks": [*_blocks(found), text(*found.failures())],
        "recipe": recipe(spec),
        "files": [{"name": name, "title": title} for name, title in files.items()],
    }


def _blocks(found: OneGraph) -> list[Block]:
    return [fronts_block(found.rows), *(table(*one) for one in found.tables())]


def recipe(spec: JobSpec) -> dict[str, str]:
    """The command and the Python lines that do what a job did; a comparison is a command alone."""
    ask, graph, made, lines = spec.ask, spec.title, list[str](), ["import lense"]
    assert not isinstance(ask, LookRequest)
    named = repr(graph)
    if isinstance(ask.graph, GeneratedGraph):
        kind, values, seed = ask.graph.generator, ask.graph.parameters, ask.graph.seed
        settings = " ".join(f"--set {name}={value:g}" for name, value in values.items())
        made = [f"lense graph generate {kind} {_FILE} {settings} --seed {seed}"]
        given = ", ".join(f"{name}={value:g}" for name, value in values.items())
        lines = ["import numpy as np", "import lense", "", f"rng = np.random.default_rng({seed})"]
        lines.append(f"graph = lense.graph.{kind.replace('-', '_')}({given}, rng=rng)")
        graph, named = _FILE, "graph"
    problem, reading = spec.own.problems.get(ask.problem, ask.problem), ask.reading.options()
    flags = [*_flags(ask.graph.reading if isinstance(ask.graph, GeneratedGraph) else reading)]
    words = [quote(graph), f"--problem {quote(problem)}", f"--budget {ask.budget}"]
    if isinstance(ask, CompareRequest):
        pruners = [spec.own.pruners.get(one, one) for one in ask.pruners]
        model = [f"--model {DEFAULTS[ask.problem]}"] if ask.needs_model else []
        words += [f"--set solver={quote(ask.solver)}", f"--pruners {quote(','.join(pruners))}", *model]
        words += [*flags, f"--seeds {_SEEDS} --episodes {_EPISODES} --seed {ask.seed} --out comparison"]
        return {"command": "\n".join([*made, f"lense compare {' '.join(words)}"])}
    how = ask.options()
    if "pruner" in how:
        how["pruner"] = spec.own.pruners.get(ask.way, ask.way)
    words += [f"--solver {quote(ask.solver)}", *_flags(how), *flags, f"--seed {ask.seed}"]
    options = how | ({} if made else reading) | ({"seed": ask.seed} if ask.seed else {})
    given = ", ".join(f"{name}={value!r}" for name, value in options.items())
    lines.append(f"answer = lense.solve({named}, {problem!r}, {ask.budget}, {ask.solver!r}, {given})")
    lines.append("print(answer.vertices, answer.score_text, answer.certified, answer.reason)")
    return {"command": "\n".join([*made, f"lense solve {' '.join(words)}"]), "python": "\n".join(lines)}


def _flags(options: dict[str, Any]) -> Iterator[str]:
    """Keyword arguments as the command line has them."""
    for name, value in options.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            yield {("directed", False): "--undirected"}.get((name, value), f"--{'' if value else 'no-'}{flag}")
        else:
            yield f"--{flag} {quote(f'{value:g}' if isinstance(value, float) else str(value))}"
