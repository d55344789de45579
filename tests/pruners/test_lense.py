"""LeNSE from a train graph to a pruned graph, and to files and back."""

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.parts import subgraph
from lense.problems import get_problem
from lense.pruners import LeNSE, load
from lense.walking.encoder import Encoder
from lense.walking.q_network import FeatureGain, QNetwork
from lense.walking.settings import Settings
from tests import learning
from tests.conftest import tiny_settings
from tests.skips import A_GPU


@pytest.fixture(scope="module")
def unseen() -> Graph:
    return power_law(300, 6, 2.3, np.random.default_rng(1))


@pytest.fixture
def copied(model_folder: Path, tmp_path: Path) -> Path:
    """A model to damage."""
    return Path(shutil.copytree(model_folder, tmp_path / "copied"))


def fitted(seed: int) -> LeNSE:
    return LeNSE("mvc", learning.BUDGET, settings=tiny_settings(), seed=seed).fit(learning.graph())


def same_weights(one: torch.nn.Module, other: torch.nn.Module) -> bool:
    pairs = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


def test_the_seed_decides_what_is_learnt(trained: LeNSE) -> None:
    again, other = fitted(0), fitted(1)
    assert same_weights(trained.encoder_, again.encoder_)
    assert same_weights(trained.navigator_, again.navigator_)
    assert not same_weights(trained.encoder_, other.encoder_)
    assert not same_weights(trained.navigator_, other.navigator_)


def test_pruning_gives_the_subgraph_of_as_many_roots_as_were_learnt_with(trained: LeNSE, unseen: Graph) -> None:
    part = trained.prune(unseen, seed=3)
    assert part.roots.size == learning.SETTINGS.roots
    assert part.graph.equals(subgraph(unseen, part.roots).graph)
    assert part.graph.num_vertices < unseen.num_vertices


def test_the_seed_decides_where_a_walk_ends(trained: LeNSE, unseen: Graph) -> None:
    assert np.array_equal(trained.prune(unseen, seed=3).roots, trained.prune(unseen, seed=3).roots)
    assert not np.array_equal(trained.prune(unseen, seed=3).roots, trained.prune(unseen, seed=4).roots)


def test_a_larger_budget_gets_roots_in_proportion(trained: LeNSE, unseen: Graph) -> None:
    assert trained.prune(unseen, budget=2 * learning.BUDGET).roots.size == 2 * learning.SETTINGS.roots
    assert trained.prune(unseen, budget=1).roots.size == learning.SETTINGS.roots


def test_walks_take_as_many_steps_as_were_enough_but_all_on_a_much_denser_graph(tmp_path: Path) -> None:
    LeNSE("mvc", learning.BUDGET, settings=tiny_settings() | {"test_steps": 40, "enough": 0.1}).fit(
        learning.graph()
    ).save(tmp_path / "model")
    model = load(tmp_path / "model")
    steps = model.settings_.test_steps
    assert steps < 40
    similar, dense = (power_law(300, degree, 2.3, np.random.default_rng(1)) for degree in (5, 20))
    assert model.num_steps(similar) == model.num_steps(model.tensors(similar)) == steps
    assert model.num_steps(dense) == model.num_steps(model.tensors(dense)) == 40
    assert model.num_steps(similar, 2 * model.budget) == 2 * steps
    assert model.walk(dense, episodes=1).distances.shape[0] == 1 + 40
    del model.report_["navigator"]["longest"]  # as models from before this was known
    assert model.num_steps(dense) == steps


@pytest.mark.parametrize(("components", "prior"), [(1, "equal"), (9, "preferred")])
def test_on_a_train_graph_in_pieces_the_prior_is_preferred(components: int, prior: str) -> None:
    pieces = [power_law(60, 5, 2.3, np.random.default_rng(i)) for i in range(9)]
    edges = [np.stack(piece.edges()[:2]) + 60 * i for i, piece in enumerate(pieces)]
    sources, targets = np.concatenate(edges, axis=1)
    if components == 1:
        hubs = np.arange(8) * 60
        sources, targets = np.append(sources, hubs), np.append(targets, hubs + 60)
    graph = Graph.from_edges(sources, targets, directed=False).without_isolated()
    model = LeNSE("mvc", learning.BUDGET, settings=tiny_settings() | {"prior": "auto"}).fit(graph)
    assert model.settings_.prior == prior
    assert model.prune(graph).roots.size == learning.SETTINGS.roots


