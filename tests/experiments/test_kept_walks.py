"""Walks on a test graph are walked once and kept, so that every experiment looks at the same ones."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.errors import LenseError
from lense.experiments.cases import Source
from lense.experiments.kept_walks import KeptWalks, kept_walks
from lense.experiments.pieces import pruned_parts
from lense.experiments.plan import Comparison
from lense.experiments.shared_models import shared_parts
from lense.experiments.study import make_source
from lense.graph import Graph, power_law
from lense.parts import Subgraph
from lense.problems.mvc import MaxVertexCover
from lense.pruners import LeNSE, load
from lense.pruners.walks import RandomWalk, SwapWalk
from tests.experiments import tiny_paper
from tests.learning import BUDGET

OPTIONS: dict[str, Any] = {"episodes": 2, "budget": BUDGET, "seed": 0}


def unseen(seed: int = 1) -> Graph:
    return MaxVertexCover().prepare(power_law(150, 5, 2.3, np.random.default_rng(seed)))


def walker() -> RandomWalk:
    return RandomWalk("mvc", BUDGET, roots=16, steps=5).fit(unseen())


def walks(folder: Path, graph: Graph | None = None, model: str = "one", **changes: Any) -> KeptWalks:
    given = {**OPTIONS, **changes}
    return kept_walks(folder, "walker", walker(), {"model": model}, unseen() if graph is None else graph, **given)


def roots(parts: list[Subgraph]) -> list[list[int]]:
    return [part.roots.tolist() for part in parts]


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> list[Graph]:
    """Fills with the graphs that are walked on."""
    seen: list[Graph] = []
    for kind in (SwapWalk, LeNSE):
        parts = kind.parts

        def counted(self: Any, graph: Graph, _parts: Any = parts, **options: Any) -> list[Subgraph]:
            seen.append(graph)
            found: list[Subgraph] = _parts(self, graph, **options)
            return found

        monkeypatch.setattr(kind, "parts", counted)
    return seen


def test_walks_are_walked_once_and_read_back_the_same(tmp_path: Path, walked: list[Graph]) -> None:
    first, again = walks(tmp_path), walks(tmp_path)
    assert len(walked) == 1
    assert again.seconds == first.seconds > 0
    for one, other in zip(first.parts, again.parts, strict=True):
        assert np.array_equal(one.roots, other.roots)
        assert np.array_equal(one.vertices, other.vertices)
        assert one.graph.num_edges == other.graph.num_edges
    assert roots(first.parts) == roots(walker().parts(unseen(), prepared=True, **OPTIONS))


@pytest.mark.parametrize("change", [{"model": "two"}, {"graph": unseen(2)}, {"seed": 1}])
def test_they_are_walked_again_for_another_model_graph_or_seed(
    change: dict[str, Any], tmp_path: Path, walked: list[Graph]
) -> None:
    walks(tmp_path)
    anew = walks(tmp_path, **change)
    assert len(walked) == 2
    assert roots(walks(tmp_path, **change).parts) == roots(anew.parts)
    assert len(walked) == 2


def test_another_number_of_walks_needs_another_folder(tmp_path: Path) -> None:
    walks(tmp_path)
    with pytest.raises(LenseError, match=r"an experiment with another episodes"):
        walks(tmp_path, episodes=3)


def test_a_record_that_lacks_the_roots_is_told(tmp_path: Path) -> None:
    walks(tmp_path)
    piece = tmp_path / "pieces" / "walker.json"
    piece.write_text(json.dumps({"seconds": 1.0}))
    with pytest.raises(LenseError, match=r"walker.json is damaged, since it lacks roots"):
        walks(tmp_path)


def test_the_record_tells_machine_and_versions(tmp_path: Path) -> None:
    walks(tmp_path)
    record = json.loads((tmp_path / "pieces" / "walker.json").read_text())
    assert record["versions"]["lense"]
    assert record["machine"]["cores"]


def comparison(model: Path, kept: Path | None) -> Comparison:
    pruners = ("lense", "random-walk")
    return Comparison(Source(unseen(), "mvc"), BUDGET, pruners, (0,), episodes=2, model=str(model), walks=kept)


def test_a_comparison_keeps_the_walks_of_lense_and_of_the_floors(
    model_folder: Path, tmp_path: Path, walked: list[Graph]
) -> None:
    """What they cost is told to be that of all walks side by side; without a folder, of a single one."""
    plan = comparison(model_folder, tmp_path / "walks")
    case = plan.source.case(0)
    for pruner in (load(model_folder), walker()):
        walked.clear()
        parts, costs = pruned_parts(plan, case, pruner, 0)
        assert costs["side_by_side"] == 2
        again, same_costs = pruned_parts(plan, case, pruner, 0)
        assert len(walked) == 1
        assert (roots(again), same_costs) == (roots(parts), costs)
        apart, costs_of_one = pruned_parts(comparison(model_folder, None), case, pruner, 0)
        assert roots(apart) == roots(parts)
        assert "side_by_side" not in costs_of_one
    pieces = {path.name for path in (tmp_path / "walks" / "pieces").iterdir()}
    assert pieces == {"mvc.json", "mvc.random-walk.json"}


def test_a_model_that_was_trained_anew_walks_again(model_folder: Path, tmp_path: Path, walked: list[Graph]) -> None:
    model = Path(shutil.copytree(model_folder, tmp_path / "mvc"))
    plan = comparison(model, tmp_path / "walks")
    for _ in range(2):
        pruned_parts(plan, plan.source.case(0), load(model), 0)
    assert len(walked) == 1
    (model / "report.json").write_text((model / "report.json").read_text() + "\n")
    pruned_parts(plan, plan.source.case(0), load(model), 0)
    assert len(walked) == 2


def test_experiments_look_at_the_walks_of_table_1(results: Path, walked: list[Graph]) -> None:
    study, source = tiny_paper.study(results, 0, 1), make_source("tiny", "mvc")
    parts = shared_parts(study, source, 1)
    assert walked == []
    record = json.loads((results / "rivals" / "tiny-mvc" / "pieces" / "lense.1.json").read_text())
    assert [part.graph.num_vertices for part in parts] == [part["vertices"] for part in record["parts"]]
