"""Tables in files: CSV for machines, Markdown and LaTeX (booktabs) for people."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from lense.experiments.rows import Table, comma_separated, markdown_lines
from lense.experiments.store import Record
from lense.graph.files import system_errors
from lense.graph.formats.streams import replacing
from lense.pictures import save_figure

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


def latex(table: Table, left: int = 1) -> str:
    """A tabular of the package booktabs, with the first ``left`` columns aligned to the left."""
    _, headings, lines = table
    columns = "l" * left + "r" * (len(headings) - left)
    head, *body = (" & ".join(escaped(cell.strip()) for cell in line) + r" \\" for line in (headings, *lines))
    rows = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(rows) + "\n"


def page(table: Table, notes: Sequence[str] = ()) -> str:
    """A table as a page of Markdown, with notes below it."""
    title, headings, lines = table
    return "\n".join([f"# {title}", "", markdown_lines(headings, lines), *notes]).rstrip() + "\n"


def write_table(
    folder: Path, name: str, table: Table, rows: Sequence[Record], *, left: int, notes: Sequence[str] = ()
) -> list[Path]:
    """Write ``rows`` as ``name``.csv, and the ``table`` made of them as ``name``.md and ``name``.tex."""
    texts = {"csv": comma_separated(rows), "md": page(table, notes), "tex": latex(table, left)}
    return [write_text(folder / f"{name}.{kind}", text) for kind, text in texts.items()]


def write_text(path: Path, text: str) -> Path:
    with system_errors(path.parent, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            temporary.write_text(text)
    return path


def write_figure(path: Path, figure: Figure) -> Path:
    with system_errors(path.parent, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        save_figure(figure, path)
    return path


def write_pictures(path: Path, figure: Figure) -> list[Path]:
    """Write a figure as PDF for print and as PNG for screens; ``path`` has no suffix."""
    return [write_figure(path.with_name(f"{path.name}{suffix}"), figure) for suffix in (".pdf", ".png")]
