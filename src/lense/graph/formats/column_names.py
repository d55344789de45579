"""Which columns of a table hold the edges: those that the caller names, or those with the names that people use."""

import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lense.errors import LenseError, printable
from lense.graph.formats.options import ReadOptions

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
        if found.source < 0 or (options.weights is not False and _has_rival_weights(names, found)):
            raise _undecided(names, path)
    if options.weights and found.weight is None:
        raise LenseError(
            f"{path} has no column called {' or '.join(WEIGHTS)}, but {listed(names)}: name that of the weights third "
            "in columns='A,B,W' (--columns A,B,W), or read the file without weights=True."
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


def _has_rival_weights(names: Sequence[str], found: Columns) -> bool:
    others = [name for i, name in enumerate(names) if i not in (found.source, found.target)]
    return sum(name.lower() in WEIGHTS for name in others) > 1


def _chosen(wanted: Sequence[str], names: Sequence[str], path: Path) -> Columns:
    places = [_place(name, names, path) for name in wanted]
    if len(set(places)) < len(places):
        raise LenseError(f"columns (--columns) '{','.join(wanted)}' means the same column of {path} twice.")
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


def _undecided(names: Sequence[str], path: Path) -> LenseError:
    return LenseError(
        f"{path} has {listed(names)}: name the two that hold the ends of an edge, and perhaps that of the weights, "
        "by columns='A,B,W' (--columns A,B,W)."
    )
