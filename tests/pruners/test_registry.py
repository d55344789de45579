"""Pruners by name and from folders, what each takes and refuses, and the conventions of scikit-learn."""

import json
from collections.abc import Callable
from importlib.metadata import EntryPoint
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from lense import evaluate, solve
from lense._util import classes
from lense.errors import LenseError
from lense.graph import power_law
from lense.problems import get_problem
from lense.pruners import Pruner, get_pruner, load, pruner_class, registry
from lense.pruners.ranking import RandomVertices, TopDegree
from lense.pruners.registry import parse_pruner

NETWORKS = ("gnn-r", "gnn-t", "gcn", "llm2prune", "combhelper", "lense")
"""Those with a network, which other tests save and load."""
SET: dict[str, dict[str, Any]] = {
    "quickprune": {"delta": 0.3, "least_budget": 2},
    "sparsification": {"r": 3, "c": 4},
    "gcomb-p": {"runs": 2},
}
GRAPH = power_law(200, 6, 2.3, np.random.default_rng(0))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    TopDegree(get_problem("im", seed=4), 5, vertices=40).save(tmp_path / "saved")
    return tmp_path / "saved"


@pytest.mark.parametrize("name", registry.pruner_names())
def test_every_pruner_says_what_it_is(name: str) -> None:
    kind = pruner_class(name)
    assert kind.name == name
    assert kind.get_title()
    assert 0 < len(kind.get_description()) < 90
    assert get_pruner(name, "mvc", 7).budget == 7


@pytest.mark.parametrize("name", [name for name in registry.pruner_names() if name not in NETWORKS])
def test_every_pruner_is_saved_and_loaded(name: str, tmp_path: Path) -> None:
    pruner = get_pruner(name, "mvc", 4, **SET.get(name, {})).fit(GRAPH)
    pruner.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert type(again) is type(pruner)
    assert again.get_params() == {**pruner.get_params(), "problem": get_problem("mvc")}
    assert again.prune(GRAPH, seed=5).vertices.tolist() == pruner.prune(GRAPH, seed=5).vertices.tolist()


def test_an_unknown_pruner_lists_the_choices() -> None:
    with pytest.raises(LenseError, match=r"no pruner called 'top-degre': choose from .*; did you mean 'top-degree'\?"):
        get_pruner("top-degre", "mvc", 4)


def test_a_pruner_of_ones_own_is_known_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    own = EntryPoint("own", "lense.pruners.ranking:TopDegree", "lense.pruners")
    monkeypatch.setattr(classes, "registered", lambda group: {"own": own})
    assert isinstance(get_pruner("own", "mvc", 4), TopDegree)


def test_a_name_may_come_with_parameters() -> None:
    assert parse_pruner("top-roots") == ("top-roots", {})
    assert parse_pruner("quickprune:delta=0.2:least_budget=5") == ("quickprune", {"delta": 0.2, "least_budget": 5.0})
    with pytest.raises(LenseError, match="parameter of top-roots called 'size': choose from roots_per_budget"):
        parse_pruner("top-roots:size=3")
    with pytest.raises(LenseError, match="gives no value for 'delta': write NAME:PARAMETER=VALUE"):
        parse_pruner("quickprune:delta")
    with pytest.raises(LenseError, match="no pruner called 'top'"):
        parse_pruner("top")


def test_a_saved_pruner_is_read_with_its_problem_and_parameters(saved: Path) -> None:
    pruner = load(saved)
    assert isinstance(pruner, TopDegree)
    assert pruner.problem_ == get_problem("im", seed=4)
    assert (pruner.budget, pruner.vertices, pruner.roots) == (5, 40, None)


def test_the_problem_can_be_replaced_by_one_of_the_same_name(saved: Path) -> None:
    assert load(saved, problem=get_problem("im", seed=9)).problem_ == get_problem("im", seed=9)
    with pytest.raises(LenseError, match="is for the problem im, not for mvc"):
        load(saved, problem=get_problem("mvc"))


