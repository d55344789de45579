"""What to read: the options of ``read_graph``, how a reader applies them, and which columns hold the edges."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lense._util.types import AnyArray, Float32s, Int32s
from lense.errors import LenseError, choose, printable
from lense.graph.csr import Graph
from lense.graph.labels import MAX_VERTICES, check_labels

_ALWAYS_ALLOWED, _MOST_PER_BYTE = 1_000_000, 100
"""What files of any size may announce, and how much more for each byte of theirs."""


@dataclass(frozen=True)
class ReadOptions:
    """See :func:`lense.graph.read_graph`; None leaves the choice to the file."""

    directed: bool | None = None
    weights: bool | None = None
    ids: str = "auto"
    keep_duplicates: bool | None = None
    keep_self_loops: bool | None = None
    columns: tuple[str, ...] | None = None
    """The two ends of an edge and perhaps its weight, each by name or number."""
    header: bool | None = None
    """Whether the first line of an edge list names its columns."""

    def __post_init__(self) -> None:
        choose(self.ids, dict.fromkeys(("auto", "int", "str")), "kind of ids")
        if self.columns is None:
            return
        if len(self.columns) not in (2, 3) or not all(self.columns) or len(set(self.columns)) < len(self.columns):
            given = ",".join(self.columns)
            raise LenseError(f"columns= names two different columns, or three with that of the weights, not '{given}'.")
        if self.weights is not None and self.weights != (len(self.columns) == 3):
            names = "no column of weights" if self.weights else "a column of weights"
            raise LenseError(f"columns= names {names}, but weights={self.weights}: change one of the two.")

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
                raise LenseError(f"{path} has ids that are not integers: read it with ids='str'.") from error
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


log = logging.getLogger(__name__)

ENDS = (("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"))
WEIGHTS = ("weight", "w", "p")
TYPE = "type"
"""The column that says whether edges are directed, as Gephi writes it."""

_INDEX = re.compile(r"|unnamed: ?\d+|index|id|__index_level_\d+__", re.IGNORECASE)
_MOST_LISTED, _LONGEST_NAME = 20, 40
_MOST_DIGITS = 9


class Columns(NamedTuple):
    """The places of the columns, from 0 on; ``weight`` is None where no weights are to be read."""

    source: int
    target: int
    weight: int | None = None


def find_columns(names: Sequence[str], options: ReadOptions, path: Path, *, first_counts: bool = False) -> Columns:
    """The columns that the options name, else those with known names, else those that the order makes plain.

    Two columns are plain, and so are two beside a known name of weights. Three are plain too, the third being the
    weight, unless one is an index: by its name, or because the first column counts the rows (``first_counts``).
    """
    if options.columns is not None:
        found = _chosen(options.columns, names, path)
    else:
        found = known_columns(names) or _plain_columns(names, first_counts) or Columns(-1, -1)
        others = [name.lower() for place, name in enumerate(names) if place not in found[:2]]
        if found.source < 0 or (options.weights is not False and sum(name in WEIGHTS for name in others) > 1):
            raise LenseError(f"{path} has {listed(names)}: pass columns='SOURCE,TARGET[,WEIGHT]'.")
    if options.weights and found.weight is None:
        raise LenseError(
            f"{path} has no column called {' or '.join(WEIGHTS)}, but {listed(names)}: name that of the weights third "
            "with columns='SOURCE,TARGET,WEIGHT', or read the file without weights=True."
        )
    found = found if options.weights is not False else found._replace(weight=None)
    ignored = [name for place, name in enumerate(names) if place not in found]
    if ignored:
        log.info("%s: columns that are not read: %s", path, printable(", ".join(f"'{name}'" for name in ignored)))
    return found


def known_columns(names: Sequence[str]) -> Columns | None:
    """The columns with known names, in any case; None where there is no pair of ends, or more than one."""
    lower = [name.lower() for name in names]
    pairs = [pair for pair in ENDS if all(end in lower for end in pair)]
    if len(pairs) != 1 or any(lower.count(end) > 1 for end in pairs[0]):
        return None
    source, target = (lower.index(end) for end in pairs[0])
    return Columns(source, target, next((i for i, name in enumerate(lower) if name in WEIGHTS), None))


def type_column(names: Sequence[str], columns: Columns) -> int | None:
    """The place of the column that says whether edges are directed; ``columns`` are those that hold the edges."""
    return next((i for i, name in enumerate(names) if name.lower() == TYPE and i not in columns), None)


def is_index(name: str) -> bool:
    """Whether a column of this name numbers the rows; pandas and R leave the name empty."""
    return _INDEX.fullmatch(name) is not None


def listed(names: Sequence[str]) -> str:
    """The names with their numbers, for a message."""
    shown = [f"{i} '{name[:_LONGEST_NAME]}'" for i, name in enumerate(names[:_MOST_LISTED], start=1)]
    return "the columns " + ", ".join(shown) + (" and more" if len(names) > _MOST_LISTED else "")


def _plain_columns(names: Sequence[str], first_counts: bool) -> Columns | None:
    if len(names) == 2:
        return Columns(0, 1)
    if len({name.lower() for name in names}) != 3 or len(names) != 3 or any(map(is_index, names)):
        return None
    weights = [i for i, name in enumerate(names) if name.lower() in WEIGHTS]
    if len(weights) == 1:
        source, target = (i for i in range(3) if i not in weights)
        return Columns(source, target, weights[0])
    return None if first_counts else Columns(0, 1, 2)


def _chosen(wanted: Sequence[str], names: Sequence[str], path: Path) -> Columns:
    places = [_place(name, names, path) for name in wanted]
    if len(set(places)) < len(places):
        raise LenseError(f"columns='{','.join(wanted)}' means the same column of {path} twice.")
    return Columns(*places)


def _place(wanted: str, names: Sequence[str], path: Path) -> int:
    """The place of a column by its name, in this case or any, else by its number."""
    for same in ([n == wanted for n in names], [n.lower() == wanted.lower() for n in names]):
        if sum(same) == 1:
            return same.index(True)
        if sum(same) > 1:
            raise LenseError(f"{path} has several columns called '{wanted}': give the number of one, from 1 on.")
    if 1 <= column_number(wanted) <= len(names):
        return column_number(wanted) - 1
    raise LenseError(f"{path} has no column '{wanted}', but {listed(names)}: choose by name or number.")


def column_number(text: str) -> int:
    """The number that a text is, or 0 where it is none that a column may have."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else 0
