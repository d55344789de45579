"""Divergences of vertices from a sample, the basis of submodular sparsification (Zhou et al. 2017)."""

import numpy as np

from lense._util.jit import kernel
from lense._util.types import AnyArray, Bools, Int32s, Int64s
from lense.kernels.gains import Gains, alone, last_gain
from lense.kernels.rows import entry_weight


class Divergences:
    """Finds w(v) = min over u in a sample of f(v | {u}) - f(u | all others), in units of ``gains.scale``.

    With o(u, v) what the items of v's row count that u takes, f(v | {u}) = f({v}) - (1 + penalty) o(u, v), so that

        w(v) = f({v}) - base - max(0, max over u of (1 + penalty) o(u, v) + f(u | all others) - base),

    base being the largest f(u | all others) in the sample. Only vertices that share an item with the sample differ from
    f({v}) - base: the time is that of reading ``left`` once, the rows of the sample and the holders of their items.
    """

    def __init__(self, gains: Gains) -> None:
        self.gains = gains
        n = gains.indptr.size - 1
        self._holder_indptr, self._holders = gains.holder_indptr, gains.holders
        kinds = (np.int32, np.int64) if gains.weights is None else (np.float64, np.float64)
        self._overlap, self._relief = (np.zeros(n, kind) for kind in kinds)

    def __call__(self, sample: Int64s, left: Int64s) -> AnyArray:
        """(left): the divergence of each vertex of ``left``, which must be a part of the ``left`` of the last call."""
        if not self.gains.takes_itself:
            self._forget_all_but(left)
        return _divergences(self.gains, self._holder_indptr, self._holders, sample, left, self._overlap, self._relief)

    def _forget_all_but(self, left: Int64s) -> None:
        """Without the others, items that many hold cost no more than the few who still count."""
        wanted = np.zeros(self._overlap.size, np.bool_)
        wanted[left] = True
        self._holder_indptr, self._holders = _filtered(self._holder_indptr, self._holders, wanted)


@kernel
def _filtered(indptr: Int64s, holders: Int32s, wanted: Bools) -> tuple[Int64s, Int32s]:
    starts, kept = np.zeros_like(indptr), np.empty(holders.size + 1, np.int32)
    filled = 0
    for item in range(indptr.size - 1):
        for a in range(indptr[item], indptr[item + 1]):
            kept[filled] = holders[a]  # written over by the next one if it is not wanted
            filled += wanted[holders[a]]
        starts[item + 1] = filled
    return starts, kept[:filled].copy()


@kernel
def _divergences(
    gains: Gains,
    holder_indptr: Int64s,
    holders: Int32s,
    sample: Int64s,
    left: Int64s,
    overlap: AnyArray,
    relief: AnyArray,
) -> AnyArray:
    """``overlap`` and ``relief`` are 0 at all of ``left``, before and after."""
    last = np.empty(sample.size, relief.dtype)
    for i in range(sample.size):
        last[i] = last_gain(gains, sample[i])
    base = last.max()
    for i in range(sample.size):
        u, surplus = sample[i], last[i] - base
        first, end = (0, 1) if gains.takes_itself else (gains.indptr[u], gains.indptr[u + 1])
        for a in range(first, end):
            item = u if gains.takes_itself else gains.items[a]
            for b in range(holder_indptr[item], holder_indptr[item + 1]):
                overlap[holders[b]] += entry_weight(gains.weights, b)
        for a in range(first, end):
            item = u if gains.takes_itself else gains.items[a]
            for b in range(holder_indptr[item], holder_indptr[item + 1]):
                v = holders[b]
                if overlap[v]:
                    relief[v] = max(relief[v], (1 + gains.penalty) * overlap[v] + surplus)
                    overlap[v] = 0
    found = np.empty(left.size, relief.dtype)
    for i in range(left.size):
        v = left[i]
        found[i] = alone(gains, v) - base - relief[v]
        relief[v] = 0
    return found
