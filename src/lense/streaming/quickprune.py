"""QuickPrune on a graph that stays on disk.

QuickPrune looks at the vertices in order, and passes over one whose degree is below a bar that rises with the value of
what it holds. The bar is guessed from the degrees. The vertices above half of it are collected with the edges between
them, and QuickPrune runs on those. It then says what the bar really was: if a vertex that was left out is not below it,
another pass is made with a lower guess.
"""

import numpy as np

from lense._util.types import Int64s
from lense.errors import LenseError
from lense.kernels.quickprune import above_bar, all_below, traced_quickprune
from lense.pruners.quickprune import QuickPrune
from lense.streaming.excerpts import Excerpts

_FIRST_SLACK, _LOWER = 0.5, 0.25
_LEAST_SLACK = 1e-3


def streamed_quickprune(pruner: QuickPrune, excerpts: Excerpts, budget: float) -> Int64s:
    """The vertices that ``pruner`` keeps, in rising order."""
    if pruner.problem_.pair_loss is None:
        raise LenseError(f"In a stream, quickprune is for mvc and bmc, not for {pruner.problem_.name}.")
    kept = [_one_budget(pruner, excerpts, one) for one in pruner.budgets(budget)]
    return np.unique(np.concatenate(kept))


def _one_budget(pruner: QuickPrune, excerpts: Excerpts, budget: float) -> Int64s:
    degrees, slack = excerpts.counted, _FIRST_SLACK
    while True:
        chosen = np.flatnonzero(above_bar(degrees, pruner.delta / budget, slack))
        part = excerpts.of(chosen)
        gains = pruner.problem_.within(part).gains(part.graph, budget)
        assert gains is not None
        needed = np.zeros(part.vertices.size)
        numbers = float(budget), float(pruner.delta), float(pruner.epsilon)
        found: Int64s = traced_quickprune(gains, part.cut_off, np.empty(0), part.whole_vertices, *numbers, needed)
        if part.num_left_out == 0 or all_below(degrees, part.vertices, needed):
            return part.vertices[found]
        slack = slack * _LOWER if slack > _LEAST_SLACK else 0.0
