"""What the documentation shows is what the results say."""

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_rows_of_lense_are_those_of_table_1() -> None:
    page = (ROOT / "docs" / "method.md").read_text()
    shown = re.search(r"<!-- lense -->\n(.*?)<!-- end -->", page, re.DOTALL)
    assert shown is not None
    with (ROOT / "results" / "table1.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["method"] == "LeNSE" and row["ratio"]]
    assert [line.split(" | ")[:4] for line in shown[1].splitlines()[2:]] == [
        [
            f"| {row['problem']}",
            row["graph"],
            f"{float(row['ratio']):.3f} ± {float(row['ratio_stderr']):.3f}",
            f"{float(row['vertices_pruned_pct']):.0f} / {float(row['edges_pruned_pct']):.0f}",
        ]
        for row in rows
    ]


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert missing == []
