"""Pruners on the same graphs, heuristic, seeds and machine: ``lense.compare``, and the cells of experiments."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from lense._util.classes import name_of, registered
from lense._util.environment import need_learn
from lense._util.files import check_folder, read_json, write_text
from lense._util.formatting import duration, size
from lense._util.measuring import Mean, PeakMemory, Stopwatch, undominated
from lense.errors import LenseError
from lense.evaluation import Yardstick
from lense.experiments.experiment import Experiment
from lense.experiments.store import LOCK, Measures, Record, Shares, Size
from lense.experiments.study import (
    TRAIN_SHARE,
    Case,
    Cell,
    SharedModel,
    Source,
    Study,
    file_digest,
    named,
    source_of,
)
from lense.experiments.tables import NONE, RATIO, SHARES, Row, Table, comma_separated, format_cell, titled
from lense.graph import Graph, open_graph
from lense.graph.subgraph import Subgraph, subgraph
from lense.navigation import LeNSE
from lense.paper import BUDGET, published
from lense.problems import Problem, Solution, get_problem
from lense.problems.parts import MODES
from lense.pruners.base import Pruner
from lense.pruners.registry import can_run, get_pruner, parse_pruner, pruner_class, pruner_names, pruner_parameters
from lense.solving.options import READING, named_problem, shared_settings

LENSE, WHOLE = "lense", "whole-graph"
"""The pruner whose size others get, and the variant of the heuristic on the whole graph."""
MEASURED = ("ratio", *SHARES, "seconds")
PART = "{ratio} at {vertices_pruned:%.0f} / {edges_pruned:%.0f}"
"""Such as "0.978 at 8 / 69", with per cent of vertices and edges pruned."""
FILES = ("front.png", "front.svg", "table.csv", "table.md")
_SIZES = ("vertices", "roots", "steps")
_QUICK = 1.0
_NOT_PLANNED = ("out", "sources", "seeds", "device", "jobs", "backend", "from_file")
"""What records of one folder need not have in common."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class Whole:
    """The heuristic on the whole test graph, which every ratio is to; the ceiling is the part of its own solution."""

    train: Size
    test: Size
    solver: str
    score: float
    stderr: float
    seconds: float
    vertices: list[int]
    ceiling: Shares | None = None

    def yardstick(self, case: Case, budget: float, seed: int) -> Yardstick:
        """What ratios are measured by, with this solution of the whole graph."""
        vertices = np.array(self.vertices, np.int64)
        best = Solution(case.problem.name, self.solver, budget, vertices, self.score, self.stderr, self.seconds)
        return Yardstick(case.problem, case.test, budget, seed=seed, best=best)


@dataclass(frozen=True)
class Costs:
    """Seconds and memory of one fit, or of pruning once; of ``walks`` side by side, of all of them."""

    seconds: float | None = None
    peak_bytes: int | None = None
    walks: int = 1
    note: str = ""


@dataclass(frozen=True)
class PartSizes:
    """The sizes of what was kept, a value for each part."""

    vertices: list[int]
    edges: list[int]
    roots: list[int]


@dataclass(frozen=True)
class PrunerFigures:
    """One pruner with one seed: what it took, what it kept, and what the heuristic reached with that in both modes.

    ``given_size`` is as much of LeNSE's ``size`` as the pruner takes: None for one that takes none.
    """

    fit: Costs
    prune: Costs
    parts: PartSizes
    size: dict[str, int]
    subgraph: Measures
    ground_set: Measures
    given_size: dict[str, int] | None = None

    def measures(self, mode: str) -> Measures:
        found: Measures = getattr(self, mode.replace("-", "_"))
        return found


def measures(yardstick: Yardstick, parts: Sequence[Subgraph], mode: str = "subgraph") -> Measures:
    """What the heuristic reaches with each of the parts."""
    columns: dict[str, list[float | None]] = {name: [] for name in MEASURED}
    errors: dict[str, None] = {}
    for episode, part in enumerate(parts):
        try:
            found: object = yardstick.measure(part, episode, mode)
        except LenseError as error:
            found, errors[str(error)] = None, None
        for name in MEASURED:
            columns[name].append(None if found is None else rounded(name, getattr(found, name)))
    return Measures(**columns, errors=list(errors))


