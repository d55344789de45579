"""All experiments by name, what to run of them, and how far they are."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lense.experiments.budgets import Budgets
from lense.experiments.cases import Source
from lense.experiments.experiment import (
    ANOTHER_GRAPH,
    ANOTHER_MODEL,
    DAMAGED,
    DONE,
    FAILED,
    NO_DATA,
    NOT_RUN,
    Experiment,
    Made,
    State,
)
from lense.experiments.losses import Losses
from lense.experiments.maps import Maps
from lense.experiments.rivals import Rivals
from lense.experiments.scalability import Scalability
from lense.experiments.store import Record, check_results, damages
from lense.experiments.study import Study, check_graph, graph_name, make_source, problem_label
from lense.experiments.table1 import Table1
from lense.experiments.walk import WalkPicture
from lense.problems.base import problem_class

log = logging.getLogger(__name__)

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (Table1(), Budgets(), Scalability(), Losses(), WalkPicture(), Maps(), Rivals())
}
"""In the order in which they are run together."""


def chosen_sources(
    experiment: Experiment,
    graphs: Sequence[str] = (),
    problems: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    *,
    only_its_own: bool = False,
) -> tuple[Source, ...]:
    """Every graph with every problem, those of the experiment itself where none are named.

    With ``only_its_own`` names only choose among the paper's rows of the experiment.
    """
    if only_its_own or not graphs:
        return tuple(
            make_source(graph, problem, options)
            for graph, problem in experiment.pairs
            if (not graphs or graph in graphs) and (not problems or problem in problems)
        )
    wanted = problems or dict.fromkeys(problem for _, problem in experiment.pairs)
    return tuple(make_source(graph, problem, options) for problem in wanted for graph in graphs)


def reproduce(experiment: Experiment, study: Study) -> Made:
    """Run what is missing, then write tables and figures of everything there is."""
    study.check()
    check_results(study.out)
    experiment.run(study)
    return experiment.make(study)


def check_names(graphs: Sequence[str], problems: Sequence[str]) -> None:
    """Raise unless there are such graphs and problems."""
    for problem in problems:
        problem_class(problem)
    for graph in graphs:
        check_graph(graph)


def status(
    study: Study, experiments: Sequence[Experiment], graphs: Sequence[str] = (), problems: Sequence[str] = ()
) -> list[Record]:
    """For each experiment, graph and problem: the labels of its cells by their state. Nothing is run or written.

    Damaged pieces that belong to no cell, or to one that has another, are logged.
    """
    study.check_request()
    damaged = list(damages(study.out))
    rows = [
        {"experiment": experiment.name, **row}
        for experiment in experiments
        for row in states(experiment, experiment.shown(study))["rows"]
    ]
    told = {state for row in rows for state in row["cells"]}
    for error in damaged:
        if State(DAMAGED, error.told).text not in told:
            log.warning("%s", error)
    return [
        row
        for row in rows
        if (not graphs or row["graph"] in graphs) and (not problems or row["problem"].partition("+")[0] in problems)
    ]


def states(experiment: Experiment, study: Study) -> Record:
    """How far the cells are that a study asks for."""
    rows = []
    for source in study.sources:
        by_state: dict[str, list[str]] = {}
        for cell in experiment.cells(replace(study, sources=(source,))):
            by_state.setdefault(experiment.state(study, cell).text, []).append(cell.label)
        rows.append({"graph": graph_name(source), "problem": problem_label(source), "cells": by_state})
    return {"experiment": experiment.name, "rows": rows}


PARTLY_RUN, OUTDATED = "partly", "outdated"
SUMMARY = ("experiment", "cells", DONE, FAILED, NOT_RUN, PARTLY_RUN, OUTDATED, "no data")


def summary(rows: Sequence[Record]) -> list[tuple[str, ...]]:
    """How many cells there are of each experiment in a status, done, failed, and missing for what reason."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        found = counts.setdefault(row["experiment"], Counter())
        for state, labels in row["cells"].items():
            found[_reason(state)] += len(labels)
    reasons = (*SUMMARY[2:-1], NO_DATA)
    return [(name, f"{found.total()}", *(f"{found[one]}" for one in reasons)) for name, found in counts.items()]


def _reason(state: str) -> str:
    """What a state is counted as: a cell without some of its pruners is partly run, and a damaged one has failed."""
    kind, _, why = state.partition(": ")
    if kind == DAMAGED:
        return FAILED
    if kind != NOT_RUN or not why:
        return kind
    return OUTDATED if why in (ANOTHER_MODEL, ANOTHER_GRAPH) else PARTLY_RUN


def details(rows: Sequence[Record]) -> list[str]:
    """A line for each state of the cells in a status, with all graphs, problems and seeds that are in that state."""
    by_state: dict[str, dict[tuple[str, str], dict[str, None]]] = {}
    for row in rows:
        for state, labels in row["cells"].items():
            told = state.replace(f"lense data get {row['graph']}", "lense data get NAME")
            by_state.setdefault(told, {}).setdefault((spans(labels), row["graph"]), {})[row["problem"]] = None
    return [f"{_in_brackets(state)}: {'; '.join(_places(found))}" for state, found in by_state.items()]


def _in_brackets(state: str) -> str:
    kind, _, why = state.partition(": ")
    return f"{kind} ({why})" if why else kind


def _places(found: Mapping[tuple[str, str], Iterable[str]]) -> list[str]:
    """Such as "mvc, im on wiki, dblp (seeds 0–2)": graphs with the same problems and seeds together."""
    graphs: dict[tuple[str, str], list[str]] = {}
    for (seeds, graph), problems in found.items():
        graphs.setdefault((", ".join(problems), seeds), []).append(graph)
    return [f"{problems} on {', '.join(names)} ({seeds})" for (problems, seeds), names in graphs.items()]


def spans(labels: Sequence[str]) -> str:
    """The labels of cells in short: "seeds 0–2", or where there are variants, "seeds 0–2: infonce, ordinal"."""
    seeds: dict[str, list[int]] = {}
    for label in labels:
        seed, _, variant = label.partition(" ")
        seeds.setdefault(variant, []).append(int(seed))
    variants: dict[str, list[str]] = {}
    for variant, numbers in seeds.items():
        word = "seed" if len(numbers) == 1 else "seeds"
        variants.setdefault(f"{word} {_ranges(sorted(numbers))}", []).append(variant)
    return ", ".join(f"{told}: {', '.join(names)}" if names != [""] else told for told, names in variants.items())


def _ranges(numbers: Sequence[int]) -> str:
    """Whole numbers in order, those that follow one another as a range: "0–2, 5"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
