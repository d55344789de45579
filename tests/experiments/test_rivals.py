"""Every pruner: a folder for each graph and problem, and one table of all."""

import csv
import json
import shutil
from pathlib import Path

from lense.experiments.rivals import Rivals
from lense.experiments.study import Cell, make_source
from tests.experiments import tiny_paper


def test_each_comparison_has_tables_and_fronts_in_its_folder(results: Path) -> None:
    names = {path.name for path in (results / "rivals" / "tiny-mvc").iterdir()}
    assert names >= {"table.csv", "table.md", "table.tex", "front.png", "front.svg", "front.pdf", "plan.json"}
    page = (results / "rivals" / "tiny-mvc" / "table.md").read_text()
    assert all(f"| {name} |" in page for name in tiny_paper.RIVALS)


def test_one_table_has_them_all_beside_the_paper(results: Path) -> None:
    with (results / "rivals.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["method"] for row in rows] == ["LeNSE", *tiny_paper.RIVALS[1:]]
    assert all(0 < float(row["C"]) <= float(row["C_ceiling"]) * 1.001 for row in rows)
    assert "## As ground sets" in (results / "rivals.md").read_text()


def test_a_pruner_that_failed_is_told(results: Path) -> None:
    piece = results / "rivals" / "tiny-mvc" / "pieces" / "top-degree.1.json"
    piece.write_text('{"pruner": "top-degree", "seed": 1, "given_size": {}, "status": "failed", "error": "No luck."}')
    study = tiny_paper.study(results, 0, 1)
    assert Rivals().state(study, Cell(make_source("tiny", "mvc"), 1)).text == "failed: top-degree: No luck."
    assert Rivals().state(study, Cell(make_source("tiny", "mvc"), 0)).text == "done"
    made = Rivals().make(study)
    assert any(line[1] == "top-degree" for line in made.tables[0][2])


def test_a_pruner_that_lacks_is_run_without_the_model_where_lense_is_done(results: Path) -> None:
    shutil.rmtree(results / "models" / "tiny-mvc-0")
    lacking = results / "rivals" / "tiny-mvc" / "pieces" / "top-degree.0.json"
    before = json.loads(lacking.read_text())
    lacking.unlink()
    study, cell = tiny_paper.study(results), Cell(make_source("tiny", "mvc"), 0)
    assert Rivals().state(study, cell).text == "not run: top-degree"
    Rivals().run(study)
    assert Rivals().state(study, cell).text == "done"
    assert json.loads(lacking.read_text())["subgraph"][0]["ratio"] == before["subgraph"][0]["ratio"]
    assert not (results / "models" / "tiny-mvc-0").exists()