def rounded(name: str, value: float) -> float:
    """A figure with no more digits than mean something: there are tens of thousands of them."""
    return float(f"{value:.4g}") if name == "seconds" else round(value, 8)


@cache  # which packages are installed does not change meanwhile
def all_pruners() -> tuple[str, ...]:
    """The names of the pruners registered, LeNSE first, each followed by its variants."""
    return tuple(
        one
        for name, kind in registered("lense.pruners").items()
        for one in (name, *(f"{name}:{variant}" for variant in getattr(kind, "variants", ())))
    )


def in_order(pruners: Iterable[str]) -> list[str]:
    """Those registered in their order, each followed by its other sizes, then all others."""
    order = {name: i for i, name in enumerate(all_pruners())}
    return sorted(pruners, key=lambda name: (*(order.get(one, len(order)) for one in (name.split(":")[0], name)), name))


def takes_part(pruner: str, source: Source) -> bool:
    """Whether a pruner is for the problem of ``source``; one that is not known here is taken to be."""
    if pruner not in pruner_names() or source.problem not in registered("lense.problems"):
        return True
    return pruner_class(pruner).supports(get_problem(source.problem, **source.text_options))


def left_out(pruners: Sequence[str], sources: Sequence[Source]) -> list[str]:
    """A line for each problem that some of the pruners are not for."""
    found = {source.problem: [name for name in pruners if not takes_part(name, source)] for source in sources}
    return [f"left out, not being for {problem}: {', '.join(names)}" for problem, names in found.items() if names]