def test_a_model_whose_prior_is_kept_is_saved_as_the_two_numbers_it_is(tmp_path: Path) -> None:
    settings = tiny_settings() | {"prior": "preferred", "enough": 0.0}
    model = LeNSE("mvc", learning.BUDGET, settings=settings).fit(learning.graph())
    assert isinstance(model.navigator_, FeatureGain)
    assert not model.report_["navigator"]["learnt"]
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert isinstance(again, LeNSE)
    assert isinstance(again.navigator_, FeatureGain)
    np.testing.assert_array_equal(again.find_roots(learning.graph()), model.find_roots(learning.graph()))


def test_a_graph_as_small_as_the_roots_is_kept_whole(trained: LeNSE) -> None:
    small = power_law(learning.SETTINGS.roots, 3, 2.3, np.random.default_rng(0))
    part = trained.prune(small)
    assert part.graph is small
    assert np.array_equal(part.vertices, np.arange(small.num_vertices))


def test_solving_scores_and_bounds_on_the_whole_graph(trained: LeNSE, unseen: Graph) -> None:
    answer = trained.solve(unseen, seed=3)
    assert set(answer.vertices.tolist()) <= set(trained.prune(unseen, seed=3).vertices.tolist())
    assert answer.score == trained.problem_.objective(unseen, answer.vertices)
    assert answer.upper_bound is not None
    best = trained.problem_.solve(unseen, learning.BUDGET, np.random.default_rng(0))
    assert answer.upper_bound >= best.score >= answer.score > 0


def test_a_model_prunes_the_same_after_saving_and_loading(trained: LeNSE, model_folder: Path, unseen: Graph) -> None:
    again = load(model_folder)
    assert np.array_equal(again.prune(unseen, seed=5).roots, trained.prune(unseen, seed=5).roots)
    assert again.settings_ == trained.settings_
    assert again.report_ == json.loads(json.dumps(trained.report_))
    assert (again.budget, again.seed, again.problem_) == (trained.budget, trained.seed, trained.problem_)


def test_saving_a_loaded_model_gives_the_same_files(model_folder: Path, tmp_path: Path) -> None:
    load(model_folder).save(tmp_path / "again")
    first, second = ({p.name: p.read_bytes() for p in f.iterdir()} for f in (model_folder, tmp_path / "again"))
    assert first == second


