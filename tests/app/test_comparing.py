"""Pruners side by side: what is sent while they run, and what is left at the end."""

import io
import json
from pathlib import Path
from typing import Any

from lense.app.asking import Task
from lense.app.comparing import compare_pruners
from lense.app.events import Events
from tests.app.pages import QUESTION


def test_the_plot_fills_while_pruners_run(tmp_path: Path) -> None:
    ask = {"kind": "compare", **QUESTION, "pruners": ["top-degree", "random"]}
    body = {"ask": ask, "source": "", "title": "a graph", "folder": str(tmp_path)}
    out = io.StringIO()
    result = compare_pruners(Task.model_validate_json(json.dumps(body)), Events(out))
    lines: list[dict[str, Any]] = [json.loads(line) for line in out.getvalue().splitlines()]
    partial = [line["partial"][0]["panels"][0]["points"] for line in lines if "partial" in line]
    assert [len(points) for points in partial] == [1, 2]
    fronts = result["blocks"][0]
    assert fronts["kind"] == "fronts"
    assert {point["pruner"] for point in fronts["panels"][0]["points"]} == {"top-degree", "random"}
    for file in result["files"]:
        assert (tmp_path / file["name"]).stat().st_size > 0
    assert "lense compare graph.npz --problem mvc --budget 5" in result["recipe"]["command"]
    assert "--pruners top-degree,random" in result["recipe"]["command"]
