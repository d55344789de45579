"""The ids of vertices: what they may be, and how they are numbered, in the order in which they first occur.

Vertices end up in rising order of id, whatever the order of the edges. Integers are numbered by a hash table, an array
of pairs (key, number + 1) probed linearly so that a look-up costs one cache line; number + 1 is 0 in a free slot.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lense._util.jit import kernel
from lense._util.random_streams import GOLDEN
from lense._util.types import AnyArray, Int32s, Int64s
from lense.errors import LenseError

Table = NDArray[np.int64]

MAX_VERTICES = np.iinfo(np.int32).max
LONGEST_LABEL = 255
"""In bytes: a numpy array of strings gives every string the room of the longest."""

_FIRST_SLOTS = 1 << 17
_BLOCK = 1 << 16
"""Ids numbered at a time, so that a table grows with the different ids and not with the edges."""
_SMALL_IDS = 1 << 22
"""Room for 4 bytes each, of which the system hands out only the pages that are touched."""
_LARGEST_ID = np.iinfo(np.int64).max
_SURROGATES, _LAST_CHARACTER = (0xD800, 0xDFFF), 0x10FFFF


def check_labels(labels: ArrayLike, where: object = "The graph") -> AnyArray:
    """``labels`` (n) as an array, if they can be ids of vertices: 64-bit integers or text, each different.

    All labels pass here, those of files by :meth:`ReadOptions.build`, those of users by :meth:`Graph.from_edges`.
    """
    ids = check_ids(labels, where)
    if ids.size < 2 or (ids[1:] > ids[:-1]).all():
        return ids
    ordered = np.sort(ids)
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    if same.size:
        raise LenseError(f"{where} gives the id '{ordered[same[0]]}' to two vertices: rename one of them.")
    return ids


def check_ids(ids: ArrayLike, where: object = "The graph") -> AnyArray:
    """``ids``, repeated or not, as an array of 64-bit integers or text."""
    array = id_array(ids)
    kind = array.dtype.kind
    if array.ndim != 1 or (array.size and kind not in "iuU"):
        raise LenseError(f"{where} has ids of type {array.dtype}: ids must be all integers or all strings.")
    if kind in "iu":
        if kind == "u" and array.size and array.max() > _LARGEST_ID:
            raise LenseError(f"{where} has ids that do not fit into 64 bits: store them as text.")
        return array
    if not array.size:
        return array.astype(np.int64) if kind != "U" else array
    native = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    codes = native.view(np.uint32).reshape(native.size, -1)
    for start in range(0, native.size, _BLOCK):
        rows = codes[start : start + _BLOCK]
        is_half = (rows >= _SURROGATES[0]) & (rows <= _SURROGATES[1])
        if rows.max() > _LAST_CHARACTER or is_half.any() or ((rows[:, 1:] != 0) & (rows[:, :-1] == 0)).any():
            raise bad_text(where)
    return native


def bad_text(where: object) -> LenseError:
    return LenseError(f"{where} has an id that is not valid text (a NUL or half a character): rename the vertex.")


def ids_of(values: Sequence[Any], where: object = "The graph", longest: int | None = None) -> AnyArray:
    """Python integers, or strings of at most ``longest`` bytes, as an array of ids."""
    kinds = set(map(type, values))
    if kinds == {str}:
        if longest is not None and any(len(text.encode(errors="surrogatepass")) > longest for text in values):
            raise LenseError(f"{where} has an id of more than {longest} bytes: shorten it.")
        if any("\0" in text for text in values):  # numpy drops those at the end of a string
            raise bad_text(where)
        return check_ids(np.array(values, np.str_), where)
    if not kinds <= {int}:
        raise LenseError(f"{where} has ids of several types: ids must be all integers or all strings.")
    try:
        return np.array(values, np.int64)
    except OverflowError as error:
        raise LenseError(f"{where} has ids that do not fit into 64 bits: store them as text.") from error


def id_array(ids: ArrayLike) -> AnyArray:
    """Ids as an array; of strings in a list, those that numpy would change are refused."""
    array = np.asarray(ids)
    if array.dtype.kind == "U" and not isinstance(ids, np.ndarray):
        ids_of([str(one) for one in np.asarray(ids, np.object_).ravel()])
    return array


def longest_label(labels: AnyArray) -> int:
    """How many bytes the longest label has as UTF-8 text; 0 where labels are not text."""
    if labels.dtype.kind != "U":
        return 0
    return max(
        (len(text.encode()) for text in labels[np.strings.str_len(labels) > LONGEST_LABEL // 4].tolist()), default=0
    )


@kernel
def _home(key: np.int64, mask: int) -> np.int64:
    """Where the probing for ``key`` starts; ids that follow one another share a cache line."""
    block = np.uint64(key >> 2) * GOLDEN
    return np.int64((block ^ (block >> np.uint64(32))) << np.uint64(2) | np.uint64(key & 3)) & mask


@kernel
def _doubled(table: Table) -> Table:
    """The same entries in a table with twice as many slots."""
    bigger = np.zeros((2 * table.shape[0], 2), np.int64)
    mask = bigger.shape[0] - 1
    for old in range(table.shape[0]):
        if table[old, 1] != 0:
            slot = _home(table[old, 0], mask)
            while bigger[slot, 1] != 0:
                slot = (slot + 1) & mask
            bigger[slot] = table[old]
    return bigger


@kernel
def _number_integers(
    values: Int64s, small: Int32s, table: Table, ids: Int64s, count: int, numbers: Int32s
) -> tuple[int, int]:
    """Write the number of each value, appending new ones to ``ids``; how many ids there are, and new table entries.

    Ids below ``small.size`` are looked up there without hashing, since most files count from 0.
    """
    mask = table.shape[0] - 1
    entries = 0
    for i in range(values.size):
        key = values[i]
        if 0 <= key < small.size:
            if small[key] == 0:
                ids[count] = key
                count += 1
                small[key] = count
            numbers[i] = small[key] - 1
            continue
        slot = _home(key, mask)
        while table[slot, 1] != 0 and table[slot, 0] != key:
            slot = (slot + 1) & mask
        if table[slot, 1] == 0:
            ids[count] = key
            count += 1
            entries += 1
            table[slot, 0] = key
            table[slot, 1] = count
        numbers[i] = table[slot, 1] - 1
    return count, entries


@kernel
def renumber(numbers: Int32s, new: Int32s) -> None:
    """``numbers[i] = new[numbers[i]]``, in place."""
    for i in range(numbers.size):
        numbers[i] = new[numbers[i]]


class IntegerNumbering:
    """Numbers integer ids in the order in which they first occur."""

    def __init__(self) -> None:
        self.count = 0
        self._ids = np.empty(0, np.int64)
        self._small = np.zeros(_SMALL_IDS, np.int32)
        self._entries = 0
        self._table = np.zeros((_FIRST_SLOTS, 2), np.int64)

    def number(self, values: Int64s) -> Int32s:
        """The vertex number of each id."""
        numbers = np.empty(values.size, np.int32)
        for start in range(0, values.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            while 2 * self._table.shape[0] < 3 * (self._entries + _BLOCK):
                self._table = _doubled(self._table)
            if self._ids.size < self.count + _BLOCK:
                self._ids = np.append(self._ids, np.empty(_BLOCK + self._ids.size // 2, np.int64))
            self.count, entries = _number_integers(
                values[block], self._small, self._table, self._ids, self.count, numbers[block]
            )
            self._entries += entries
            _check_count(self.count)
        return numbers

    def in_order(self) -> tuple[Int64s, Int32s]:
        """The ids so far, sorted, and the new number of each vertex."""
        ids = self._ids[: self.count]
        small = np.flatnonzero(self._small)
        others = np.flatnonzero((ids < 0) | (ids >= self._small.size))
        others = others[np.argsort(ids[others])]
        negative, large = np.split(others, [np.count_nonzero(ids < 0)])
        labels = np.concatenate([ids[negative], small, ids[large]])
        return labels, _inverse(np.concatenate([negative, self._small[small] - 1, large]))


class StringNumbering:
    """Numbers strings in the order in which they first occur."""

    def __init__(self) -> None:
        self._numbers = dict[str, int]()

    @property
    def count(self) -> int:
        return len(self._numbers)

    def number(self, texts: Any) -> Int32s:
        """The vertex number of each string in an array of pyarrow."""
        encoded, numbers = texts.dictionary_encode(), self._numbers
        places = np.asarray(encoded.indices)
        is_used = np.zeros(len(encoded.dictionary), np.bool_)
        is_used[places] = True  # what an array was cut from may hold others
        used = encoded.dictionary.filter(is_used).to_pylist()
        new = np.empty(is_used.size, np.int32)
        new[is_used] = np.fromiter((numbers.setdefault(text, len(numbers)) for text in used), np.int32, len(used))
        _check_count(len(numbers))
        found: Int32s = new[places]
        return found

    def __contains__(self, text: str) -> bool:
        return text in self._numbers

    def in_order(self) -> tuple[NDArray[np.str_], Int32s]:
        """The strings so far, sorted, and the new number of each vertex."""
        return in_order(np.array(list(self._numbers), np.str_))


A = TypeVar("A", bound=np.generic)


def in_order(labels: NDArray[A]) -> tuple[NDArray[A], Int32s]:
    """The labels sorted, and the new number of each vertex."""
    order = np.argsort(labels)
    return labels[order], _inverse(order)


def _inverse(order: AnyArray) -> Int32s:
    places = np.empty(order.size, np.int32)
    places[order] = np.arange(order.size, dtype=np.int32)
    return places


def relabel(sources: ArrayLike, targets: ArrayLike, isolated: ArrayLike = ()) -> tuple[Int32s, Int32s, AnyArray]:
    """Number the ends of edges 0..n - 1, as :meth:`Graph.from_edges <lense.graph.Graph.from_edges>` takes them.

    Parameters
    ----------
    sources, targets
        The ids of the ends of each edge, integers or strings.
    isolated
        Ids of vertices that need not have an edge.

    Returns
    -------
    tuple[ndarray, ndarray, ndarray]
        Sources, targets, and the labels: all ids in rising order.
    """
    u, v, rest = (check_ids(ids) for ids in (sources, targets, isolated))
    given = [ids for ids in (u, v, rest) if ids.size]
    if all(np.issubdtype(ids.dtype, np.integer) for ids in given):
        numbering = IntegerNumbering()
        a, b, _ = (numbering.number(np.ascontiguousarray(ids, dtype=np.int64)) for ids in (u, v, rest))
        labels, new = numbering.in_order()
        renumber(a, new)
        renumber(b, new)
        return a, b, labels
    if not all(np.issubdtype(ids.dtype, np.str_) for ids in given):
        raise LenseError("The graph has ids of several types: ids must be all integers or all strings.")
    names, numbers = np.unique(np.concatenate(given), return_inverse=True)
    a, b, _ = np.split(numbers.astype(np.int32), [u.size, u.size + v.size])
    return a, b, names


def _check_count(count: int) -> None:
    if count > MAX_VERTICES:
        raise LenseError(f"A graph holds at most {MAX_VERTICES:,} vertices, and there are more different ids.")
