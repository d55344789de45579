"""What the tests of pages share: results to show, and reading a page again."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from lense.experiments.comparison import Comparison
from lense.experiments.store import Record
from tests.experiments.records import failed, record, whole

HOSTILE = "</script><script>throw 1</script><!--<img src=x onerror=alert(1)>$data & \u2028"
VERSIONS: dict[str, Any] = {
    "versions": {"lense": "0.1.0", "numpy": "2.0"},
    "machine": {"platform": "Linux", "gpu": None},
}
RECORDS = [
    record("lense", 0, (0.9, 0.5), (0.94, 0.5), **VERSIONS),
    record("lense", 1, (0.96, 0.6), **VERSIONS),
    record("top-degree", 0, (1.0, 0.2), fit=None, **VERSIONS),
    record("random", 0, (0.3, 0.7), fit=None, **VERSIONS),
    failed("gcn", 0),
]
WHOLES: list[Record[Any]] = [whole(50, 0.5, seed, **VERSIONS) for seed in (0, 1)]


def write_comparison(
    folder: Path, graph: str = "graph.txt", problem: str = "mvc", *, only: tuple[str, ...] = ()
) -> None:
    """A comparison as ``lense compare`` leaves it."""
    folder.mkdir(parents=True)
    (folder / "plan.json").write_text(json.dumps({"graph": graph, "problem": problem}))
    made = [
        replace(one, graph=graph, problem=problem) for one in [*WHOLES, *RECORDS] if not only or one.variant in only
    ]
    Comparison().store(folder).keep(*made)


def data_of(path: Path) -> dict[str, Any]:
    """The data in a page."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


def blocks(page: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [block for part in page["sections"] for block in part["blocks"] if block["kind"] == kind]


def titles(page: dict[str, Any]) -> list[str]:
    return [part["title"] for part in page["sections"]]
