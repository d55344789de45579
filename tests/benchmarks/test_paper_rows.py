"""The rows of the paper: which runs there are, and the tables that show them."""

import json
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from benchmarks import paper_rows
from lense.walking.settings import Settings, paper_settings

SHARES = {"vertices_pruned": 0.42, "edges_pruned": 0.58}
FLOORS = ("random_swaps", "untrained_network", "largest_gain", "top_roots", "top_budget")


def row(seed: int, ratio: float, variant: str = "as designed") -> dict[str, Any]:
    return {
        "problem": "im",
        "graph": "wiki",
        "seed": seed,
        "variant": variant,
        "ratio": ratio,
        "ratio_stderr": 0.001,
        **SHARES,
        "ceiling": {"ratio": 1.0, **SHARES},
        "floor": {name: {"ratio": 0.8, **SHARES} for name in FLOORS},
    }


def chosen(ablation: bool) -> list[dict[str, Any]]:
    options = Namespace(device="cpu", models=None, ablation=ablation, problems=paper_rows.PROBLEMS, seeds=(0, 1, 2))
    return list(paper_rows.jobs(options))


def test_every_problem_runs_on_both_graphs_with_three_seeds() -> None:
    runs = {(job["problem"], job["graph"], job["seed"]) for job in chosen(ablation=False)}
    assert len(runs) == len(chosen(ablation=False)) == 3 * 2 * 3


def differing(one: Settings, other: Settings) -> set[str]:
    return {name for name, value in asdict(one).items() if asdict(other)[name] != value}


def test_the_ablation_changes_one_choice_at_a_time_and_all_of_them() -> None:
    assert {job["variant"] for job in chosen(ablation=True)} == set(paper_rows.VARIANTS) - {"as designed"}
    settings, switches = paper_settings("mvc", "wiki"), differing(Settings(), Settings().literal)
    changed = {name: differing(settings, settings.changed(**one)) for name, one in paper_rows.VARIANTS.items()}
    assert changed.pop("as designed") == set()
    assert changed.pop(paper_rows.AS_IN_THE_PAPER) == switches
    assert all(len(names) == 1 for names in changed.values())
    assert set().union(*changed.values()) == switches


@pytest.mark.parametrize("problem", paper_rows.PROBLEMS)
@pytest.mark.parametrize("graph", paper_rows.GRAPHS)
def test_all_as_in_the_paper_is_the_literal_preset(graph: str, problem: str) -> None:
    literal, changes = paper_settings(problem, graph, literal=True), paper_rows.VARIANTS[paper_rows.AS_IN_THE_PAPER]
    assert literal.changed(**changes) == literal
    assert differing(literal, paper_settings(problem, graph).changed(**changes)) <= {"samples_per_class"}
    presets = {paper_rows.preset(name) for name in paper_rows.VARIANTS if name != paper_rows.AS_IN_THE_PAPER}
    assert (paper_rows.preset(paper_rows.AS_IN_THE_PAPER), presets) == ("literal", {"paper"})


def test_the_results_stand_beside_the_papers() -> None:
    line = paper_rows.results_table([row(1, 0.98), row(0, 0.96)]).splitlines()[-1]
    assert "0.960 (0.001), 0.980 (0.001) | 0.970 | 42 / 58 | 0.960 (0.002), 51 / 71 |" in line
    assert line.count("0.800 at 42 / 58") == len(FLOORS)


def test_the_ablation_shows_seed_0_alone() -> None:
    rows = [row(0, 0.96), row(1, 0.5), row(0, 0.7, "gamma 0.995")]
    lines = paper_rows.ablation_table(rows).splitlines()
    assert lines[0] == "| variant | wiki-im |"
    assert "| as designed | 0.960 at 42 / 58 |" in lines
    assert "| gamma 0.995 | 0.700 at 42 / 58 |" in lines


def test_a_file_of_runs_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "rows.jsonl"
    lines.write_text(json.dumps(row(0, 0.96)) + "\n")
    assert paper_rows.main(["--show", str(lines)]) == 0
    assert "| im | wiki | 0.960 (0.001) |" in capsys.readouterr().out


def test_the_figures_that_are_kept_are_complete() -> None:
    kept = Path(paper_rows.__file__).with_suffix(".jsonl").read_text().splitlines()
    runs = [json.loads(line) for line in kept]
    designed = {(r["problem"], r["graph"], r["seed"]) for r in runs if r["variant"] == "as designed"}
    assert len(designed) == 18
    assert all(r["versions"]["torch"] and r["machine"] and len(r["ratios"]) == 10 for r in runs)
