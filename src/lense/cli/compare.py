"""``lense compare``: many pruners on one graph, on the same footing."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from lense._util.files import check_folder
from lense.cli.options import (
    Budget,
    Device,
    GraphName,
    ProblemName,
    Reading,
    Running,
    Settings,
    Sharing,
    grouped,
    pruning_field,
    pruning_option,
    running_option,
)
from lense.cli.session import parse_settings, print_json, print_table
from lense.cli.stopping import can_go_on
from lense.errors import printable


@dataclass(frozen=True)
class Learning:
    """What the pruners that learn are trained on, and how LeNSE is."""

    train: str | None = pruning_field("A separate graph to train on")
    train_share: float = pruning_field(
        "Share of the edges to train on; ignored for the paper's graphs and --train", default=0.3
    )
    preset: str = pruning_field("Settings of LeNSE (default: paper for the paper's graphs, else auto)", default="")
    model: Path | None = pruning_field(  # noqa: RUF009
        "A trained LeNSE; {seed} in its name stands for the seed", "--model", "-m"
    )
    device: Device = "auto"


@grouped()
def compare(
    graph: GraphName,
    *,
    problem: ProblemName,
    budget: Budget = 100,
    settings: Settings = None,
    pruners: Annotated[
        str, pruning_option(help="all, or names separated by commas; top-roots:roots_per_budget=3 sets a parameter.")
    ] = "all",
    episodes: Annotated[
        int, pruning_option("--episodes", "-e", min=1, help="Number of prunings, if they depend on the seed.")
    ] = 10,
    learning: Learning,
    reading: Reading,
    out: Annotated[
        Path, running_option("--out", "-o", help="Folder for results; the same command continues an interrupted run.")
    ],
    seeds: Annotated[int, running_option(min=1, help="Number of seeds, from --seed on.")] = 3,
    sharing: Sharing,
    running: Running,
) -> None:
    """Prune a test graph with every pruner, solve on what each keeps, and show ratio against share pruned.

    A graph of the paper is split into train and test graph as there. What a pruner keeps is used in two ways: as a
    subgraph, which is all that the heuristic sees, and as a ground set, from which it must choose for the whole graph.
    """
    check_folder(out, "plan.json", "comparison")
    with running.session():
        from lense.experiments import comparison
        from lense.experiments.store import as_line
        from lense.pruners import pruner_class
        from lense.solving.options import named_problem, shared_settings

        changes, options = shared_settings(parse_settings(settings), problem, pruner_class("lense"))
        named_problem(problem, options, running.seed)  # rejects options without effect
        can_go_on()
        found = comparison.compare(
            graph,
            problem,
            budget,
            None if pruners == "all" else [name.strip() for name in pruners.split(",") if name.strip()],
            out=out,
            seeds=range(running.seed, running.seed + seeds),
            episodes=episodes,
            settings=changes,
            **vars(learning),
            jobs=sharing.jobs,
            backend=sharing.backend,
            reading=reading.options(),
            **options,
        )
    source, first, name = found.source, found.wholes[0].found, printable(Path(graph).name)
    if running.as_json:
        record = {"graph": Path(graph).name, "problem": source.problem, "budget": budget, "episodes": episodes}
        record |= {"rows": found.rows, "solver": first.solver}
        record |= {"wholes": [json.loads(as_line(whole)) for whole in found.wholes], "combined_ceiling": found.ceiling}
        print_json(record | {"left_out": found.left_out, "folder": str(out), "files": comparison.FILES})
        return
    if not running.quiet:
        print(
            f"\n{source.problem} by {first.solver}, budget {budget:g}, on {name}: {first.test.vertices:,} vertices and "
            f"{first.test.edges:,} edges to prune; means over {len(found.wholes)} seed(s)\n"
        )
    for title, headings, lines in found.tables():
        print_table(title, headings, lines)
    for line in [*found.failures(), *found.left_out]:
        print(f"  {printable(line)}")
    if not running.quiet:
        print("  * no other pruner has as high a ratio with as many vertices pruned.")
        print(f"  Written to {printable(str(out))}: {', '.join(comparison.FILES)}.")