class Comparison(Experiment):
    """Pruners with their cells: first the heuristic on the whole graph, then LeNSE, then those that get its size.

    Unless all ``pruners`` are compared, only those have cells, and others that the folder has records of.
    """

    title = "Pruners"
    figures = Whole | PrunerFigures

    def __init__(self, name: str = "records", pruners: Sequence[str] | None = None, *, on_whole: bool = False) -> None:
        self.name, self.asked, self.on_whole = name, pruners, on_whole
        self.needed, self.needs_learn = (None, True) if pruners is None else (WHOLE, False)

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((WHOLE, *(self.asked or ()), *all_pruners())))

    def takes(self, study: Study, cell: Cell) -> bool:
        """Also those of other pruners compared in that folder before LeNSE was, which have sizes of their own."""
        if self.asked is None or cell.variant in (WHOLE, *self.asked):
            return takes_part(cell.variant, cell.source)
        return cell.variant != LENSE and cell.key in self.records(study)

    def stage(self, cell: Cell) -> int:
        return {WHOLE: 0, LENSE: 1}.get(cell.variant, 2)

    def digest(self, study: Study, cell: Cell) -> str | None:
        return super().digest(study, cell) if cell.variant == LENSE else None

    def outdated(self, study: Study, cell: Cell, known: Record[Whole | PrunerFigures]) -> str:
        figures = known.figures
        if isinstance(figures, PrunerFigures) and figures.given_size is not None and cell.variant != LENSE:
            size = self._lense_size(study, cell)
            if size and figures.given_size != {name: size[name] for name in figures.given_size or size}:
                return "LeNSE's size is another one"
        return ""

    def _lense_size(self, study: Study, cell: Cell) -> Mapping[str, int]:
        """The size of LeNSE's parts; nothing where LeNSE is not done."""
        return getattr(self.record(study, cell.source, cell.seed, LENSE), "size", {})

    def case(self, cell: Cell) -> Case:
        """The problem, what pruners learn from, and what they prune: the test graph, or the whole one."""
        return cell.source.case(cell.seed, on_whole=True) if self.on_whole else cell.case

    def run_cell(self, study: Study, cell: Cell) -> Whole | PrunerFigures:
        case = self.case(cell)
        if cell.variant == WHOLE:
            case.problem.check_budget(case.test, study.budget)
            yardstick = Yardstick(case.problem, case.test, study.budget, seed=cell.seed)
            return _on_whole(yardstick, case)
        whole = self.record(study, cell.source, cell.seed, WHOLE)
        if whole is None:
            raise LenseError("The heuristic failed on the whole graph.")
        given = size_taken(cell.variant, self._lense_size(study, cell))
        pruner, fitting = self._fitted(study, case, cell, given or {})
        options: dict[str, Any] = {"budget": study.budget, "seed": cell.seed, "prepared": True}
        part, pruning = _costs(lambda: pruner.prune(case.test, **options))
        parts = pruner.parts(case.test, episodes=study.episodes, **options) if pruner.randomised else [part]
        yardstick = whole.yardstick(case, study.budget, cell.seed)
        subgraph, ground_set = (measures(yardstick, parts, mode) for mode in MODES)
        if not subgraph.known("ratio") and not ground_set.known("ratio"):
            raise LenseError(subgraph.errors[0])
        counts = [(one.graph.num_vertices, one.graph.num_edges, one.roots.size) for one in parts]
        sizes = PartSizes(*map(list, zip(*counts, strict=True)))
        size = {name: round(float(np.mean(getattr(sizes, name)))) for name in ("vertices", "roots")}
        if cell.variant == LENSE:
            walker: Any = pruner
            size["steps"] = walker.num_steps(case.test, study.budget)
        return PrunerFigures(fitting, pruning, sizes, size, subgraph, ground_set, given)

    def _fitted(self, study: Study, case: Case, cell: Cell, size: Mapping[str, int]) -> tuple[Pruner, Costs]:
        """The pruner, ready to prune, and what fitting it took."""
        if cell.variant == LENSE:
            shared = self.model(study, cell)
            is_given = shared.folder is not None
            with Stopwatch() as watch:
                model = shared.load()
            return model, Costs(note="given") if is_given else Costs(watch.seconds)
        name, own = parse_pruner(cell.variant)
        params: dict[str, Any] = {**size, "seed": cell.seed, "device": study.device}
        known = {key: value for key, value in params.items() if key in pruner_parameters(name)}
        pruner = get_pruner(name, case.problem, study.budget, **{**known, **own})
        if not pruner.learns:
            return pruner, Costs()
        if pruner.needs_learn:
            import lense.pruners._networks  # noqa: F401 (loading torch takes seconds that are no training)
        return _costs(lambda: pruner.fit(case.train, prepared=True), again=False)

    def compared(self, study: Study, source: Source) -> "OneGraph":
        """All that was compared on a graph and problem, also with parameters that a pruner no longer has."""
        pair, records = Cell(source, 0).key[:2], self.records(study).values()
        known = [record for record in records if record.key[:2] == pair and record.seed in study.seeds]
        return OneGraph([record for record in known if takes_part(record.variant, source)])


def _on_whole(yardstick: Yardstick, case: Case) -> Whole:
    best = yardstick.best
    top = measures(yardstick, [subgraph(case.test, best.indices)])
    train, test = (Size(graph.num_vertices, graph.num_edges) for graph in (case.train, case.test))
    shares = Shares(*(top.known(name)[0] for name in ("ratio", *SHARES))) if top.known("ratio") else None
    return Whole(train, test, best.solver, best.score, best.stderr, best.seconds, best.indices.tolist(), shares)


def size_taken(name: str, size: Mapping[str, int]) -> dict[str, int] | None:
    """As much of a size as the constructor of a pruner takes; None if it takes none."""
    pruner, own = parse_pruner(name)
    takes = [key for key in _SIZES if key in pruner_parameters(pruner) and key not in own]
    return {key: size[key] for key in takes if key in size} if takes and name != LENSE else None


