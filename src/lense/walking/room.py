"""Room for subgraphs that change step by step, so that a device is not asked for their sizes at each step."""

from torch import Tensor

from lense.walking.batches import GraphTensors

STEPS = 20
"""Between two questions to the device."""


class Room:
    """How many entries the rows of B sets of M roots may have, which :func:`lense.walking.batches` is to be told.

    In k steps no more than k roots of a set are exchanged, for vertices whose rows together are no longer than the k
    longest of the graph. So the entries there are now, and B times those of the k longest rows, are room for k steps;
    B times those of the M longest are always enough.
    """

    def __init__(self, graph: GraphTensors, num_sets: int, num_roots: int) -> None:
        longest = graph.indptr.diff().topk(num_roots).values.cumsum(0)
        most, in_steps = longest[[-1, min(STEPS, num_roots) - 1]].tolist()
        self._graph = graph
        self._most, self._in_steps = num_sets * most, num_sets * in_steps
        self._entries, self._looks_left = 0, 0

    def of(self, roots: Tensor, *, anew: bool = False) -> int:
        """Room for the rows of ``roots`` (B, M), of which at most one in each set was not there the last time.

        Where more may have changed, room is made ``anew``.
        """
        if anew or not self._looks_left:
            self._entries = min(self._most, int(self._graph.entries_of(roots).sum()) + self._in_steps)
            self._looks_left = STEPS + 1
        self._looks_left -= 1
        return self._entries
