"""Whether a function changed the graph that it was given, at a small and bounded cost."""

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from itertools import chain, islice
from operator import methodcaller
from typing import Any
from zlib import crc32

import numpy as np

from lense._util.types import Int64s
from lense.graph.adapters import graph_type_of
from lense.graph.convert import library
from lense.graph.csr import Graph

_ENTRIES = 50_000
"""At most so many Python objects are compared one by one: edges of networkx, rows of a list, strings of a column."""
_values = methodcaller("values")


class Fingerprint(tuple[Any, ...]):
    """What :func:`fingerprint` notes of a graph; two are equal where nothing that it looks at has changed."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        try:
            return super().__eq__(other)
        except (TypeError, ValueError):  # other values that cannot be compared, such as arrays, were put there
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]


def fingerprint(graph: Any) -> Fingerprint:
    """Note what a function could change of a graph of any type by mistake.

    Take one before a call and one after it: they differ if the function added or removed vertices, edges, attributes
    or columns, or gave them other values. Arrays are compared as a whole, Python objects up to 50,000; of more, a
    sample that in networkx holds the edges of the largest vertices. Values that are changed in place, such as a list
    in an attribute, are not noticed.
    """
    if isinstance(graph, Graph):
        return Fingerprint()  # its arrays are read-only
    return Fingerprint([type(graph), *_NOTES[graph_type_of(graph)](graph)])


def _of_networkx(graph: Any) -> Iterator[Any]:
    nodes, rows, names = graph._node, graph._adj, list(graph)
    lengths = np.fromiter(map(len, rows.values()), np.int64, len(rows))
    yield dict(graph.graph)
    yield names
    yield lengths.tobytes()
    yield sum(map(len, nodes.values()))
    some = [names[i] for i in _sample(lengths + 1).tolist()]
    yield from _of_dicts(list(map(nodes.__getitem__, some)))
    sampled = list(map(rows.__getitem__, some))
    yield list(chain.from_iterable(sampled))
    edges = list(chain.from_iterable(map(_values, sampled)))
    if graph.is_multigraph():
        yield list(map(len, edges))
        yield list(chain.from_iterable(edges))
        edges = list(chain.from_iterable(map(_values, edges)))
    yield from _of_dicts(edges)


def _of_dicts(attributes: list[Any]) -> Iterator[Any]:
    """Names and values, in three lists: many small objects would keep the garbage collector busy."""
    yield list(map(len, attributes))
    yield list(chain.from_iterable(attributes))
    yield list(chain.from_iterable(map(_values, attributes)))


def _sample(lengths: Int64s) -> Int64s:
    """The rows to compare: all, or of many the longest ones and as many entries from evenly spread ones."""
    if lengths.sum() <= _ENTRIES:
        return np.arange(lengths.size)
    longest = np.argsort(-lengths, kind="stable")
    longest = longest[np.cumsum(lengths[longest]) <= _ENTRIES // 2]
    spread = np.arange(0, lengths.size, max(1, int(2 * lengths.sum() // _ENTRIES)))
    return np.union1d(longest, spread[np.cumsum(lengths[spread]) <= _ENTRIES // 2])


def _of_igraph(graph: Any) -> Iterator[Any]:
    yield {name: graph[name] for name in graph.attributes()}
    yield graph.vcount(), graph.ecount(), graph.is_directed()
    yield graph.get_edgelist() if graph.ecount() <= _ENTRIES else graph.degree()
    for listed in (graph.vs, graph.es):
        yield {name: listed[name] for name in listed.attributes()}


def _of_networkit(graph: Any) -> Iterator[Any]:
    yield graph.numberOfNodes(), graph.numberOfEdges(), graph.upperNodeIdBound(), graph.totalEdgeWeight()
    yield list(islice(graph.iterEdgesWeights(), _ENTRIES))


def _of_scipy(graph: Any) -> Iterator[Any]:
    yield graph.shape, graph.format
    if graph.format not in ("csr", "csc") or not graph.has_canonical_format:
        # many functions sort the entries of a matrix in place, which does not change it
        graph = graph.asformat("csc" if graph.format == "csc" else "csr", copy=True)
        graph.sum_duplicates()
    for array in (graph.data, graph.indices, graph.indptr):
        yield _of_array(array)


def _of_pyg(graph: Any) -> Iterator[Any]:
    for name, value in graph.to_dict().items():
        yield name, _of_array(value) if hasattr(value, "dtype") else copy(value)


def _of_pandas(graph: Any) -> Iterator[Any]:
    yield list(graph.columns)
    for column in (graph.index, *(graph.iloc[:, place] for place in range(graph.shape[1]))):
        if isinstance(column.dtype, np.dtype) and column.dtype.kind != "O":
            yield _of_array(column.to_numpy())
        else:
            yield len(column), _Snapshot(column[:_ENTRIES].copy())


def _of_edges(graph: Any) -> Iterator[Any]:
    if hasattr(graph, "dtype"):
        yield _of_array(graph)
    else:
        yield list(graph)
        yield list(map(tuple, islice(graph, _ENTRIES)))


_NOTES: dict[str, Callable[[Any], Iterator[Any]]] = {
    "networkx": _of_networkx,
    "igraph": _of_igraph,
    "networkit": _of_networkit,
    "scipy": _of_scipy,
    "pyg": _of_pyg,
    "pandas": _of_pandas,
    "polars": lambda graph: iter([_Snapshot(graph.clone())]),  # polars copies on write
    "arrow": lambda _: iter(()),  # immutable
    "array": _of_edges,
}


@dataclass(frozen=True, eq=False)
class _Snapshot:
    """A table or column, to be compared by its own method."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Snapshot) and bool(self.value.equals(other.value))

    __hash__ = None  # type: ignore[assignment]


def _of_array(array: Any) -> tuple[Any, ...]:
    """The shape, type and hash of an array or a tensor."""
    facts = tuple(array.shape), str(array.dtype)
    if hasattr(array, "data_ptr"):
        if array.device.type != "cpu" or str(array.layout) != "torch.strided":
            return *facts, array._version  # rises with each change in place
        array = array.detach().contiguous().flatten().view(library("torch").uint8).numpy()
    if array.dtype.kind == "O":
        return *facts, array.ravel()[:_ENTRIES].tolist()
    return *facts, crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
