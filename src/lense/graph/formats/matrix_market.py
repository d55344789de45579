"""Matrix Market: general matrices are directed graphs, symmetric ones undirected; patterns are unweighted.

Files are written by scipy but read by our own parser: scipy's is fast, yet crashes on some damaged files, and
knows nothing of the ids that our files keep in comments.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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
from lense.graph.formats.streams import reading_lines, writing
from lense.graph.formats.text import Comment, Fields, Growing, Place, excerpt, read_comments
from lense.graph.labels import LONGEST_LABEL, text_labels

_PREFIX = "lense labels:"
_LABELS_A_LINE = 50
LABELS = re.compile(_PREFIX.encode())
"""Finds comments that hold labels."""


def label_comments(labels: AnyArray) -> Iterator[str]:
    """Comment lines, less the comment sign, that hold the labels; none where they are 1..n anyway."""
    if np.array_equal(labels, np.arange(1, labels.size + 1)):
        return
    for start in range(0, labels.size, _LABELS_A_LINE):
        yield f"{_PREFIX} {json.dumps(labels[start : start + _LABELS_A_LINE].tolist())}"


def labels_from_comments(comments: Iterable[Comment], num_vertices: int, path: Path) -> AnyArray:
    """The labels held in comment lines (which keep their sign), else 1..n."""
    texts = (comment.decode(errors="replace").strip().lstrip("% \t") for _, comment in comments)
    found: list[Any] = []
    try:
        for text in texts:
            if text.startswith(_PREFIX) and len(found) <= num_vertices:
                listed = parse_json(text.removeprefix(_PREFIX))
                if not isinstance(listed, list):
                    raise TypeError("labels must be in a list")
                found += listed
        kinds = {type(label) for label in found}
        if not found:
            return np.arange(1, num_vertices + 1)
        if kinds not in ({int}, {str}):
            raise TypeError("labels must be all integers or all strings")
        labels = np.array(found, np.int64) if kinds == {int} else text_labels(found, str(path), LONGEST_LABEL)
    except LenseError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise LenseError(f"{path} has a damaged comment of labels: write it again.") from error
    if labels.size > num_vertices:
        raise LenseError(f"{path} has more labels than its {num_vertices:,} vertices: write it again.")
    if labels.size < num_vertices:
        raise LenseError(f"{path} has labels for {labels.size:,} of {num_vertices:,} vertices: write it again.")
    return labels


_BANNER = re.compile(rb"%%MatrixMarket\s+matrix\s+(\S+)\s+(\S+)\s+(\S+)\s*", re.IGNORECASE)
_WANTED = re.compile(rb"%%matrixmarket|" + LABELS.pattern)
_SIZES = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s+(\d{1,18})\s*")
_WEIGHTED = {"pattern": False, "real": True, "double": True, "integer": True, "unsigned-integer": True}
_DIRECTED = {"general": True, "symmetric": False}


@dataclass(frozen=True)
class _Header:
    num_vertices: int
    num_entries: int
    weighted: bool
    directed: bool


def read(path: Path, options: ReadOptions) -> Graph:
    """Read a square real, integer or pattern matrix of coordinates, see :func:`lense.graph.read_graph`."""
    place = Place(path)
    with reading_lines(path) as blocks:
        comments, text = read_comments(blocks, place, _WANTED)
        sizes, _, text = text.partition(b"\n")
        header = _parse_header(comments, sizes, place)
        place.line += 1
        labels = labels_from_comments(comments, header.num_vertices, path)
        with_weights = header.weighted and options.weights is not False
        entries = _Entries(header, place, with_weights=with_weights)
        for block in chain([text], blocks):
            entries.add(block)
    rows, columns, weights = entries.rows.array(), entries.columns.array(), entries.weights.array()
    if rows.size != header.num_entries:
        raise LenseError(f"{path} announces {header.num_entries:,} entries, but has {rows.size:,}: make it again.")
    if not header.directed:
        rows, columns = np.minimum(rows, columns), np.maximum(rows, columns)
    # a matrix without entries is real or a pattern as its writer likes
    weights_or_none = weights if with_weights and rows.size else None
    return options.build(path, rows, columns, weights_or_none, labels, directed=header.directed)


def _parse_header(comments: list[Comment], sizes: bytes, place: Place) -> _Header:
    banner = _BANNER.fullmatch(comments[0][1]) if comments else None
    if not banner:
        raise LenseError(f"{place.path} does not start with '%%MatrixMarket matrix': it is not a Matrix Market file.")
    layout, field, symmetry = (word.decode(errors="replace").lower() for word in banner.groups())
    if layout != "coordinate" or field not in _WEIGHTED or symmetry not in _DIRECTED:
        kind = f"{layout} {field} {symmetry}"
        raise LenseError(
            f"{place.path} holds a matrix that is {kind}: save it as coordinate real general or symmetric."
        )
    numbers = _SIZES.fullmatch(sizes)
    if not numbers:
        problem = f"expected the numbers of rows, columns and entries, not '{excerpt(sizes)}'."
        raise place.error(b"", 0, problem)
    rows, columns, entries = map(int, numbers.groups())
    if rows != columns:
        raise LenseError(f"{place.path} holds a matrix of {rows} by {columns}, but only a square one is a graph.")
    check_claims(place.path, place.path.stat().st_size, vertices=rows, edges=entries)
    return _Header(rows, entries, _WEIGHTED[field], _DIRECTED[symmetry])


class _Entries:
    """The entries read so far; rows and columns count from 0."""

    def __init__(self, header: _Header, place: Place, *, with_weights: bool) -> None:
        self._header = header
        self._place = place
        self._with_weights = with_weights
        self.rows = Growing(np.int32)
        self.columns = Growing(np.int32)
        self.weights = Growing(np.float32)

    def add(self, block: bytes) -> None:
        """Parse a block of whole lines."""
        ignore_rest = self._header.weighted and not self._with_weights
        fields = Fields(block, 3 if self._with_weights else 2, self._place, ignore_rest=ignore_rest)
        self.rows.append(self._vertices(fields, 0))
        self.columns.append(self._vertices(fields, 1))
        if self._with_weights:
            self.weights.append(fields.weights(2))
        fields.check_all_read("a row, a column and a value" if self._header.weighted else "a row and a column")
        self._place.line += block.count(b"\n")

    def _vertices(self, fields: Fields, column: int) -> Int32s:
        size = self._header.num_vertices
        numbers = fields.integers(column, lambda field: f"'{excerpt(field)}' is not a number from 1 to {size:,}.")
        outside = (numbers < 1) | (numbers > size)
        if outside.any():
            line = int(np.argmax(outside))
            raise fields.error(column, line, f"'{numbers[line]}' is not a number from 1 to {size:,}.")
        return (numbers - 1).astype(np.int32)


def write(graph: Graph, path: Path) -> None:
    """Write the adjacency matrix, the lower triangle where the graph is undirected."""
    from scipy.io import mmwrite
    from scipy.sparse import coo_array

    sources, targets, weights = graph.edges()
    values = np.ones(sources.size, np.int8) if weights is None else weights
    ends = (sources, targets) if graph.directed else (targets, sources)
    matrix = coo_array((values, ends), shape=(graph.num_vertices, graph.num_vertices))
    with writing(path) as file:
        mmwrite(
            SimpleNamespace(write=file.write, flush=file.flush),  # scipy would seek, which compressed files cannot
            matrix,
            comment="\n".join(label_comments(graph.labels)),
            field="pattern" if weights is None else "real",
            symmetry="general" if graph.directed else "symmetric",
        )
