"""Experiments: many runs under one plan, recorded as they finish, and the tables and figures made from them.

To add one, write a subclass of :class:`Experiment` in a module of this package. :data:`EXPERIMENTS` finds it, and so do
the commands and the page of results.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

from lense.errors import LenseError
from lense.experiments.comparison import compare
from lense.experiments.experiment import DONE, Experiment, Made
from lense.experiments.study import Source, Study, check_names
from lense.experiments.tables import Row

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
EXPERIMENTS: dict[str, Experiment] = {
    kind.name: kind()
    for kind in sorted(Experiment.__subclasses__(), key=lambda kind: kind.place)
    if "name" in vars(kind)
}
"""In the order in which they run together."""


def reproduce(experiment: Experiment, study: Study) -> Made:
    """Run what is missing, then write tables and figures of all records.

    Parameters
    ----------
    experiment
        One of :data:`EXPERIMENTS`.
    study
        What to run, and the folder for the results.

    Returns
    -------
    Made
        ``tables`` of what was asked for, and the ``files`` written.
    """
    study.check()
    experiment.run(study)
    return experiment.make(study)


def check_options(experiments: Sequence[Experiment], options: Mapping[str, str] | None) -> None:
    """Raise where options of a problem are for none of the ``experiments``."""
    if options and not all(one.takes_options for one in experiments):
        able = " and ".join(name for name, one in EXPERIMENTS.items() if one.takes_options)
        raise LenseError(f"options= is for {able}: the other experiments run as the paper has them.")


def reproduce_all(
    experiments: Sequence[Experiment],
    study: Study,
    graphs: Sequence[str] = (),
    problems: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    *,
    own: bool = False,
) -> Iterator[tuple[Experiment, Made, list[Row]]]:
    """Run experiments; yield each with its tables and files and the states of its cells.

    Parameters
    ----------
    experiments
        Some of :data:`EXPERIMENTS`.
    study
        How to run them, and the folder for the results; its sources are replaced.
    graphs, problems
        Each experiment runs on all of these graphs with all of these problems, by default on those of its own table.
    options
        Options of the problems.
    own
        Run only on those rows of an experiment's own table that have the graphs and problems.

    Raises
    ------
    LenseError
        If a name is unknown, or nothing could be run.
    """
    check_names(graphs, problems)
    check_options(experiments, options)
    asked = []
    for experiment in experiments:
        pairs = experiment.pairs
        if own or not graphs:
            pairs = tuple(one for one in pairs if one[0] in (graphs or one) and one[1] in (problems or one))
        else:
            wanted = problems or dict.fromkeys(problem for _, problem in pairs)
            pairs = tuple((graph, problem) for problem in wanted for graph in graphs)
        sources = tuple(experiment.source(graph, problem, options) for graph, problem in pairs)
        asked += [(experiment, replace(study, sources=sources))] if sources else []
    if not asked:
        raise LenseError("None of the paper's tables has such a graph and problem: name an experiment to run it there.")
    states: list[str] = []
    for experiment, its in asked:
        made = reproduce(experiment, its)
        rows = experiment.states(its)
        states += [state for row in rows for state in row["cells"]]
        yield experiment, made, rows
    if DONE not in states:
        raise LenseError(f"Nothing of this could be run ({states[0]}).")


__all__ = ["EXPERIMENTS", "Experiment", "Source", "Study", "compare", "reproduce", "reproduce_all"]
