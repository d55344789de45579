"""Experiments: many runs under one plan, kept as they come, and the tables and figures made of them.

To add one, write a subclass of :class:`Experiment` in a module of this package: :data:`EXPERIMENTS` finds it, and the
commands, the page of results and the files of records go by that.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """Run what is missing, then write tables and figures of everything there is."""
    study.check()
    experiment.run(study)
    return experiment.make(study)


def reproduce_all(
    experiments: Iterable[Experiment],
    study: Study,
    graphs: Sequence[str] = (),
    problems: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    *,
    own: bool = False,
) -> Iterator[tuple[Experiment, Made, list[Row]]]:
    """Each experiment with what was made of it and the states of its cells.

    They run on every one of the ``graphs`` with every one of the ``problems``; on those of the paper's table where none
    are named, and on those of them that are named if ``own``. Raises where nothing could be run.
    """
    check_names(graphs, problems)
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
