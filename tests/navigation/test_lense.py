"""LeNSE from a train graph to a pruned graph, and to files and back."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.graph.subgraph import subgraph
from lense.navigation import LeNSE
from lense.navigation.encoder import Encoder, GraphTensors, embed
from lense.problems import get_problem
from lense.pruners import load
from lense.pruners.ranking import standing
from tests import learning
from tests.conftest import tiny_settings
from tests.learning import same_weights
from tests.skips import A_GPU


@pytest.fixture(scope="module")
def unseen() -> Graph:
    return power_law(300, 6, 2.3, np.random.default_rng(1))


def hasty(**changes: object) -> LeNSE:
    """Trained for next to no time."""
    settings = {**tiny_settings(), "epochs": 1, "train_steps": 4, "evaluations": 1, **changes}
    return LeNSE("mvc", learning.BUDGET, settings=settings).fit(learning.graph())


def test_a_model_that_was_loaded_prunes_and_learns_as_the_first_did_and_another_seed_differently(
    trained: LeNSE, model_folder: Path, unseen: Graph, tmp_path: Path
) -> None:
    again = load(model_folder)
    assert np.array_equal(again.prune(unseen, seed=5).roots, trained.prune(unseen, seed=5).roots)
    again.fit(learning.graph(), source="a test").save(tmp_path / "again")
    assert all(file.read_bytes() == (model_folder / file.name).read_bytes() for file in (tmp_path / "again").iterdir())
    drawn = torch.get_rng_state()
    other = LeNSE("mvc", learning.BUDGET, settings=tiny_settings(), seed=1).fit(learning.graph())
    assert torch.equal(drawn, torch.get_rng_state())
    assert not same_weights(trained.map_.encoder, other.map_.encoder)
    assert not np.array_equal(trained.values_.weights["hidden.weight"], other.values_.weights["hidden.weight"])


def test_pruning_gives_the_subgraph_of_as_many_roots_as_were_learnt_with(trained: LeNSE, unseen: Graph) -> None:
    part = trained.prune(unseen, seed=3)
    assert part.roots.size == learning.ROOTS
    assert part.graph.equals(subgraph(unseen, part.roots).graph)
    assert part.graph.num_vertices < unseen.num_vertices
    small = power_law(learning.ROOTS, 3, 2.3, np.random.default_rng(0))
    assert trained.prune(small).graph is small


def test_walks_import_none_of_the_libraries_that_learning_needs(model_folder: Path, graph_file: Path) -> None:
    script = f"""
import sys
from lense import load, open_graph
from lense.navigation.baselines import DegreeWalk, RandomWalk, RankWalk
graph = open_graph({str(graph_file)!r})
for kind in (RandomWalk, DegreeWalk, RankWalk):
    kind("mvc", 4).fit(graph).prune(graph)
load({str(model_folder)!r}).prune(graph)
print([name for name in ("torch", "torch_geometric", "sklearn") if name in sys.modules])
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_walks_on_the_map_end_with_the_roots_and_lie_where_the_subgraphs_are(trained: LeNSE, unseen: Graph) -> None:
    walked = trained.walk(unseen, episodes=3, seed=5)
    assert np.array_equal(trained.find_roots(unseen, episodes=3, seed=5), walked.roots[-1])
    known = GraphTensors.of(unseen, trained.features(unseen))
    assert torch.equal(embed(trained.map_.encoder, known, walked.roots[2]), walked.embeddings[2])
    placed = trained.walk(unseen, episodes=3, seed=5, places=[0, 2])
    assert torch.equal(placed.embeddings, walked.embeddings[[0, 2]])
    torch.testing.assert_close(walked.distances[2], (walked.embeddings[2] - trained.map_.goal).norm(dim=1))


def test_steps_of_several_swaps_are_fewer_and_their_roots_differ_from_each_other(
    model_folder: Path, trained: LeNSE, unseen: Graph
) -> None:
    several = load(model_folder).set_params(swaps=4)
    assert several.num_steps(unseen) == -(-trained.num_steps(unseen) // 4)
    found = several.find_roots(unseen, episodes=3, seed=5)
    assert all(len({*roots.tolist()}) == learning.ROOTS for roots in found)
    assert not np.array_equal(found, trained.find_roots(unseen, episodes=3, seed=5))
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(LenseError, match="swaps"):
            several.set_params(swaps=wrong).prune(unseen)


def test_they_are_found_without_the_map_unless_the_policy_sees_it(
    trained: LeNSE, unseen: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise learning.Stopped

    sees = hasty(sees_subgraph=True)
    assert sees.find_roots(unseen, seed=3).shape == (10, learning.ROOTS)
    monkeypatch.setattr(Encoder, "forward", stop)
    trained.find_roots(unseen, episodes=1)
    with pytest.raises(learning.Stopped):
        sees.find_roots(unseen)


def test_features_are_given_by_their_ranks_if_they_were_in_training(trained: LeNSE, unseen: Graph) -> None:
    raw = get_problem("mvc").features(unseen)
    assert np.array_equal(trained.features(unseen), standing(raw))
    assert np.array_equal(hasty(ranks=False).features(unseen), raw)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"preset": "paper"}, "paper_graph"),
        ({"preset": "paper", "paper_graph": "karate"}, "facebook"),
        ({"settings": {"rots": 3}}, "did you mean 'roots'"),
        ({"device": "gpu"}, "cuda"),
        ({"budget": 1000}, "budget"),
    ],
    ids=str,
)
def test_what_cannot_be_trained_is_refused_before_training(
    arguments: dict[str, object], words: str, tmp_path: Path
) -> None:
    model = LeNSE("mvc", learning.BUDGET).set_params(**arguments)
    with pytest.raises(LenseError, match=words):
        model.fit(learning.graph(), checkpoint=tmp_path / "stages")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(torch.cuda.is_available(), reason=A_GPU)
def test_a_gpu_that_is_not_there_is_reported(model_folder: Path) -> None:
    with pytest.raises(LenseError, match="CUDA"):
        load(model_folder, device="cuda")
