"""What the tests of pages share: results to show, and reading a page again."""

import json
import re
from pathlib import Path
from typing import Any

from lense.experiments.rows import comma_separated, rows
from tests.experiments.test_rows import failed, record

CIRCUMSTANCES = {"versions": {"lense": "0.1.0", "numpy": "2.0"}, "machine": {"platform": "Linux", "gpu": None}}
RECORDS = [
    record("lense", 0, (0.9, 0.5), (0.94, 0.5)),
    record("lense", 1, (0.96, 0.6)),
    record("top-degree", 0, (1.0, 0.2), fit=None),
    record("random", 0, (0.3, 0.7), fit=None),
    failed("gcn", 0),
]


def write_comparison(folder: Path, graph: str = "graph.txt", problem: str = "mvc", budget: int = 10) -> None:
    """A comparison as ``lense compare`` leaves it."""
    (folder / "pieces").mkdir(parents=True)
    source = {"graph": graph, "problem": problem, "options": {}, "train_share": 0.3}
    plan = {"experiment": "compare", **source, "budget": budget}
    (folder / "plan.json").write_text(json.dumps(plan))
    for seed in (0, 1):
        test = {"vertices": 50, "edges": 100}
        whole = {
            "seed": seed,
            "solver": "greedy",
            "score": 1.0,
            "stderr": 0.0,
            "seconds": 0.5,
            "vertices": [0] * budget,
            "test": test,
            **CIRCUMSTANCES,
        }
        (folder / "pieces" / f"whole-graph.{seed}.json").write_text(json.dumps(whole))
    for one in RECORDS:
        piece = {**one, "given_size": {}, "device": "cpu", **CIRCUMSTANCES}
        (folder / "pieces" / f"{one['pruner']}.{one['seed']}.json").write_text(json.dumps(piece))
    (folder / "table.csv").write_text(comma_separated(rows(RECORDS)))


def data_of(path: Path) -> dict[str, Any]:
    """The data in a page."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


def blocks(page: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [block for part in page["sections"] for block in part["blocks"] if block["kind"] == kind]


def titles(page: dict[str, Any]) -> list[str]:
    return [part["title"] for part in page["sections"]]
