"""Tables in files: CSV with all figures, Markdown for people, and ours beside the paper's with marks."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lense.files import system_errors, write_text
from lense.statistics import Mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = dict[str, Any]
"""The columns of one line of a CSV file."""
Table = tuple[str, tuple[str, ...], list[tuple[str, ...]]]
"""A title, headings, and rows of cells."""

MARKS = {"better": "▲", "equal": "≈", "worse": "▼"}
LEGEND = "▲ better than the paper's, ▼ worse, ≈ equal within two standard errors of both and the paper's rounding."
_TEXT = {"problem", "graph", "method", "pruner", "model", "switch", "note"}
_DIGITS = 8


def is_text(heading: str) -> bool:
    """Whether a column of a table holds words, which are aligned to the left, and not figures."""
    return heading in _TEXT


def with_error(value: float, stderr: float | None, digits: int = 3) -> str:
    return f"{value:.{digits}f}" if stderr is None else f"{value:.{digits}f} ± {stderr:.{digits}f}"


def short(note: str) -> str:
    """The first words of a note, before what explains them."""
    return note.partition(":")[0]


def mark(ours: Mean, theirs: Mean, digits: int = 3) -> str | None:
    """ "equal" if |ours - theirs| is at most 2 sqrt(e1^2 + e2^2) + 10^-digits / 2, else "better" or "worse".

    e1 and e2 are the standard errors, 0 where unknown; the last term is what the paper's rounding may hide.
    """
    if ours.value is None or theirs.value is None:
        return None
    margin = 2 * hypot(ours.stderr or 0.0, theirs.stderr or 0.0) + 0.5 * 10**-digits
    if abs(ours.value - theirs.value) <= margin + 1e-12:
        return "equal"
    return "better" if ours.value > theirs.value else "worse"


def marked(text: str, kind: str | None, *, in_front: bool = False) -> str:
    """``text`` with its mark, if any: behind it, or in front where right-aligned figures are to stand in line."""
    parts = [text, *([MARKS[kind]] if kind else [])]
    return " ".join(reversed(parts) if in_front else parts)


def ours_and_theirs(
    names: Iterable[str], ours: Mapping[str, Mean], theirs: Mapping[str, float], digits: int = 3
) -> Row:
    """Columns of a table: our values under their names, then of each the standard error, the paper's, and the mark."""
    known = {name: ours.get(name, Mean()) for name in names}
    columns: Row = {name: mean.value for name, mean in known.items()}
    for name, mean in known.items():
        marks = mark(mean, Mean(theirs.get(name)), digits)
        columns |= {f"{name}_stderr": mean.stderr, f"{name}_paper": theirs.get(name), f"{name}_mark": marks}
    return columns


def beside(columns: Row, name: str, digits: int = 3) -> str:
    """One of those columns for people: "0.968 ± 0.009 ▲ (0.951)", with the paper's in brackets."""
    ours, theirs = columns[name], columns[f"{name}_paper"]
    shown = "–" if ours is None else with_error(ours, columns[f"{name}_stderr"], digits)
    if theirs is None:
        return shown
    return " ".join(filter(None, [shown, MARKS.get(columns[f"{name}_mark"]), f"({theirs:.{digits}f})"]))


def ours_above_theirs(title: str, rows: Sequence[Row], columns: Mapping[str, str], digits: int = 3) -> list[Table]:
    """For a terminal: a table for each problem, with ours and below it the paper's figures for each graph."""
    made: list[Table] = []
    for problem, mine in grouped(rows, "problem").items():
        lines = []
        for row in mine:
            ours = (marked(number(row[name], digits), row[f"{name}_mark"], in_front=True) for name in columns)
            theirs = (number(row[f"{name}_paper"], digits) for name in columns)
            lines += [(row["graph"], *ours), ("  paper", *theirs)]
        made.append((f"{title}: {problem}", ("graph", *columns.values()), lines))
    return made


def number(value: float | str | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else f"{value}"


def grouped(rows: Iterable[Row], name: str) -> dict[str, list[Row]]:
    """The rows for each value of a column, in their order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row[name], []).append(row)
    return found


def markdown(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Rows of cells as Markdown, words aligned to the left and figures to the right."""
    rule = tuple("---" if is_text(heading) else "---:" for heading in headings)
    return "".join(f"| {' | '.join(cell.strip() for cell in line)} |\n" for line in (headings, rule, *lines))


def titled(table: Table) -> str:
    """A table with its title as Markdown."""
    title, headings, lines = table
    return f"{title}:\n\n{markdown(headings, lines)}"


def comma_separated(rows: Sequence[Row]) -> str:
    """Every figure of every row as CSV, to eight digits; empty where there is none."""
    flat = [_flat(row) for row in rows]
    file = io.StringIO()
    writer = csv.DictWriter(file, list(dict.fromkeys(name for row in flat for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return file.getvalue()


def _flat(row: Mapping[str, Any], prefix: str = "") -> Row:
    flat: Row = {}
    for name, value in row.items():
        full = f"{prefix}{name}".replace("-", "_")
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{full}_")
        else:
            flat[full] = f"{value:.{_DIGITS}g}" if isinstance(value, float) else value
    return flat


def write_table(
    folder: Path, name: str, table: Table, rows: Sequence[Row], notes: Sequence[str], tex: str = ""
) -> list[Path]:
    """Write ``rows`` as ``name``.csv, their ``table`` with notes as ``name``.md, and if there is ``tex``, that too."""
    title, headings, lines = table
    page = "\n".join([f"# {title}", "", markdown(headings, lines), *notes]).rstrip() + "\n"
    texts = {"csv": comma_separated(rows), "md": page, "tex": tex}
    return [write_text(folder / f"{name}.{kind}", text) for kind, text in texts.items() if text]


def write_figure(path: Path, figure: "Figure") -> Path:
    from lense.plots import save_figure

    with system_errors(path.parent, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        save_figure(figure, path)
    return path
