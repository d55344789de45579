"""All experiments by name, what to run of them, and how far they are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lense.experiments.budgets import Budgets
from lense.experiments.cases import Source
from lense.experiments.experiment import Experiment, Made
from lense.experiments.losses import Losses
from lense.experiments.maps import Maps
from lense.experiments.rivals import Rivals
from lense.experiments.scalability import Scalability
from lense.experiments.store import Record, read_record
from lense.experiments.study import Study, check_graph, graph_name, make_source, problem_label
from lense.experiments.table1 import Table1
from lense.experiments.walk import WalkPicture
from lense.problems.base import problem_class

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


def check_results(out: Path) -> None:
    """Raise if some result cannot be read, before hours are spent on others."""
    for path in sorted(out.glob("**/pieces/[!.]*.json")):
        read_record(path)


def check_names(graphs: Sequence[str], problems: Sequence[str]) -> None:
    """Raise unless there are such graphs and problems."""
    for problem in problems:
        problem_class(problem)
    for graph in graphs:
        check_graph(graph)


def status(
    study: Study, experiments: Sequence[Experiment], graphs: Sequence[str] = (), problems: Sequence[str] = ()
) -> list[Record]:
    """For each experiment, graph and problem: the labels of its cells by their state. Nothing is run or written."""
    study.check()
    check_results(study.out)
    return [
        {"experiment": experiment.name, **row}
        for experiment in experiments
        for row in states(experiment, experiment.shown(study))["rows"]
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
