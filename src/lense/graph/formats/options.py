"""The options of ``read_graph`` that hold for every format, and how a reader applies them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from lense._util.types import AnyArray, Float32s, Int32s
from lense.errors import LenseError
from lense.graph.build import MAX_VERTICES
from lense.graph.csr import Graph
from lense.graph.labels import check_labels

Ids = Literal["auto", "int", "str"]

_ALWAYS_ALLOWED, _MOST_PER_BYTE = 1_000_000, 100
"""What files of any size may announce, and how much more for each byte of theirs."""


@dataclass(frozen=True)
class ReadOptions:
    """See :func:`lense.graph.read_graph`; None leaves the choice to the file."""

    directed: bool | None = None
    weights: bool | None = None
    ids: Ids = "auto"
    keep_duplicates: bool | None = None
    keep_self_loops: bool | None = None
    columns: tuple[str, ...] | None = None
    """The two ends of an edge and perhaps its weight, each by name or number."""
    header: bool | None = None
    """Whether the first line of an edge list names its columns."""

    def __post_init__(self) -> None:
        if self.columns is None:
            return
        if len(self.columns) not in (2, 3) or not all(self.columns) or len(set(self.columns)) < len(self.columns):
            given = ",".join(self.columns)
            raise LenseError(
                f"columns (--columns) names two different columns, or three with that of the weights, not '{given}'."
            )
        if self.weights is not None and self.weights != (len(self.columns) == 3):
            names = "no column of weights" if self.weights else "a column of weights"
            raise LenseError(f"columns (--columns) names {names}, but weights={self.weights}: change one of the two.")

    def build(
        self,
        path: Path,
        sources: Int32s,
        targets: Int32s,
        weights: Float32s | None,
        labels: AnyArray,
        *,
        directed: bool,
        duplicates_kept: bool = False,
        self_loops_kept: bool = False,
    ) -> Graph:
        """The graph of a file's edges, each given once; the keyword arguments are what the file itself says."""
        self.check_weights(path, weights is not None)
        if weights is not None and not np.isfinite(weights).all():
            raise LenseError(f"{path} has weights that are not finite numbers (NaN or infinite): correct them.")
        return Graph.from_edges(
            sources,
            targets,
            weights if self.weights is not False else None,
            directed=directed if self.directed is None else self.directed,
            labels=check_labels(self.as_asked(path, labels), path),
            keep_duplicates=duplicates_kept if self.keep_duplicates is None else self.keep_duplicates,
            keep_self_loops=self_loops_kept if self.keep_self_loops is None else self.keep_self_loops,
        )

    def check_weights(self, path: Path, present: bool) -> None:
        """Raise where weights are wanted and there are none."""
        if self.weights and not present:
            raise LenseError(f"{path} has no edge weights: read it without weights=True.")

    def as_asked(self, path: Path, labels: AnyArray) -> AnyArray:
        """The labels as integers or strings, whichever ``ids`` says."""
        is_text = np.issubdtype(labels.dtype, np.str_)
        if self.ids == "str" and not is_text:
            return labels.astype(np.str_)
        if self.ids == "int" and is_text:
            try:
                numbers = labels.astype(np.int64)
            except (ValueError, OverflowError) as error:
                raise LenseError(
                    f"{path} has ids that are not integers: read it with ids='str' (--ids str)."
                ) from error
            return check_labels(numbers, path)  # since 7 and 07 are different texts
        return labels


def parse_columns(given: str | Sequence[str | int] | None) -> tuple[str, ...] | None:
    """Names or numbers of columns, from a sequence or a text with commas."""
    if given is None:
        return None
    return tuple(str(name).strip() for name in (given.split(",") if isinstance(given, str) else given))


def check_claims(name: object, size: int, *, vertices: int = 0, edges: int = 0) -> None:
    """Raise where files of ``size`` bytes announce more than they, or a graph, can hold.

    Every format calls it with the numbers in its header or footer, before it takes memory for them.
    """
    if vertices > MAX_VERTICES:
        raise LenseError(f"{name} has {vertices:,} vertices, but a graph holds at most {MAX_VERTICES:,}.")
    for count, what in ((vertices, "vertices"), (edges, "edges")):
        if count > _ALWAYS_ALLOWED + _MOST_PER_BYTE * size:
            raise LenseError(f"{name} announces {count:,} {what}, but has only {size:,} bytes: make it again.")


def check_written(name: object, size: int, vertices: int) -> None:
    """Raise where a graph was written to so few bytes that :func:`check_claims` would not let anybody read it."""
    if vertices > _ALWAYS_ALLOWED + _MOST_PER_BYTE * size:
        raise LenseError(
            f"{name} would announce {vertices:,} vertices in {size:,} bytes, which cannot be read again: write .npz, "
            "or drop vertices without an edge."
        )


def single_precision(weights: AnyArray) -> Float32s:
    """Weights as float32; those beyond its range become infinite, which :meth:`ReadOptions.build` refuses."""
    with np.errstate(over="ignore"):
        return weights.astype(np.float32)
