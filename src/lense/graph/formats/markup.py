"""GraphML and GML, read by igraph or networkx, whichever is installed, and written by networkx.

Vertices are called by their ids in GraphML, and in GML by their labels where each has one of its own.
"""

from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lense.errors import LenseError
from lense.graph.convert import to_networkx
from lense.graph.csr import Graph
from lense.graph.formats.options import ReadOptions
from lense.graph.formats.streams import reading, writing
from lense.graph.tables import as_weights, library
from lense.types import AnyArray

_NAMES = {"graphml": "GraphML", "gml": "GML"}
Edges = tuple[AnyArray, Sequence[Any], list[Any], bool]
"""Pairs of vertex numbers (m, 2), their weights or None, what vertices are called, and whether edges are directed."""


def read(path: Path, options: ReadOptions, *, kind: str) -> Graph:
    """Read a file of the ``kind`` graphml or gml, see :func:`lense.graph.read_graph`."""
    by = _read_by_igraph if find_spec("igraph") else _read_by_networkx
    if by is _read_by_networkx and not find_spec("networkx"):
        raise LenseError(f"{path} is read by igraph or networkx, and neither is here: pip install 'lense[convert]'.")
    with TemporaryDirectory() as folder, reading(path) as stream:
        plain = Path(folder) / f"graph.{kind}"
        plain.write_bytes(stream.read())
        try:
            ends, weights, names, directed = by(plain, kind)
        except Exception as error:  # what the two libraries and their parsers raise has nothing else in common
            if isinstance(error, MemoryError):
                raise
            raise LenseError(f"{path} is not a whole {_NAMES[kind]} file of one graph: {_first_line(error)}") from error
    return options.build(
        path,
        ends[:, 0].astype(np.int32),
        ends[:, 1].astype(np.int32),
        as_weights(weights),
        _labels(names, options, path),
        directed=directed,
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def _read_by_igraph(plain: Path, kind: str) -> Edges:
    igraph = library("igraph")
    graph = (igraph.Graph.Read_GraphML if kind == "graphml" else igraph.Graph.Read_GML)(str(plain))
    known = graph.vs.attributes()
    ids = graph.vs["id"] if "id" in known else list(range(graph.vcount()))
    names = graph.vs["label"] if kind == "gml" and "label" in known else ids
    weights = graph.es["weight"] if "weight" in graph.es.attributes() else [None] * graph.ecount()
    ends = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    return ends, weights, _distinct(names, ids), graph.is_directed()


def _read_by_networkx(plain: Path, kind: str) -> Edges:
    nx = library("networkx")
    graph = nx.read_graphml(plain) if kind == "graphml" else nx.read_gml(plain, label="id")
    number = {node: i for i, node in enumerate(graph)}
    edges = [(number[u], number[v], weight) for u, v, weight in graph.edges(data="weight")]
    names = [data.get("label", node) for node, data in graph.nodes(data=True)] if kind == "gml" else list(graph)
    ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2)
    return ends, [edge[2] for edge in edges], _distinct(names, list(graph)), graph.is_directed()


def _distinct(names: list[Any], ids: list[Any]) -> list[Any]:
    """The names, if there is one for each vertex and none twice; else the ids."""
    given = [name for name in names if name not in (None, "")]
    return names if len({str(name) for name in given}) == len(ids) else ids


def _labels(names: list[Any], options: ReadOptions, path: Path) -> AnyArray:
    """Whole numbers, also where they are written as text, or text, as ``options`` say."""
    texts = [str(int(name)) if isinstance(name, float) and name.is_integer() else str(name) for name in names]
    labels = np.array(texts, np.str_)
    if options.ids == "auto" and texts and all(text.isascii() and text.isdigit() and len(text) < 19 for text in texts):
        labels = labels.astype(np.int64)
    return options.as_asked(path, labels)


def write(graph: Graph, path: Path, *, kind: str) -> None:
    """Write by networkx."""
    nx, theirs = library("networkx"), to_networkx(graph)
    dump: Callable[..., None] = nx.write_graphml if kind == "graphml" else partial(nx.write_gml, stringizer=str)
    with writing(path) as file:
        dump(theirs, file)
