"""What ``python -m benchmarks`` measures, prints and stores."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks import __main__ as bench
from benchmarks import end_to_end
from benchmarks.table import BEGIN, END, Row, at_least, at_most
from lense.graph import power_law, write_graph

GRAPH = power_law(300, 6, 2.3, np.random.default_rng(1))
ROW = Row("reading", "a rival", "our time / its", at_most(2))


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page for the table, and two benchmarks, of which the second misses its target."""

    def good(_quick: bool) -> Iterator[Row]:
        yield ROW.measured(1.5)

    def bad(_quick: bool) -> Iterator[Row]:
        yield ROW.measured(3.0)

    path = tmp_path / "README.md"
    path.write_text(f"# Title\n\n{BEGIN}\nold\n{END}\n\nThe end.\n")
    monkeypatch.setattr(bench, "PAGE", path)
    monkeypatch.setattr(bench, "PACKAGES", ("numpy",))
    monkeypatch.setattr(bench, "BENCHMARKS", {"good": good, "bad": bad})
    return path


def test_a_missed_target_is_the_exit_status(page: Path) -> None:
    assert bench.main(["good"]) == 0
    assert bench.main(["bad"]) == 1


def test_only_a_full_run_replaces_the_table_on_the_page(page: Path) -> None:
    before = page.read_text()
    bench.main(["good"])
    bench.main(["--quick"])
    assert page.read_text() == before
    bench.main([])
    after = page.read_text()
    assert after.count("| reading |") == 2
    assert after.startswith("# Title\n")
    assert after.endswith("The end.\n")
    assert "old" not in after


def test_a_target_is_missed_if_both_sides_did_not_do_the_same() -> None:
    row = Row("solving", "a rival", "its time / ours", at_least(10))
    assert not row.measured(10).missed
    assert row.measured(9.99).missed
    assert row.measured(1000.0, comparable=False).missed
    assert not row.missed  # the rival is not installed


def test_end_to_end_runs_only_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_graph(GRAPH, graph := tmp_path / "graph.txt")
    runs = []

    def counted(limit: float, *arguments: object) -> dict[str, object]:
        runs.append(arguments)
        return end_to_end.measured(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(end_to_end, "within", counted)
    options = ["--graphs", str(graph), "--heuristics", "greedy", "--budget", "5", "--store", str(tmp_path / "s.jsonl")]
    assert end_to_end.main(options) == 0
    assert len(runs) == 2
    assert end_to_end.main(options) == 0
    assert len(runs) == 2
    assert "1 rows: " in (tmp_path / "s.md").read_text()
