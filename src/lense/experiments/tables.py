"""Tables in files: CSV for machines, Markdown and LaTeX (booktabs) for people."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lense.experiments.marks import marked, with_error
from lense.experiments.rows import Table, comma_separated, is_text, markdown_lines
from lense.experiments.store import Record
from lense.experiments.study import Study, graph_name, problem_label
from lense.files import replacing, system_errors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "–": "--",
    "▲": r"$\uparrow$",
    "▼": r"$\downarrow$",
    "≈": r"$\approx$",
}


def escaped(text: str) -> str:
    """``text`` as LaTeX shows it."""
    return "".join(_ESCAPES.get(character, character) for character in text)


def latex_row(cells: Iterable[str]) -> str:
    """A line of a tabular; its cells are LaTeX already."""
    return " & ".join(cells) + r" \\"


def latex(table: Table) -> str:
    """A tabular of the package booktabs, words aligned to the left and figures to the right."""
    _, headings, lines = table
    columns = "".join("l" if is_text(heading) else "r" for heading in headings)
    head, *body = (latex_row(escaped(cell.strip()) for cell in line) for line in (headings, *lines))
    rows = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(rows) + "\n"


def grouped_latex(title: str, words: Sequence[str], groups: Mapping[str, Sequence[str]], body: Sequence[str]) -> str:
    """A tabular whose columns of figures have headings in two lines, the upper ones over whole ``groups`` of them.

    ``words`` are the headings of the columns of words before them, and all headings and the ``body`` are LaTeX.
    """
    figures = [heading for headings in groups.values() for heading in headings]
    upper, rules, first = ["" for _ in words], [], len(words) + 1
    for name, headings in groups.items():
        upper.append(rf"\multicolumn{{{len(headings)}}}{{c}}{{{name}}}")
        rules.append(rf"\cmidrule(lr){{{first}-{first + len(headings) - 1}}}")
        first += len(headings)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * len(words)}{'r' * len(figures)}}}",
            r"\toprule",
            latex_row(upper),
            " ".join(rules),
            latex_row([*words, *figures]),
            r"\midrule",
            latex_row([rf"\multicolumn{{{len(words) + len(figures)}}}{{c}}{{{title}}}"]),
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def page(table: Table, notes: Sequence[str] = ()) -> str:
    """A table as a page of Markdown, with notes below it."""
    title, headings, lines = table
    return "\n".join([f"# {title}", "", markdown_lines(headings, lines), *notes]).rstrip() + "\n"


def asked_for(study: Study, rows: Iterable[Record]) -> list[Record]:
    """Those rows of a table that are of the graphs and problems of a study."""
    names = {(problem_label(source), graph_name(source)) for source in study.sources}
    return [row for row in rows if (row["problem"], row["graph"]) in names]


def grouped(rows: Iterable[Record], name: str) -> dict[str, list[Record]]:
    """The rows for each value of a column, in their order."""
    found: dict[str, list[Record]] = {}
    for row in rows:
        found.setdefault(row[name], []).append(row)
    return found


def ours_above_theirs(
    title: str, rows: Sequence[Record], columns: Mapping[str, str], digits: int = 3, *, errors: bool = True
) -> list[Table]:
    """For a terminal: a table for each problem, with ours and below it the paper's figures for each graph.

    ``rows`` have the columns of :func:`lense.experiments.marks.ours_and_theirs`, of which ``columns`` tells the names
    and the headings.
    """
    made: list[Table] = []
    for problem, mine in grouped(rows, "problem").items():
        lines = []
        for row in mine:
            ours = (_ours(row, name, digits, errors) for name in columns)
            theirs = ["–" if (value := row[f"{name}_paper"]) is None else f"{value:.{digits}f}" for name in columns]
            lines += [(row["graph"], *ours), ("  paper", *theirs)]
        made.append((f"{title}: {problem}", ("graph", *columns.values()), lines))
    return made


def _ours(row: Record, name: str, digits: int, errors: bool) -> str:
    if row[name] is None:
        return "–"
    figure = with_error(row[name], row[f"{name}_stderr"] if errors else None, digits)
    return marked(figure, row[f"{name}_mark"], in_front=True)


def write_table(
    folder: Path, name: str, table: Table, rows: Sequence[Record], *, notes: Sequence[str] = (), tex: str = ""
) -> list[Path]:
    """Write ``rows`` as ``name``.csv, and their ``table`` as ``name``.md and, unless ``tex`` is given, ``name``.tex."""
    texts = {"csv": comma_separated(rows), "md": page(table, notes), "tex": tex or latex(table)}
    return [write_text(folder / f"{name}.{kind}", text) for kind, text in texts.items()]


def write_text(path: Path, text: str) -> Path:
    with system_errors(path.parent, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            temporary.write_text(text)
    return path


def write_figure(path: Path, figure: "Figure") -> Path:
    from lense.plots import save_figure

    with system_errors(path.parent, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        save_figure(figure, path)
    return path


def write_pictures(path: Path, figure: "Figure") -> list[Path]:
    """Write a figure as PDF for print and as PNG for screens; ``path`` has no suffix."""
    return [write_figure(path.with_name(f"{path.name}{suffix}"), figure) for suffix in (".pdf", ".png")]
