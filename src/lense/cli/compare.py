"""``lense compare``: many pruners on one graph, on the same footing."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from lense._util.files import check_folder
from lense.cli.models import checked_preset, named_problem, shared_out, whole_if_possible
from lense.cli.options import (
    Device,
    GraphName,
    ProblemName,
    Reading,
    Running,
    Settings,
    Sharing,
    grouped,
    problem_option,
    pruning_option,
    running_option,
)
from lense.cli.session import parse_settings, print_json, print_table
from lense.cli.stopping import can_go_on
from lense.errors import LenseError, printable

if TYPE_CHECKING:
    from lense.experiments import Source, Study
    from lense.experiments.comparison import OneGraph


@dataclass(frozen=True)
class Learning:
    """What the pruners that learn do so from, and how LeNSE does."""

    train: Annotated[str | None, pruning_option(help="A graph of its own to learn from.")] = None
    train_share: Annotated[
        float | None,
        pruning_option(help="The share of the edges to learn from, where neither the paper nor --train says: 0.3."),
    ] = None
    preset: Annotated[
        str,
        pruning_option(help="Settings of LeNSE as for 'lense train'; paper for its graphs, else auto, unless given."),
    ] = ""
    model: Annotated[
        Path | None,
        pruning_option(
            "--model", "-m", help="A trained LeNSE, so that none is trained; {seed} in its name stands for the seed."
        ),
    ] = None
    device: Device = "auto"

    def source(self, graph: str, problem: str, options: dict[str, str], reading: Reading) -> "Source":
        """Where the train graph and the test graph come from."""
        from lense.experiments import Source
        from lense.experiments.study import TRAIN_SHARE

        share = TRAIN_SHARE if self.train_share is None else self.train_share
        return Source(graph, problem, options=options, train=self.train, train_share=share, reading=reading.options())


@grouped()
def compare(
    graph: GraphName,
    *,
    problem: ProblemName,
    budget: Annotated[float, problem_option("--budget", "-b", help="How many vertices to choose.")] = 100,
    settings: Settings = None,
    pruners: Annotated[
        str,
        pruning_option(help="all, or names separated by commas; top-roots:roots_per_budget=3 sets a parameter."),
    ] = "all",
    episodes: Annotated[
        int, pruning_option("--episodes", "-e", min=1, help="Prunings by those that use random numbers.")
    ] = 10,
    learning: Learning,
    reading: Reading,
    out: Annotated[Path, running_option("--out", "-o", help="The folder for results; the same command goes on there.")],
    seeds: Annotated[int, running_option(min=1, help="How many seeds, from --seed on.")] = 3,
    sharing: Sharing,
    running: Running,
) -> None:
    """Prune a test graph with every pruner, solve on what each keeps, and show ratio against share pruned.

    A graph of the paper is split into train and test graph as there. What a pruner keeps is used in two ways: as a
    subgraph, which is all that the heuristic sees, and as a ground set, from which it must choose for the whole graph.
    """
    check_folder(out, "plan.json", "comparison")
    with running.session():
        from lense.experiments import Study
        from lense.experiments.compare import run_comparison
        from lense.experiments.comparison import left_out

        changes, options = shared_out(parse_settings(settings), problem)
        named_problem(problem, options, running.seed)  # refuses what has no effect
        study = Study(
            out,
            (learning.source(graph, problem, options, reading),),
            tuple(range(running.seed, running.seed + seeds)),
            whole_if_possible(budget),
            episodes,
            learning.device,
            sharing.jobs,
            settings=changes,
            preset=checked_preset(learning.preset, graph),
            model=None if learning.model is None else str(learning.model),
            backend=sharing.backend,
        )
        chosen = _names(pruners)
        can_go_on()
        found = run_comparison(study, chosen)
        missing = [*left_out(chosen, study.sources), *(_not_installed() if pruners == "all" else [])]
    print_json(_record(study, found, missing)) if running.as_json else _show(study, found, missing, running.quiet)
    asked = [row for row in found.rows if row["pruner"] in chosen]
    if all(row["seeds"] == 0 for row in asked):
        raise LenseError(f"Every pruner failed, the first with: {asked[0]['error']}")


def _names(pruners: str) -> tuple[str, ...]:
    from lense.experiments.compare import runnable_pruners
    from lense.experiments.comparison import all_pruners
    from lense.pruners.registry import parse_pruner

    known = all_pruners()
    if pruners == "all":
        return runnable_pruners()
    chosen = {name.strip() for name in pruners.split(",") if name.strip()}
    for name in chosen:
        parse_pruner(name)
    return tuple(sorted(chosen, key=lambda name: (known.index(name) if name in known else len(known), name)))


def _not_installed() -> list[str]:
    """A line about the pruners that a plain install cannot run."""
    from lense.experiments.comparison import all_pruners
    from lense.pruners.registry import can_run

    names = [name for name in all_pruners() if not can_run(name)]
    return [f"left out, since they need 'lense[learn]': {', '.join(names)}"] if names else []


def _record(study: "Study", found: "OneGraph", missing: list[str]) -> dict[str, Any]:
    """Everything for machines."""
    from lense.experiments.compare import FILES
    from lense.experiments.store import as_line

    source = study.sources[0]
    return {
        "graph": source.title,
        "problem": source.problem,
        "budget": study.budget,
        "episodes": study.episodes,
        "rows": found.rows,
        "solver": found.wholes[0].found.solver,
        "wholes": [json.loads(as_line(whole)) for whole in found.wholes],
        "combined_ceiling": found.ceiling,
        "left_out": missing,
        "folder": str(study.out),
        "files": list(FILES),
    }


def _show(study: "Study", found: "OneGraph", missing: list[str], quiet: bool) -> None:
    from lense.experiments.compare import FILES

    source, whole, seeds = study.sources[0], found.wholes[0].found, len(found.wholes)
    if not quiet:
        print(
            f"\n{source.problem} by {whole.solver}, budget {study.budget:g}, on {printable(source.title)}: "
            f"{whole.test.vertices:,} vertices and {whole.test.edges:,} edges to prune; means over "
            f"{seeds} {'seed' if seeds == 1 else 'seeds'}\n"
        )
    for title, headings, lines in found.tables():
        print_table(title, headings, lines)
    for line in [*found.failures(), *missing]:
        print(f"  {printable(line)}")
    if not quiet:
        print("  * no other pruner has as high a ratio with as many vertices pruned.")
        print(f"  Written to {printable(str(study.out))}: {', '.join(FILES)}.")
