"""What the documentation shows is what the package and its results say."""

import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.graph import Graph
from lense.paper import PAPER_CHOICES
from lense.walking.settings import SETTING_NAMES
from tests.skips import NO_NETWORKX

ROOT = Path(__file__).parents[1]


def test_the_method_page_names_every_setting_and_lists_those_that_differ_from_the_paper() -> None:
    page = (ROOT / "docs" / "method.md").read_text()
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE))
    differing = _names_in_first_column(sections["Where ours differs from the paper"])
    assert differing == set(PAPER_CHOICES)
    assert _names_in_first_column(sections["Settings"]) | differing == set(SETTING_NAMES)


def _names_in_first_column(text: str) -> set[str]:
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_the_readme_shows_the_example_of_a_problem_as_it_is() -> None:
    example = (ROOT / "examples" / "costed_cover.py").read_text()
    shown = example[example.index("from dataclasses") :]
    assert f"```python\n{shown}```" in (ROOT / "README.md").read_text()


def test_the_example_of_a_heuristic_solves() -> None:
    pytest.importorskip("networkx", reason=NO_NETWORKX)
    example = (ROOT / "docs" / "extending.md").read_text().split("```python\n")[1].split("```")[0]
    namespace: dict[str, Any] = {}
    exec(example, namespace)
    star = Graph.from_edges([0, 0, 0, 4], [1, 2, 3, 3], labels=np.array(["hub", "a", "b", "c", "d"]))
    found = namespace["MyCover"]().solve(star, 1, np.random.default_rng(0))
    assert star.labels[found.vertices].tolist() == ["hub"]


def test_the_example_of_a_function_solves(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("networkx", reason=NO_NETWORKX)
    example = (ROOT / "docs" / "own.md").read_text().split("```python\n")[1].split("```")[0]
    exec(example, {})
    assert "solved on the whole graph: greedy takes about" in (out := capsys.readouterr().out) or "pruned to" in out


def test_the_heuristic_in_the_readme_solves() -> None:
    nx = pytest.importorskip("networkx", reason=NO_NETWORKX)
    blocks = (ROOT / "README.md").read_text().split("```python\n")
    namespace: dict[str, Any] = {"graph": nx.star_graph(300)}
    exec(blocks[2].split("```")[0], namespace)
    exec(blocks[1].split("```")[0].replace("budget=100", "budget=1"), namespace)
    assert namespace["answer"].labels == [0]


def test_the_table_of_pruners_lists_them_all() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / "docs" / "pruners" / "index.md").read_text()
    listed = re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE)
    assert sorted(listed) == sorted(project["entry-points"]["lense.pruners"])


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert missing == []
