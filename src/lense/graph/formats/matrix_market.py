"""Matrix Market: general matrices are directed graphs, symmetric ones undirected; patterns are unweighted."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import numpy as np

from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.label_comments import label_comments, labels_from_comments
from lense.graph.formats.options import ReadOptions, check_size, single_precision
from lense.graph.formats.streams import reading, writing


def read(path: Path, options: ReadOptions) -> Graph:
    """Read a square real, integer or pattern matrix, see :func:`lense.graph.read_graph`."""
    from scipy.io import mmread
    from scipy.sparse import coo_array

    head = _read_head(path)
    rows, field, symmetry = _kind(head, path)
    labels = labels_from_comments(head, rows, path)
    with reading(path) as stream, _scipy_errors(path):
        matrix = coo_array(mmread(stream, spmatrix=False))
    sources, targets, weights = matrix.row, matrix.col, matrix.data
    if symmetry == "symmetric":
        once = sources <= targets
        sources, targets, weights = sources[once], targets[once], weights[once]
    return options.build(
        path,
        sources.astype(np.int32, copy=False),
        targets.astype(np.int32, copy=False),
        None if field == "pattern" else single_precision(weights),
        labels,
        directed=symmetry == "general",
    )


def _read_head(path: Path) -> list[bytes]:
    """The lines up to the first that is neither a comment nor blank."""
    lines: list[bytes] = []
    with reading(path) as stream:
        for line in stream:
            lines.append(line)
            if not line.isspace() and not line.startswith(b"%"):
                break
    return lines


def _kind(head: list[bytes], path: Path) -> tuple[int, str, str]:
    """The number of rows, the field and the symmetry, if such a matrix can be a graph."""
    from scipy.io import mminfo

    with _scipy_errors(path):
        rows, columns, _, _, field, symmetry = mminfo(BytesIO(b"".join(head)))
    if rows != columns:
        raise LenseError(f"{path} holds a matrix of {rows} by {columns}, but only a square one is a graph.")
    if field == "complex" or symmetry not in ("general", "symmetric"):
        raise LenseError(f"{path} holds a {field} {symmetry} matrix: save it as a real general or symmetric one.")
    check_size(path, rows)
    return rows, field, symmetry


@contextmanager
def _scipy_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except LenseError:
        raise
    except (ValueError, OverflowError) as error:
        reason = str(error).strip(" .").replace(". ", "; ")
        raise LenseError(f"{path} is not a whole Matrix Market file: {reason}.") from error


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
            file,
            matrix,
            comment="\n".join(label_comments(graph.labels)),
            field="pattern" if weights is None else "real",
            symmetry="general" if graph.directed else "symmetric",
        )
