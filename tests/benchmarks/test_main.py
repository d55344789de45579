from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import __main__ as bench
from benchmarks.table import BEGIN, END, Row, at_most

ROW = Row("reading", "a rival", "our time / its", at_most(2))


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page for the table, with two benchmarks of which the second misses its target."""

    def good(_quick: bool) -> Iterator[Row]:
        yield ROW.measured(1.5)

    def bad(_quick: bool) -> Iterator[Row]:
        yield ROW.measured(3.0)

    path = tmp_path / "README.md"
    path.write_text(f"{BEGIN}\n{END}\n")
    monkeypatch.setattr(bench, "PAGE", path)
    monkeypatch.setattr(bench, "PACKAGES", ("numpy",))
    monkeypatch.setattr(bench, "BENCHMARKS", {"good": good, "bad": bad})
    return path


def test_a_missed_target_is_the_exit_status(page: Path) -> None:
    assert bench.main(["good"]) == 0
    assert bench.main(["bad"]) == 1
    assert bench.main([]) == 1


def test_ratios_are_printed_line_by_line(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench.main(["good"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["What", "Rival"]
    assert " ".join(lines[1].split()) == "reading a rival our time / its 1.5 at most 2 yes"


def test_only_a_run_of_everything_at_full_size_is_kept(page: Path) -> None:
    empty = page.read_text()
    bench.main(["good"])
    bench.main(["--quick"])
    assert page.read_text() == empty
    bench.main([])
    kept = page.read_text()
    assert "cores" in kept
    assert "numpy" in kept
    assert kept.count("| reading |") == 2


def test_an_unknown_benchmark_lists_those_there_are(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        bench.main(["god"])
    assert stop.value.code == 2
    assert "good, bad" in capsys.readouterr().err
