"""Tables: columns say what they show of a row, files have them as CSV and Markdown, marks compare with the paper."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import hypot
from pathlib import Path
from string import Formatter
from typing import Any

from lense._util.files import write_text
from lense._util.measuring import Mean

Row = dict[str, Any]
"""The columns of one line of a CSV file."""
Column = tuple[str, str | Callable[[Row], str]]
"""A heading, and what stands below it for a row: a template of :func:`format_cell`, or a function."""
Table = tuple[str, tuple[str, ...], list[tuple[str, ...]]]
"""A title, headings, and rows of cells."""

MARKS = {"better": "▲", "equal": "≈", "worse": "▼"}
LEGEND = "▲ better than the paper's, ▼ worse, ≈ equal within two standard errors of both and the paper's rounding."
NONE = "–"
SHARES = ("vertices_pruned", "edges_pruned")
RATIO = "{ratio}{ratio_stderr: ± }"
_TEXT = {"problem", "graph", "method", "pruner", "model", "switch", "note"}

_LATEX = str.maketrans(
    {
        **{sign: rf"\{sign}" for sign in "%_#$&"},
        **{MARKS["better"]: r"$\uparrow$", MARKS["worse"]: r"$\downarrow$", MARKS["equal"]: r"$\approx$"},
        **{NONE: "--", "±": r"$\pm$"},
    }
)


def is_text(heading: str) -> bool:
    """Whether a column holds words, which are aligned to the left, and not figures."""
    return heading in _TEXT


def short(note: str) -> str:
    """The first words of a note, before what explains them."""
    return note.partition(":")[0]


class _Cells(Formatter):
    def get_value(self, key: Any, args: Any, row: Any) -> Any:
        return row.get(key)

    def format_field(self, value: Any, spec: str) -> str:
        before, spec, after = re.fullmatch(r"([ ±(]*)(.*?)([ )]*)", spec).groups()  # type: ignore[union-attr]
        if value is None:
            return "" if before or after else NONE
        match spec:
            case "mark":
                text = MARKS[value]
            case "short":
                text = short(value)
            case "few":
                text = f"{value:.3g}" if value < 100 else f"{value:,.0f}"
            case _ if spec.startswith("%"):
                text = format(100 * value, spec[1:])
            case _:
                text = format(value, spec or (".3f" if isinstance(value, float) else ""))
        return f"{before}{text}{after}"


def format_cell(template: str, row: Mapping[str, Any]) -> str:
    """A cell of a table: "{ratio}{ratio_stderr: ± }" is "0.968 ± 0.009".

    After the colon stands a format, three decimals unless given; "%.1f" is in per cent, "mark" a mark, "short" a note
    without its details, and "few" three digits. A missing figure vanishes with the blanks, ± and brackets around its
    format; one without them is a dash, and so are several.
    """
    return re.sub(f"{NONE}.*{NONE}", NONE, _Cells().vformat(template, (), row))


def table(title: str, columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    """The rows for people, those that look the same once."""
    shown = dict.fromkeys(
        tuple(what(row) if callable(what) else format_cell(what, row) for _, what in columns) for row in rows
    )
    return title, tuple(heading for heading, _ in columns), list(shown)


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


def ours_and_theirs(
    names: Iterable[str], ours: Mapping[str, Mean], theirs: Mapping[str, float], digits: int = 3
) -> Row:
    """Our values under their names, then for each the standard error, the paper's value, and the mark."""
    values, beside = Row(), Row()
    for name in names:
        mean = ours.get(name, Mean())
        values[name] = mean.value
        marks = mark(mean, Mean(theirs.get(name)), digits)
        beside |= {f"{name}_stderr": mean.stderr, f"{name}_paper": theirs.get(name), f"{name}_mark": marks}
    return values | beside


def beside(names: Mapping[str, str], digits: int = 3) -> list[Column]:
    """Those columns for people by their headings: "0.968 ± 0.009 ▲ (0.951)"."""
    template = "{#:.Df}{#_stderr: ± .Df}{#_mark: mark}{#_paper: (.Df)}".replace("D", str(digits))
    return [(title, template.replace("#", name)) for name, title in names.items()]


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


def titled(one: Table) -> str:
    """A table with its title as Markdown."""
    title, headings, lines = one
    return f"{title}:\n\n{markdown(headings, lines)}"


def comma_separated(rows: Sequence[Row]) -> str:
    """Every figure of every row as CSV, to eight digits; empty where there is none."""

    def flat(row: Row, prefix: str = "") -> Iterator[tuple[str, Any]]:
        for name, value in row.items():
            full = f"{prefix}{name}".replace("-", "_")
            if isinstance(value, dict):
                yield from flat(value, f"{full}_")
            else:
                yield full, f"{value:.8g}" if isinstance(value, float) else value

    lines, file = [dict(flat(row)) for row in rows], io.StringIO()
    writer = csv.DictWriter(file, list(dict.fromkeys(name for line in lines for name in line)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return file.getvalue()


def latex(page: Table) -> str:
    """A table as a LaTeX tabular."""
    title, headings, lines = page
    kinds = "".join("l" if is_text(heading) else "r" for heading in headings)
    head, *body = (rf"{' & '.join(cell.translate(_LATEX) for cell in line)} \\" for line in (headings, *lines))
    begin = [f"% {title}; needs the package booktabs", rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    return "\n".join([*begin, head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}", ""])


def write_table(folder: Path, name: str, page: Table, rows: Sequence[Row], notes: Sequence[str]) -> list[Path]:
    """Write ``rows`` as ``name``.csv, their ``page`` with notes as ``name``.md, and without them as ``name``.tex."""
    title, headings, lines = page
    text = "\n".join([f"# {title}", "", markdown(headings, lines), *notes]).rstrip() + "\n"
    texts = {"csv": comma_separated(rows), "md": text, "tex": latex(page)}
    return [write_text(folder / f"{name}.{kind}", one) for kind, one in texts.items()]