def changed(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        change(config)
        (folder / "config.json").write_text(json.dumps(config))

    return damage


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "config.json").write_text("{"), "config.json is damaged: it is not JSON"),
        (lambda folder: (folder / "config.json").unlink(), "is no model: a model is a folder with a config.json"),
        (
            lambda folder: (folder / "config.json").write_text('{"a": 1}'),
            "not the configuration of a model, since it names no format",
        ),
        (changed(lambda config: config.update(format=2)), "has format 2.*reads up to format 1: upgrade lense"),
        (changed(lambda config: config.update(budget="many")), "config.json is damaged: its budget is 'many'"),
        (changed(lambda config: config.update(budget=0)), "config.json is damaged: its budget is 0"),
        (
            changed(lambda config: config.pop("params")),
            r"misses something that a model needs \('params'\): copy the model again",
        ),
        (changed(lambda config: config.update(params={"size": 3})), "misses something that a model needs .*size"),
        (changed(lambda config: config.update(problem="tsp")), "no problem called 'tsp': choose from"),
        (
            changed(lambda config: config.update(pruner="gcomb-p", params={"runs": 3, "seed": 0})),
            r"There is no file .*learnt\.safetensors, which a model needs",
        ),
        (changed(lambda config: config.update(pruner="scissors")), "no pruner called 'scissors': choose from"),
    ],
)
def test_a_damaged_foreign_or_newer_folder_is_refused(
    saved: Path, damage: Callable[[Path], None], message: str
) -> None:
    damage(saved)
    with pytest.raises(LenseError, match=message):
        load(saved)


def test_options_of_earlier_versions_are_ignored(tmp_path: Path) -> None:
    TopDegree("im", 5).save(tmp_path / "model")
    changed(lambda config: config["options"].update(processes=4))(tmp_path / "model")
    assert load(tmp_path / "model").problem_ == get_problem("im")


def test_a_folder_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(
        LenseError, match=r"There is no folder .*/nowhere, and no model ships under that name; 'lense mod"
    ):
        load(tmp_path / "nowhere")
    with pytest.raises(LenseError, match="'facebook-mvc'"):
        load("facebok-mvc")


def test_a_folder_is_taken_before_a_model_of_the_same_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    TopDegree("mvc", 4).save(tmp_path / "facebook-mvc")
    monkeypatch.chdir(tmp_path)
    assert isinstance(load("facebook-mvc"), TopDegree)


WRONG: dict[str, list[dict[str, Any]]] = {
    "bounds": [{"effort": value} for value in ("much", None, float("nan"), -1, True)],
    "core": [{"target": 0}, {"target": 1.1}, {"confidence": "much"}, {"size": 0}, {"size": 2.5}, {"size": True}],
    "combhelper": [{"distilled": 1.5}, {"distilled": -0.1}, {"temperature": 0.0}, {"layers": 0}, {"epochs": 1.5}],
    "degree-walk": [{"roots": 0}, {"roots": 5, "steps": -1}],
    "gcn": [{"width": 0}, {"num_features": 1.5}],
    "gcomb-p": [{"runs": 0}],
    "gnn-r": [{"vertex_dim": 0}, {"epochs": 1.5}],
    "quickprune": [{"delta": 0}, {"epsilon": 1.0}, {"eta": 0.0}, {"least_budget": 11}],
    "sparsification": [{"r": 0}, {"c": 1}],
    "top-degree": [{"roots": 0}, {"vertices": 5, "roots": 6}, {"vertices": 0}],
    "top-roots": [{"roots_per_budget": value} for value in (0, -1, float("nan"), float("inf"))],
}


@pytest.mark.parametrize(("name", "params"), [(name, each) for name, some in WRONG.items() for each in some], ids=str)
def test_parameters_that_make_no_sense_are_refused_by_name(name: str, params: dict[str, Any]) -> None:
    (named, *_), value = params, list(params.values())[-1]
    with pytest.raises(LenseError, match=f"{named}|{value}"):
        pruner_class(name)("mvc", 10).set_params(**params).fit(GRAPH).prune(GRAPH)


KINDS = [pruner_class(name) for name in registry.pruner_names()]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_arguments_are_stored_as_given_and_clone_makes_one_that_is_not_fitted(kind: type[Pruner]) -> None:
    pruner = kind("bmc" if kind.name != "bounds" else "mvc", 7)
    assert set(pruner.get_params()) == set(signature(kind).parameters)
    copied = clone(pruner)
    assert copied is not pruner
    assert copied.get_params() == pruner.get_params()
    assert copied.is_fitted is not kind.learns


def test_random_state_is_another_name_for_seed_in_functions() -> None:
    assert get_pruner("core", "mvc", 5, random_state=6).get_params()["seed"] == 6
    assert get_problem("im", random_state=7).seed == 7  # type: ignore[attr-defined]
    pruner = RandomVertices("mvc", 5)
    assert solve(GRAPH, "im", 3, random_state=4).score == solve(GRAPH, "im", 3, seed=4).score
    assert evaluate(pruner, GRAPH, random_state=3).ratios == evaluate(pruner, GRAPH, seed=3).ratios
