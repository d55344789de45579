"""What the documentation shows is what the package and its results say."""

import gzip
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import lense as package
from lense.navigation.training import SETTING_NAMES
from lense.paper import PAPER_CHOICES
from tests.conftest import Command
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


def test_the_heuristic_in_the_readme_solves() -> None:
    nx = pytest.importorskip("networkx", reason=NO_NETWORKX)
    blocks = (ROOT / "README.md").read_text().split("```python\n")
    namespace: dict[str, Any] = {"graph": nx.star_graph(300)}
    exec(blocks[2].split("```")[0], namespace)
    exec(blocks[1].split("```")[0].replace("budget=100", "budget=1"), namespace)
    assert namespace["answer"].vertices == [0]


def test_the_commands_of_get_started_run_one_after_another(
    lense: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^    lense (.+)$|`lense (advise .+?)`", (ROOT / "docs" / "start.md").read_text(), re.MULTILINE)
    assert len(lines) >= 6
    for line in lines:
        outcome = lense(*shlex.split("".join(line)))
        assert outcome.status == 0, outcome.err


def test_the_python_reference_lists_every_public_name() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text()
    listed = re.findall(r"^::: lense\.(\w+)$", page, re.MULTILINE)
    assert sorted(listed) == sorted(package.__all__)


def commands() -> list[str]:
    """The lines of README and docs that call the command line, without what follows them."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    lines = [line.strip() for page in pages for line in page.read_text().splitlines() if line.startswith("    lense ")]
    return sorted(
        {line.split(" #")[0].split(" # ")[0].rstrip() for line in lines if "|" not in line and "…" not in line}
    )


@pytest.mark.parametrize("line", commands())
def test_commands_have_the_options_that_the_docs_give_them(line: str) -> None:
    import typer

    from lense.cli import app

    command, arguments = typer.main.get_command(app), shlex.split(line)[1:]
    context = typer.Context(command, info_name="lense")
    while (found := getattr(command, "commands", {}).get(arguments[0])) is not None:
        command, arguments = found, arguments[1:]
        context = typer.Context(command, parent=context, info_name=command.name)
        if not arguments:
            break
    command.parse_args(context, arguments)


def test_troubleshooting_quotes_the_sentences_as_they_are(
    lense: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LENSE_CACHE", str(tmp_path / "cache"))
    edges = "".join(f"{u} {u + 1}\n" for u in range(2000))
    (tmp_path / "graph.txt").write_text(edges)
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(edges.encode())[:-200])
    (tmp_path / "empty.txt").write_text("# nothing\n")
    (tmp_path / "notes.txt").write_text("1 2\n3 four\n")
    (tmp_path / "trades.csv").write_text("day,buyer,seller,volume,price\n1,a,b,10,2\n2,b,c,5,3\n")
    (tmp_path / "nan.txt").write_text("1 2 0.5\n3 4 nan\n")
    (tmp_path / "negative.txt").write_text("1 2 -0.5\n3 4 1\n")
    (tmp_path / "answer.txt").write_text("1\n5\n9999\n")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.png").touch()
    quoted = re.findall(r"```console\n\$ lense (.+)\n(.+)\n```", (ROOT / "docs" / "troubleshooting.md").read_text())
    assert len(quoted) > 10
    for arguments, sentence in quoted:
        outcome = lense(*shlex.split(arguments))
        assert (outcome.status, outcome.err) == (2, sentence + "\n")
