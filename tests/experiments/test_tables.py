"""Tables as CSV, Markdown and LaTeX."""

from pathlib import Path

from lense.experiments.rows import Table
from lense.experiments.store import Record
from lense.experiments.tables import escaped, grouped_latex, latex, ours_above_theirs, write_pictures, write_table
from lense.plots import new_figure

TABLE: Table = ("Title", ("graph", "P_V", "note"), [("a_b & c", "5 % ± 1", "▲"), ("–", "{x}", "≈ ▼")])


def test_what_latex_would_read_as_commands_is_escaped() -> None:
    assert escaped(r"a_b & 5 % {x} $ # ~ ^ \y") == (
        r"a\_b \& 5 \% \{x\} \$ \# \textasciitilde{} \textasciicircum{} \textbackslash{}y"
    )
    assert escaped("± – ▲ ≈ ▼") == r"$\pm$ -- $\uparrow$ $\approx$ $\downarrow$"


def test_latex_is_a_tabular_of_booktabs() -> None:
    assert latex(TABLE).splitlines() == [
        r"\begin{tabular}{lrl}",
        r"\toprule",
        r"graph & P\_V & note \\",
        r"\midrule",
        r"a\_b \& c & 5 \% $\pm$ 1 & $\uparrow$ \\",
        r"-- & \{x\} & $\approx$ $\downarrow$ \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_headings_in_two_lines_span_their_groups() -> None:
    text = grouped_latex("Title", ("Graph", ""), {"A": ("x", "y"), "B": ("z",)}, [r"g & ours & 1 & 2 & 3 \\"])
    assert text.splitlines() == [
        r"\begin{tabular}{llrrr}",
        r"\toprule",
        r" &  & \multicolumn{2}{c}{A} & \multicolumn{1}{c}{B} \\",
        r"\cmidrule(lr){3-4} \cmidrule(lr){5-5}",
        r"Graph &  & x & y & z \\",
        r"\midrule",
        r"\multicolumn{5}{c}{Title} \\",
        r"\midrule",
        r"g & ours & 1 & 2 & 3 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_for_a_terminal_the_papers_figures_stand_below_ours() -> None:
    known: Record = {"x": 0.954, "x_stderr": 0.01, "x_paper": 0.9, "x_mark": "better"}
    unknown: Record = {"x": None, "x_stderr": None, "x_paper": None, "x_mark": None}
    rows: list[Record] = [{"problem": "im", "graph": "wiki", **known}, {"problem": "im", "graph": "talk", **unknown}]
    lines = [("wiki", "▲ 0.95 ± 0.01"), ("  paper", "0.90"), ("talk", "–"), ("  paper", "–")]
    assert ours_above_theirs("Ratios", rows, {"x": "X"}, 2) == [("Ratios: im", ("graph", "X"), lines)]
    assert ours_above_theirs("Ratios", rows, {"x": "X"}, 2, errors=False)[0][2][0] == ("wiki", "▲ 0.95")


def test_a_table_is_written_three_times(tmp_path: Path) -> None:
    files = write_table(tmp_path / "new", "name", TABLE, [{"graph": "a", "x": 1.5}], notes=["A note."])
    assert [file.name for file in files] == ["name.csv", "name.md", "name.tex"]
    assert files[0].read_text() == "graph,x\na,1.5\n"
    page = files[1].read_text()
    assert page.startswith("# Title\n\n| graph | P_V | note |\n| --- | ---: | --- |\n")
    assert page.endswith("A note.\n")


def test_a_figure_is_written_for_print_and_for_screens(tmp_path: Path) -> None:
    pdf, png = write_pictures(tmp_path / "a.b", new_figure(2, 2))
    assert (pdf.name, png.name) == ("a.b.pdf", "a.b.png")
    assert pdf.read_bytes().startswith(b"%PDF")
    assert png.read_bytes().startswith(b"\x89PNG")
