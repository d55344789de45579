"""The tables in ``results`` are what the code makes of the records there, to the byte."""

import csv
import shutil
from pathlib import Path

import pytest

from lense.experiments import EXPERIMENTS, Study

RESULTS = Path(__file__).parents[2] / "results"


def rows(path: Path) -> list[dict[str, str]]:
    """Without notes, which name the graphs that are missing on this machine."""
    with path.open() as file:
        return [{name: cell for name, cell in row.items() if name != "note"} for row in csv.DictReader(file)]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_tables_are_made_of_the_records(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("LENSE_DATA", "LENSE_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path))
    experiment = EXPERIMENTS[name]
    monkeypatch.setattr(type(experiment), "pictures", lambda *_: iter(()))
    shutil.copy(RESULTS / experiment.store(tmp_path).path.name, tmp_path)
    record = next(iter(experiment.store(tmp_path).records().values()))
    made = experiment.make(Study(tmp_path, (), (0, 1, 2), record.budget, record.episodes))
    assert {file.suffix for file in made.files} >= {".csv", ".md"}
    for file in made.files:
        known = RESULTS / file.name
        assert rows(file) == rows(known) if file.suffix == ".csv" else file.read_bytes() == known.read_bytes()