def _costs(work: Callable[[], Result], *, again: bool = True) -> tuple[Result, Costs]:
    """What ``work`` returns, and its time and memory.

    The first run also loads code and builds the graph's arrays; quick work is therefore run twice, and the second run's
    memory counts.
    """
    with PeakMemory() as peak, Stopwatch() as watch:
        result = work()
    if again and watch.seconds < _QUICK:
        second = _costs(work, again=False)[1]
        return result, Costs(min(watch.seconds, second.seconds or 0.0), second.peak_bytes)
    return result, Costs(watch.seconds, peak.bytes)


@dataclass(frozen=True)
class OneGraph:
    """All ``records`` of pruners on one graph with one problem; ``left_out`` says which have none, and why."""

    records: Sequence[Record[Any]]
    left_out: Sequence[str] = ()

    @property
    def source(self) -> Source:
        return source_of(self.records[0])

    @cached_property
    def wholes(self) -> list[Record[Whole]]:
        """The heuristic on the whole graph, for each seed."""
        return [record for record in self.records if record.variant == WHOLE and record.figures is not None]

    @property
    def unit(self) -> float:
        """The seconds of the heuristic on the whole graph."""
        return float(np.mean([whole.found.seconds for whole in self.wholes]))

    @property
    def ceiling(self) -> float | None:
        """C = ratio x share pruned of a ratio of 1 with no vertex kept but the b of the solution: 1 - b / n."""
        return _mean(1 - len(one.found.vertices) / one.found.test.vertices for one in self.wholes)

    @property
    def sizes(self) -> str:
        """Vertices and edges of the test graphs."""
        return ", ".join(f"{one.found.test.vertices:,} and {one.found.test.edges:,}" for one in self.wholes)

    @cached_property
    def rows(self) -> list[Row]:
        """One row for each pruner, LeNSE first; those that failed with every seed say why.

        Figures are means over seeds of the means over parts; the standard error of a ratio is that over the seeds, or
        over the parts if there is but one seed. The paper's figures for its graphs and its budget stand beside.
        """
        names = in_order({record.variant for record in self.records} - {WHOLE})
        rows = [_row(name, [record for record in self.records if record.variant == name]) for name in names]
        for mode, share in product(MODES, SHARES):
            solved = [row[mode] for row in rows if row[mode] is not None]
            on_front = undominated([(one["ratio"], one[share]) for one in solved])
            for one, is_best in zip(solved, on_front, strict=True):
                one["front"][share] = is_best
        return rows

    @cached_property
    def by_pruner(self) -> dict[str, Row]:
        return {row["pruner"]: row for row in self.rows}

    def time(self, seconds: float | None) -> str:
        """Return seconds as a multiple of what the heuristic takes on the whole graph, which machines have in common.

        Parameters
        ----------
        seconds
            What something took; None becomes a dash.
        """
        if seconds is None:
            return NONE
        times = seconds / self.unit
        return f"{times:,.0f}" if times >= 100 or times == 0 else f"{times:.2g}"

    def tables(self) -> list[Table]:
        """The rows for people: as subgraphs, as ground sets, and what they cost; * marks the front by vertices pruned.

        Times are in multiples of what the heuristic takes on the whole graph.
        """
        subgraphs, ground_sets = ([(row["pruner"], *_pruned(row[mode])) for row in self.rows] for mode in MODES)
        papers = [format_cell(PART.replace(" at", ","), row["paper"] or {}) for row in self.rows]
        spent = []
        for row in self.rows:
            pruning, walks = self.time(row["prune_seconds"]), row["prune_walks"]
            solving = (self.time(None if row[mode] is None else row[mode]["seconds"]) for mode in MODES)
            memory = NONE if row["peak_bytes"] is None else size(row["peak_bytes"])
            pruning += f" ({walks} walks)" if walks > 1 else ""
            spent.append((row["pruner"], row["fit_note"] or self.time(row["fit_seconds"]), pruning, *solving, memory))
        top = format_cell("ceiling|1.000|{top:%.1f} %|{top}", {"top": self.ceiling})
        return [
            (
                "As a subgraph (P_V, P_E: shares of vertices and edges pruned)",
                ("pruner", "ratio", "P_V", "P_E", "in the paper"),
                [(*line[:4], paper) for line, paper in zip(subgraphs, papers, strict=True)],
            ),
            (
                "As a ground set, to choose from for the whole graph",
                ("pruner", "ratio", "P_V", "C = ratio x P_V"),
                [*((*line[:3], line[4]) for line in ground_sets), tuple(top.split("|"))],
            ),
            (
                f"What it takes, in multiples of the heuristic's {duration(self.unit)} on the whole graph",
                ("pruner", "fit", "prune", "solve: subgraph", "ground set", "memory"),
                spent,
            ),
        ]

    def failures(self) -> list[str]:
        """What went wrong, once for all pruners to which it happened, and which pruners miss some of the seeds."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            if row["error"] is not None:
                failed = f" ({row['failed']} of {row['failed'] + row['seeds']} seeds)" if row["failed"] else ""
                found.setdefault(row["error"], []).append(f"{row['pruner']}{failed}")
        seeds = len(self.wholes)
        few = [row["pruner"] for row in self.rows if row["seeds"] + row["failed"] < seeds]
        lines = [f"failed: {', '.join(names)}: {error}" for error, names in found.items()]
        return [*lines, *([f"not run with all {seeds} seeds: {', '.join(few)}"] if few else [])]

    def page(self, title: str) -> str:
        """Return the comparison as a page of Markdown.

        Parameters
        ----------
        title
            The page's heading.
        """
        about = (
            f"Heuristic: {self.wholes[0].found.solver}. Seeds: {', '.join(str(whole.seed) for whole in self.wholes)}; "
            f"vertices and edges of their test graphs: {self.sizes}. A ratio is followed by its standard error over "
            "the seeds; * marks the front of ratio against vertices pruned. C is the ground-set ratio times the share "
            "of vertices that are not to choose from; its ceiling 1 - b / n is that of a ratio of 1 with b vertices "
            "kept. Memory is the most that fitting or pruning holds beyond what was there before."
        )
        tables, failures = map(titled, self.tables()), (f"- {line}" for line in self.failures())
        return "\n".join([f"# {title}", "", about, "", *tables, *failures]).rstrip() + "\n"


def _row(name: str, records: Sequence[Record[PrunerFigures]]) -> Row:
    done, first = [record.figures for record in records if record.figures is not None], records[0]
    errors = [record.error for record in records if record.error is not None]
    errors += [error for one in done for mode in MODES for error in one.measures(mode).errors]
    paper = published(first.problem, source_of(first).paper_graph if first.budget == BUDGET else None, name)
    return {
        "pruner": name,
        "seeds": len(done),
        "failed": len(records) - len(done),
        "error": errors[0] if errors else None,
        **{mode: _figures([one.measures(mode) for one in done]) for mode in MODES},
        "fit_note": next((one.fit.note for one in done if one.fit.note), None),
        "fit_seconds": _mean(one.fit.seconds for one in done),
        "prune_seconds": _mean(one.prune.seconds for one in done),
        "prune_walks": next((one.prune.walks for one in done if one.prune.walks > 1), 1),
        "peak_bytes": max((c.peak_bytes for one in done for c in (one.fit, one.prune) if c.peak_bytes), default=None),
        "vertices": _mean(count for one in done for count in one.parts.vertices),
        "roots": _mean(count for one in done for count in one.parts.roots),
        "paper": None if paper is None else paper._asdict(),
    }


def _figures(by_seed: Sequence[Measures]) -> Row | None:
    """Means in one mode, or None where the heuristic found nothing in any part."""
    solved = [one for one in by_seed if one.known("ratio")]
    if not solved:
        return None
    means = {name: Mean.of([one.known(name) for one in solved]) for name in MEASURED}
    products = [np.multiply(one.known("ratio"), one.known("vertices_pruned")).tolist() for one in solved]
    values = {name: mean.value for name, mean in means.items()}
    return {**values, "combined": Mean.of(products).value, "ratio_stderr": means["ratio"].stderr, "front": {}}


def _mean(values: Iterable[float | None]) -> float | None:
    return Mean.of([[value] for value in values if value is not None]).value


def _pruned(figures: Row | None) -> tuple[str, ...]:
    """Ratio, both shares, and C."""
    if figures is None:
        return "failed", NONE, NONE, NONE
    star = " *" if figures["front"]["vertices_pruned"] else "  "
    cells = format_cell(f"{RATIO}{star}|{{vertices_pruned:%.1f}} %|{{edges_pruned:%.1f}} %|{{combined}}", figures)
    return tuple(cells.split("|"))


def compare(
    graph: Any,
    problem: str | type[Problem] = "mvc",
    budget: float = BUDGET,
    pruners: Sequence[str | type[Pruner]] | None = None,
    *,
    out: str | PathLike[str],
    train: Any = None,
    train_share: float = TRAIN_SHARE,
    seeds: Sequence[int] = (0, 1, 2),
    episodes: int = 10,
    model: str | PathLike[str] | None = None,
    preset: str = "",
    settings: Mapping[str, Any] | None = None,
    device: str = "auto",
    jobs: int = 1,
    backend: str | None = None,
    reading: Mapping[str, Any] | None = None,
    **given: Any,
) -> OneGraph:
    """Compare pruners on one graph: the same split, heuristic, budget and seeds for each.

    Parameters
    ----------
    graph
        Anything :func:`lense.open_graph` takes.
    problem, budget
        What to solve, and how many vertices a solution has.
    pruners
        Names, such as ``"top-roots:roots_per_budget=3"``, or classes; by default all that can run here.
    out
        The folder for records, tables and figures. The same call continues an interrupted comparison there.
    train, train_share
        A graph to learn from, or the share of the edges of ``graph`` to split off for that.
    seeds, episodes
        What is repeated, and how many prunings by pruners that use random numbers.
    model
        A trained LeNSE, so that none is trained; ``{seed}`` in its name stands for the seed.
    preset
        How LeNSE is trained otherwise; by default as in the paper on its graphs, and ``"auto"`` elsewhere.
    settings
        Settings of LeNSE or of the problem by name.
    device, jobs, backend
        Where to train, how many cells run at a time, and where ("loky" or "dask").
    reading
        Options of :func:`lense.read_graph` for the files.
    **given
        More of them, by name; all others are ``settings``.

    Returns
    -------
    OneGraph
        ``rows`` has a dictionary for each pruner, with ``ratio``, ``vertices_pruned``, ``edges_pruned`` and times.

    Raises
    ------
    LenseError
        If an argument is wrong, the heuristic fails on the whole graph, or every pruner fails.

    Examples
    --------
    >>> import lense, numpy as np
    >>> graph = lense.graph.barabasi_albert(500, 3, np.random.default_rng(0))
    >>> found = lense.compare(graph, "mvc", 5, ["top-degree"], out="compared", seeds=[0])
    >>> [row["pruner"] for row in found.rows]
    ['top-degree']
    """
    check_folder(Path(out), "plan.json", "comparison")
    reading = {**(reading or {}), **{name: given.pop(name) for name in READING if name in given}}
    of_lense, of_problem = shared_settings({**given, **(settings or {})}, problem, LeNSE)
    arcs = named_problem(problem, of_problem, min(seeds, default=0)).uses_direction
    graph, train = (_by_name_or_read(one, arcs, reading) for one in (graph, train))
    study = Study(
        Path(out),
        (Source(graph, problem, of_problem, train, train_share, reading),),  # type: ignore[arg-type]
        tuple(seeds),
        budget,
        episodes,
        device,
        jobs,
        of_lense,
        preset,
        None if model is None else fspath(model),
        backend,
    )
    return run_comparison(study, pruners)


def _by_name_or_read(graph: Any, arcs: bool, reading: Mapping[str, Any]) -> str | Graph | None:
    if graph is None or isinstance(graph, str | Graph):
        return graph
    return fspath(graph) if isinstance(graph, PathLike) else open_graph(graph, arcs=arcs, **reading)


def run_comparison(study: Study, pruners: Sequence[str | type[Pruner]] | None = None) -> OneGraph:
    """Run what is not in ``study.out`` yet; all that was compared there, which is also written as ``FILES``.

    A pruner is given by its name, as "./mine.py:TwoSteps", or as a class; one of a notebook is known in this process
    alone, so that there must be one job. Cells that failed run again. The folder keeps to its plan: another is refused.
    """
    from lense.plots import save_figure
    from lense.plots.fronts import draw_fronts

    names, missing = _asked(study, pruners)
    experiment = Comparison(pruners=names)
    plan, path = _plan_of(study), study.out / "plan.json"
    known = read_json(path) if path.is_file() else plan
    if not isinstance(known, dict):
        raise LenseError(f"{path} is not the plan of a comparison: choose another folder.")
    if known != plan:
        differing = sorted(name for name in {*known, *plan} if known.get(name) != plan.get(name))
        raise LenseError(f"{study.out} holds a comparison with another {', '.join(differing)}: choose another folder.")
    is_new = not study.out.exists()
    write_text(path, json.dumps(plan, indent=1) + "\n")
    try:
        experiment.run(study)
    finally:
        if not experiment.records(study):  # a start that fails leaves no trace
            path.unlink()
            if is_new:
                (study.out / LOCK).unlink(missing_ok=True)
                with suppress(OSError):  # a training that can continue is kept
                    study.out.rmdir()
    found = OneGraph(list(experiment.records(study).values()), missing)
    title = f"{study.sources[0].problem} on {study.sources[0].title}, budget {study.budget:g}"
    for name in FILES[:2]:
        save_figure(draw_fronts(found.rows, title), study.out / name)
    for name, text in zip(FILES[2:], (comma_separated(found.rows), found.page(title)), strict=True):
        write_text(study.out / name, text)
    asked = [row for row in found.rows if row["pruner"] in names]
    if all(row["seeds"] == 0 for row in asked):
        raise LenseError(f"Every pruner failed, the first with: {asked[0]['error']}")
    return found


def _asked(study: Study, pruners: Sequence[str | type[Pruner]] | None) -> tuple[list[str], list[str]]:
    """The names of the pruners to compare, and lines about those left out; raises for what no pruner can mend."""
    absent = [name for name in all_pruners() if not can_run(name)] if pruners is None else []
    chosen = [name for name in all_pruners() if name not in absent] if pruners is None else pruners
    names = [name_of(one, "lense.pruners", Pruner) for one in chosen]
    if not names:
        raise LenseError("A comparison needs at least one pruner.")
    for name in names:
        kind = pruner_class(parse_pruner(name)[0])
        if kind.needs_learn and name != LENSE:  # of which some are bundled, and prune without it
            need_learn(f"Training {kind.get_title()}")
    study.check()
    (source,) = study.sources
    if not any(takes_part(name, source) for name in names):
        raise LenseError(f"None of these pruners is for {source.problem}: {', '.join(names)}.")
    if study.model is not None and LENSE in names:
        for seed in study.seeds:
            SharedModel(study, source, seed).load()
    needing = [f"left out, since they need 'lense[learn]': {', '.join(absent)}"] if absent else []
    return names, [*left_out(names, study.sources), *needing]


def _plan_of(study: Study) -> Row:
    """What every record of a comparison depends on, whichever pruners and seeds there are."""
    (source,) = study.sources
    given = {name: value for name, value in {**vars(source), **vars(study)}.items() if name not in _NOT_PLANNED}
    plan = given | {
        "graph": named(source.graph),
        "train": None if source.train is None else named(source.train),
        "files": [digest for graph in (source.graph, source.train) if (digest := file_digest(graph)) is not None],
        "reading": {name: value for name, value in source.reading.items() if value not in (None, "auto")},
        "train_share": None if source.paper_graph else source.train_share,
        "options": source.text_options,
        "model": None if study.model is None else Path(study.model).name,
    }
    made: Row = json.loads(json.dumps(plan, default=str))
    return made
