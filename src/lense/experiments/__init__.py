"""Experiments: many runs under one plan, kept as they come, and the tables and figures made of them.

:data:`EXPERIMENTS` is the one place that knows them all; commands, the page of results and the files of records go by
it. To add one, write a subclass of :class:`Experiment` in a file of its own, about forty lines, and name it there.
"""

from lense.experiments.ablation import Ablation, Budgets, Losses
from lense.experiments.compare import compare
from lense.experiments.cores import Cores
from lense.experiments.experiment import Experiment, reproduce
from lense.experiments.maps import Maps, WalkPicture
from lense.experiments.rivals import Published, Rivals
from lense.experiments.scalability import Scalability
from lense.experiments.study import Source, Study
from lense.experiments.table1 import Table1

EXPERIMENTS: dict[str, Experiment] = {
    one.name: one
    for one in (
        *(Table1(), Budgets(), Scalability(), Losses(), WalkPicture()),
        *(Maps(), Rivals(), Published(), Cores(), Ablation()),
    )
}
"""In the order in which they are run together."""

__all__ = ["EXPERIMENTS", "Experiment", "Source", "Study", "compare", "reproduce"]
