"""Tables as CSV, Markdown and LaTeX."""

from pathlib import Path

from lense.experiments.rows import Table
from lense.experiments.tables import escaped, latex, write_pictures, write_table
from lense.pictures import new_figure

TABLE: Table = ("Title", ("graph", "P_V", "mark"), [("a_b & c", "5 % ± 1", "▲"), ("–", "{x}", "≈ ▼")])


def test_what_latex_would_read_as_commands_is_escaped() -> None:
    assert escaped(r"a_b & 5 % {x} $ # ~ ^ \y") == (
        r"a\_b \& 5 \% \{x\} \$ \# \textasciitilde{} \textasciicircum{} \textbackslash{}y"
    )
    assert escaped("± – ▲ ≈ ▼") == r"$\pm$ -- $\uparrow$ $\approx$ $\downarrow$"


def test_latex_is_a_tabular_of_booktabs() -> None:
    assert latex(TABLE, left=2).splitlines() == [
        r"\begin{tabular}{llr}",
        r"\toprule",
        r"graph & P\_V & mark \\",
        r"\midrule",
        r"a\_b \& c & 5 \% $\pm$ 1 & $\uparrow$ \\",
        r"-- & \{x\} & $\approx$ $\downarrow$ \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_table_is_written_three_times(tmp_path: Path) -> None:
    files = write_table(tmp_path / "new", "name", TABLE, [{"graph": "a", "x": 1.5}], left=1, notes=["A note."])
    assert [file.name for file in files] == ["name.csv", "name.md", "name.tex"]
    assert files[0].read_text() == "graph,x\na,1.5\n"
    page = files[1].read_text()
    assert page.startswith("# Title\n\n| graph | P_V | mark |")
    assert page.endswith("A note.\n")


def test_a_figure_is_written_for_print_and_for_screens(tmp_path: Path) -> None:
    pdf, png = write_pictures(tmp_path / "a.b", new_figure(2, 2))
    assert (pdf.name, png.name) == ("a.b.pdf", "a.b.png")
    assert pdf.read_bytes().startswith(b"%PDF")
    assert png.read_bytes().startswith(b"\x89PNG")