def test_a_model_is_json_csv_pictures_and_safetensors_and_loading_unpickles_nothing(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a pickle was read")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    monkeypatch.setattr(torch, "load", refuse)
    load(model_folder)
    for path in model_folder.iterdir():
        match path.suffix:
            case ".safetensors":
                content = path.read_bytes()
                json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
            case ".json":
                json.loads(path.read_text())
            case ".png":
                assert path.read_bytes().startswith(b"\x89PNG")
            case suffix:
                assert suffix == ".csv"


def test_the_configuration_says_what_the_model_learnt_from(model_folder: Path) -> None:
    trained_on = json.loads((model_folder / "config.json").read_text())["trained_on"]
    assert trained_on["source"] == "a test"
    assert trained_on["vertices"] == learning.graph().num_vertices
    assert len(trained_on["digest"]) == 64


def hasty(**changes: object) -> LeNSE:
    """Trained for next to no time."""
    settings = {**tiny_settings(), "epochs": 1, "train_steps": 4, "looks": 1, **changes}
    return LeNSE("mvc", learning.BUDGET, settings=settings).fit(learning.graph())


_NEWER = ("hubs", "ranks", "marks_roots", "restart", "sampled_starts", "shaped", "sees_subgraph", "prior")


def test_a_model_from_before_a_setting_existed_has_the_choice_it_was_trained_with(
    tmp_path: Path, unseen: Graph
) -> None:
    literal = Settings().literal
    newer = {name: getattr(literal, name) for name in _NEWER}
    model = hasty(**newer)
    model.save(tmp_path / "model")
    path = tmp_path / "model" / "config.json"
    config = json.loads(path.read_text())
    config["settings"] = {name: value for name, value in config["settings"].items() if name not in newer}
    path.write_text(json.dumps(config))
    older = load(tmp_path / "model")
    assert isinstance(older, LeNSE)
    assert older.settings_ == model.settings_
    assert np.array_equal(older.prune(unseen).roots, model.prune(unseen).roots)


def test_the_cut_offs_that_are_kept_are_those_that_were_used(caplog: pytest.LogCaptureFixture) -> None:
    given = (0.03, 0.02, 0.01)
    used = hasty(cutoffs=given).settings_.cutoffs
    assert len(used) == 3
    assert used[-1] > given[0]
    assert "so their classes are parted at" in caplog.text


@pytest.mark.parametrize("sampled", [True, False])
def test_walks_start_from_labelled_samples_if_that_is_asked_for(sampled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def stop(*_: object, **options: Any) -> None:
        given.update(options)
        raise learning.Stopped

    monkeypatch.setattr("lense.pruners.lense.train_navigator", stop)
    with pytest.raises(learning.Stopped):
        hasty(sampled_starts=sampled, hubs=0.0)
    if sampled:
        assert np.array_equal(given["starts"], learning.samples().roots)
    else:
        assert given["starts"] is None


def test_subgraphs_are_judged_by_their_ratio_and_their_share_of_the_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    judge: list[Any] = []

    def stop(*_: object, **options: Any) -> None:
        judge.append(options["judge"])
        raise learning.Stopped

    monkeypatch.setattr("lense.pruners.lense.train_navigator", stop)
    with pytest.raises(learning.Stopped):
        hasty(hubs=0.0)
    for roots, ratio in zip(learning.samples().roots[:5], learning.samples().ratios, strict=False):
        part = subgraph(learning.graph(), roots)
        assert judge[0](roots) == (ratio, part.graph.num_edges / learning.graph().num_edges)


def test_everybody_may_read_a_model_who_may_read_other_files(model_folder: Path, tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    assert {path.stat().st_mode for path in model_folder.iterdir()} == {usual.stat().st_mode}


def test_saving_that_is_interrupted_leaves_nothing_behind(
    trained: LeNSE, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lense.plots.save_figure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        trained.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_model_may_take_the_place_of_another_but_of_nothing_else(trained: LeNSE, copied: Path) -> None:
    trained.save(copied)
    (copied / "config.json").rename(copied / "mine.json")
    with pytest.raises(LenseError, match="no model"):
        trained.save(copied)


def test_walks_can_follow_another_policy_and_are_drawn(trained: LeNSE, unseen: Graph) -> None:
    def first(observation: dict[str, torch.Tensor], _info: object) -> torch.Tensor:
        return torch.zeros(len(observation["embedding"]), dtype=torch.int64)

    walked = trained.walk(unseen, episodes=3, policy=first, steps=2)
    assert walked.distances.shape == (3, 3)
    assert len(trained.draw_walks(walked).axes) == 2


@pytest.mark.parametrize("stop", ["final", "nearest"])
def test_roots_are_those_that_the_walks_on_the_map_end_with(trained: LeNSE, unseen: Graph, stop: str) -> None:
    walked = trained.walk(unseen, episodes=3, seed=5, stop=stop)
    assert np.array_equal(trained.find_roots(unseen, episodes=3, seed=5, stop=stop), walked.roots.numpy())


def test_they_are_found_without_the_map_unless_the_policy_sees_it(
    trained: LeNSE, unseen: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise learning.Stopped

    sees = hasty(sees_subgraph=True)
    monkeypatch.setattr(Encoder, "forward", stop)
    trained.find_roots(unseen, episodes=1)
    with pytest.raises(learning.Stopped):
        sees.find_roots(unseen)
    with pytest.raises(learning.Stopped):
        trained.find_roots(unseen, stop="nearest")


def test_every_walk_depends_on_its_own_seed_alone(trained: LeNSE, unseen: Graph) -> None:
    together = trained.walk(unseen, episodes=2, seed=7)
    assert torch.equal(together.roots[1], trained.walk(unseen, episodes=1, seed=8).roots[0])


def test_parameters_are_kept_as_given_and_can_be_changed() -> None:
    model = LeNSE("mvc", 5, preset="quick")
    assert model.get_params()["preset"] == "quick"
    assert model.set_params(budget=6).budget == 6
    assert "not fitted" in repr(model)
    with pytest.raises(LenseError, match="budget"):
        model.set_params(budgett=6)


def test_what_is_not_fitted_does_not_prune(unseen: Graph) -> None:
    with pytest.raises(LenseError, match="not fitted"):
        LeNSE("mvc", 5).prune(unseen)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"preset": "quik"}, "did you mean 'quick'"),
        ({"preset": "paper"}, "paper_graph"),
        ({"preset": "paper", "paper_graph": "karate"}, "facebook"),
        ({"settings": {"rots": 3}}, "did you mean 'roots'"),
        ({"settings": {"roots": "many"}}, "number"),
        ({"device": "gpu"}, "cuda"),
        ({"budget": 1000}, "budget"),
    ],
    ids=str,
)
def test_what_cannot_be_trained_is_said_before_training(
    arguments: dict[str, object], words: str, tmp_path: Path
) -> None:
    model = LeNSE("mvc", learning.BUDGET).set_params(**arguments)
    with pytest.raises(LenseError, match=words):
        model.fit(learning.graph(), checkpoint=tmp_path / "stages")
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_belongs_to_one_training(tmp_path: Path) -> None:
    (tmp_path / "training.json").write_text("{}")
    (tmp_path / "ratios.json").write_text("{}")
    with pytest.raises(LenseError, match="another training"):
        LeNSE("mvc", learning.BUDGET).fit(learning.graph(), checkpoint=tmp_path)


def _truncate(folder: Path) -> None:
    path = folder / "navigator.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def _write_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (shutil.rmtree, "no model"),
    "no configuration": (lambda f: (f / "config.json").unlink(), "no model"),
    "damaged configuration": (lambda f: (f / "config.json").write_text("{"), "not JSON"),
    "foreign configuration": (lambda f: (f / "config.json").write_text("[]"), "format"),
    "incomplete configuration": (lambda f: (f / "config.json").write_text('{"format": 1}'), "damaged"),
    "newer format": (lambda f: _write_config(f, format=99), "upgrade"),
    "unknown problem": (lambda f: _write_config(f, problem="mvcc"), "mvc"),
    "truncated weights": (_truncate, "damaged"),
    "weights of another model": (
        lambda f: shutil.copy(f / "goal.safetensors", f / "encoder.safetensors"),
        "does not belong",
    ),
    "no goal": (lambda f: (f / "goal.safetensors").unlink(), "goal.safetensors"),
    "no report": (lambda f: (f / "report.json").unlink(), "report.json"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_model_that_is_damaged_says_so(copied: Path, name: str) -> None:
    damage, words = DAMAGES[name]
    damage(copied)
    with pytest.raises(LenseError, match=words):
        load(copied)


def test_a_model_is_for_one_problem_but_for_any_options_of_it(model_folder: Path) -> None:
    stochastic = get_problem("mvc", solver="stochastic-greedy")
    assert load(model_folder, problem=stochastic).problem_ is stochastic
    with pytest.raises(LenseError, match="not for bmc"):
        load(model_folder, problem=get_problem("bmc"))


@pytest.mark.skipif(torch.cuda.is_available(), reason=A_GPU)
def test_a_gpu_that_is_not_there_is_said(model_folder: Path) -> None:
    with pytest.raises(LenseError, match="CUDA"):
        load(model_folder, device="cuda")


def test_the_network_that_is_kept_is_a_trained_one(trained: LeNSE) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        start = QNetwork(learning.SETTINGS.embedding_dim, learning.SETTINGS.vertex_dim)
    assert not same_weights(start, trained.navigator_)


def test_a_training_that_failed_before_it_began_does_not_block_its_folder(tmp_path: Path) -> None:
    too_many = LeNSE("mvc", learning.BUDGET, settings=tiny_settings() | {"roots": 10**6})
    with pytest.raises(LenseError, match="cannot be drawn"):
        too_many.fit(learning.graph(), checkpoint=tmp_path)
    LeNSE("mvc", learning.BUDGET, settings=tiny_settings()).fit(learning.graph(), checkpoint=tmp_path)


@pytest.mark.parametrize(("name", "value"), [("budget", "x"), ("num_features", -1), ("seed", "a"), ("seed", True)])
def test_a_configuration_whose_numbers_are_none_is_told(name: str, value: object, copied: Path) -> None:
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | {name: value}))
    with pytest.raises(LenseError, match=f"its {name} is"):
        load(copied)


@pytest.mark.parametrize("text", ["[]", '{"trained_on": {}}', '{"trained_on": {}, "navigator": 3}'])
def test_a_report_of_something_else_is_told(text: str, copied: Path) -> None:
    (copied / "report.json").write_text(text)
    with pytest.raises(LenseError, match="not the report of a model"):
        load(copied)


def test_only_graphs_are_learnt_from() -> None:
    with pytest.raises(LenseError, match="not from a str"):
        LeNSE("mvc", 5).fit("graph.txt")  # type: ignore[arg-type]


def test_a_budget_that_cannot_be_spent_is_told_when_pruning(trained: LeNSE, unseen: Graph) -> None:
    with pytest.raises(LenseError, match="budget must be"):
        trained.prune(unseen, budget=-5)


def test_solving_stops_where_pruning_is_told_to(trained: LeNSE, unseen: Graph) -> None:
    nearest = trained.prune(unseen, stop="nearest")
    assert set(trained.solve(unseen, stop="nearest", certify=False).vertices) <= set(nearest.vertices)


def test_a_policy_that_leads_nowhere_warns(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lense.pruners.lense._GOOD", 2.0)
    fitted(0)
    assert "learn longer" in caplog.text
