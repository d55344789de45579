"""``lense compare``: many pruners on one graph, on the same footing."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lense.cli.models import Device, GraphName, shared_out, whole_if_possible
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
    parse_settings,
    print_json,
    print_table,
    reading,
    session,
)
from lense.errors import LenseError, choose

if TYPE_CHECKING:
    from lense.experiments.tables import Row


def compare(
    graph: GraphName,
    problem: Annotated[str, typer.Option("--problem", "-p", help="mvc, bmc, im, or one registered by you.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for results; the same command goes on there.")],
    pruners: Annotated[str, typer.Option(help="all, or names separated by commas; a wrong one lists them.")] = "all",
    budget: Annotated[float, typer.Option("--budget", "-b", help="How many vertices to choose.")] = 100,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds, from --seed on.")] = 3,
    episodes: Annotated[
        int, typer.Option("--episodes", "-e", min=1, help="Prunings by those that use random numbers.")
    ] = 10,
    preset: Annotated[
        str, typer.Option(help="Settings of LeNSE as for 'lense train'; paper for its graphs, else auto, unless given.")
    ] = "",
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", "-m", help="A trained LeNSE, not to train one; {seed} in its name stands for the seed."
        ),
    ] = None,
    train: Annotated[str | None, typer.Option(help="A graph of its own to learn from.")] = None,
    train_share: Annotated[
        float | None,
        typer.Option(help="The share of the edges to learn from, if neither the paper nor --train says: 0.3."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes to share the pieces among.")] = 1,
    device: Device = "auto",
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
    """Prune a test graph with every pruner, solve on what each keeps, and show ratio against share pruned.

    A graph of the paper is split into train and test graph as there. What a pruner keeps is used in two ways: as a
    subgraph, which is all that the heuristic sees, and as a ground set, from which it must choose for the whole graph.
    """
    _check_folder(out)
    with session(quiet=quiet, verbose=verbose, threads=threads):
        from lense.experiments import Source, Study
        from lense.experiments import compare as run
        from lense.experiments.study import TRAIN_SHARE

        changes, options = shared_out(parse_settings(settings), problem)
        source = Source(
            graph,
            problem,
            options=options,
            train=train,
            train_share=TRAIN_SHARE if train_share is None else train_share,
            reading=reading(directed, file_format, ids, no_weights, keep_duplicates, keep_self_loops),
        )
        study = Study(
            out,
            (source,),
            tuple(range(seed, seed + seeds)),
            whole_if_possible(budget),
            episodes,
            device,
            jobs,
            settings=changes,
            preset=_checked_preset(preset, graph),
            model=None if model is None else str(model),
        )
        chosen = _names(pruners)
        record = run(study, chosen)
    if as_json:
        from lense.experiments.records import plain

        print_json({**record, "wholes": plain(record["wholes"])})
    else:
        _show(record, quiet)
    asked = [row for row in record["rows"] if row["pruner"] in chosen]
    if all(row["seeds"] == 0 for row in asked):
        raise LenseError(f"Every pruner failed, the first with: {asked[0]['error']}")


def _names(pruners: str) -> tuple[str, ...]:
    from lense.experiments.compare import all_pruners

    known = all_pruners()
    if pruners == "all":
        return known
    chosen = [name.strip() for name in pruners.split(",") if name.strip()]
    for name in chosen:
        choose(name, dict.fromkeys(known), "pruner")
    return tuple(sorted(set(chosen), key=known.index))


def _checked_preset(preset: str, graph: str) -> str:
    from lense.graph.datasets import is_dataset
    from lense.walking.settings import PRESETS

    if preset:
        choose(preset, dict.fromkeys(PRESETS), "preset")
    if preset in ("paper", "literal") and not is_dataset(graph):
        raise LenseError(f"--preset {preset} is for the paper's graphs and {graph} is none: take --preset auto.")
    return preset


def _check_folder(out: Path) -> None:
    """Raise unless ``out`` is new, empty, or holds a comparison already."""
    if out.exists() and not out.is_dir():
        raise LenseError(f"{out} is a file: name a folder for the results.")
    if out.is_dir() and any(out.iterdir()) and not (out / "plan.json").is_file():
        raise LenseError(f"{out} holds other files and no comparison: choose another folder.")


def _show(record: "Row", quiet: bool) -> None:
    from lense.experiments.rows import comparison_tables, failures

    wholes = [whole.found for whole in record["wholes"]]
    test, seeds = wholes[0].test, len(wholes)
    if not quiet:
        print(
            f"\n{record['problem']} by {wholes[0].solver}, budget {record['budget']:g}, on {record['graph']}: "
            f"{test.vertices:,} vertices and {test.edges:,} edges to prune; means over "
            f"{seeds} {'seed' if seeds == 1 else 'seeds'}\n"
        )
    for title, headings, lines in comparison_tables(record["rows"], wholes):
        print_table(title, headings, lines)
    for line in failures(record["rows"], seeds):
        print(f"  {line}")
    if not quiet:
        print("  * no other pruner has as high a ratio with as many vertices pruned.")
        print(f"  Written to {record['folder']}: {', '.join(record['files'])}.")
