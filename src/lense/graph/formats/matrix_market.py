"""Matrix Market: general matrices are directed graphs, symmetric ones undirected; patterns are unweighted.

Vertices are 1..n; where their ids are others, comments at the top have them. Files are written by scipy but read by our
own parser: scipy's is fast, yet the process crashes on some damaged files, such as one that ends in ``4.0e``.
"""

import json
import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from lense._util.files import parse_json
from lense._util.types import AnyArray, Int32s
from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.options import ReadOptions, check_claims
from lense.graph.formats.streams import reading_chunks, writing
from lense.graph.formats.text import Comment, Fields, Place, excerpt, read_comments
from lense.graph.labels import LONGEST_LABEL, ids_of

_BANNER = re.compile(rb"%%MatrixMarket\s+matrix\s+(\S+)\s+(\S+)\s+(\S+)\s*", re.IGNORECASE)
_LABELS = "lense labels:"
_LABELS_A_LINE = 50
_WANTED = re.compile(rb"%%matrixmarket|" + _LABELS.encode())
_SIZES = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s+(\d{1,18})\s*")
_WEIGHTED = {"pattern": False, "real": True, "double": True, "integer": True, "unsigned-integer": True}
_DIRECTED = {"general": True, "symmetric": False}


def read(path: Path, options: ReadOptions) -> Graph:
    """Read a square real, integer or pattern matrix of coordinates, see :func:`lense.graph.read_graph`."""
    place = Place(path)
    with reading_chunks(path, is_text=True) as blocks:
        comments, text = read_comments(blocks, place, _WANTED)
        has_values, directed = _parse_banner(comments, path)
        sizes, _, text = text.partition(b"\n")
        size, num_entries = _parse_sizes(sizes, place)
        place.line += 1
        labels = _labels_from(comments, size, path)
        is_weighted = has_values and options.weights is not False
        width, expected = (3, "a row, a column and a value") if has_values else (2, "a row and a column")
        entries = []
        for block in chain([text], blocks):
            fields = Fields(block, width, place, (0, 1), (2,) if is_weighted else (), expected=expected)
            ends = (_vertices(fields, 0, size), _vertices(fields, 1, size))
            entries.append((*ends, fields.weights(2) if is_weighted else np.empty(0, np.float32)))
            place.line += block.count(b"\n")
    us, vs, weights = (np.concatenate(column) for column in zip(*entries, strict=True))
    if us.size != num_entries:
        raise LenseError(f"{path} announces {num_entries:,} entries, but has {us.size:,}: make it again.")
    if not directed:
        us, vs = np.minimum(us, vs), np.maximum(us, vs)
    # a matrix without entries is real or a pattern as its writer likes
    return options.build(path, us, vs, weights if weights.size else None, labels, directed=directed)


def _parse_banner(comments: Sequence[Comment], path: Path) -> tuple[bool, bool]:
    """Whether entries have values, and whether the graph is directed."""
    banner = _BANNER.fullmatch(comments[0][1]) if comments else None
    if not banner:
        raise LenseError(f"{path} does not start with '%%MatrixMarket matrix': it is not a Matrix Market file.")
    layout, field, symmetry = (word.decode(errors="replace").lower() for word in banner.groups())
    if layout != "coordinate" or field not in _WEIGHTED or symmetry not in _DIRECTED:
        kind = f"{layout} {field} {symmetry}"
        raise LenseError(f"{path} holds a matrix that is {kind}: save it as coordinate real general or symmetric.")
    return _WEIGHTED[field], _DIRECTED[symmetry]


def _parse_sizes(line: bytes, place: Place) -> tuple[int, int]:
    """The numbers of vertices and of entries."""
    numbers = _SIZES.fullmatch(line)
    if not numbers:
        raise place.error(f"expected the numbers of rows, columns and entries, not '{excerpt(line)}'.")
    rows, columns, entries = map(int, numbers.groups())
    if rows != columns:
        raise LenseError(f"{place.path} holds a matrix of {rows} by {columns}, but only a square one is a graph.")
    check_claims(place.path, place.path.stat().st_size, vertices=rows, edges=entries)
    return rows, entries


def _vertices(fields: Fields, column: int, size: int) -> Int32s:
    """A column of numbers from 1 to ``size`` as vertices from 0 on."""
    problem = f"is not a number from 1 to {size:,}."
    numbers = fields.integers(column, lambda field: f"'{excerpt(field)}' {problem}")
    outside = (numbers < 1) | (numbers > size)
    if outside.any():
        row = int(np.argmax(outside))
        raise fields.error(row, f"'{numbers[row]}' {problem}")
    return (numbers - 1).astype(np.int32)


def _labels_from(comments: Sequence[Comment], num_vertices: int, path: Path) -> AnyArray:
    """The labels held in comment lines (which keep their sign), else 1..n."""
    texts = (comment.decode(errors="replace").strip().lstrip("% \t") for _, comment in comments)
    found: list[Any] = []
    try:
        for text in texts:
            if text.startswith(_LABELS) and len(found) <= num_vertices:
                listed = parse_json(text.removeprefix(_LABELS))
                if not isinstance(listed, list):
                    raise TypeError("labels must be in a list")
                found += listed
    except (ValueError, TypeError) as error:
        raise LenseError(f"{path} has a damaged comment of labels: write it again.") from error
    if not found:
        return np.arange(1, num_vertices + 1)
    labels = ids_of(found, path, LONGEST_LABEL)
    if labels.size != num_vertices:
        count = f"{labels.size:,}" if labels.size < num_vertices else "more"
        raise LenseError(f"{path} has {count} labels for {num_vertices:,} vertices: write it again.")
    return labels


def write(graph: Graph, path: Path) -> None:
    """Write the adjacency matrix, the lower triangle where the graph is undirected."""
    from scipy.io import mmwrite
    from scipy.sparse import coo_array

    sources, targets, weights = graph.edges()
    values = np.ones(sources.size, np.int8) if weights is None else weights
    ends = (sources, targets) if graph.directed else (targets, sources)
    comments = list[str]()
    if not np.array_equal(graph.labels, np.arange(1, graph.labels.size + 1)):
        labels = (graph.labels[at : at + _LABELS_A_LINE].tolist() for at in range(0, graph.labels.size, _LABELS_A_LINE))
        comments = [f"{_LABELS} {json.dumps(some)}" for some in labels]
    matrix = coo_array((values, ends), shape=(graph.num_vertices, graph.num_vertices))
    with writing(path) as file:
        mmwrite(
            SimpleNamespace(write=file.write, flush=file.flush),  # scipy would seek, which compressed files cannot
            matrix,
            comment="\n".join(comments),
            field="pattern" if weights is None else "real",
            symmetry="general" if graph.directed else "symmetric",
        )
