"""``lense models list``: the models that come with the package."""

import json
from pathlib import Path

import lense as package
from lense.pruners.shipped import shipped_cores, shipped_models
from tests.conftest import Command

MODELS = Path(package.__file__).with_name("models")


def test_each_model_says_what_it_was_trained_for(lense: Command) -> None:
    everything = lense("models", "list", "--json").json
    cores, found = ([row for row in everything if row["pruner"] == kind] for kind in ("core", "lense"))
    assert [row["name"] for row in cores] == [row["name"] for row in shipped_cores()]
    assert [row["name"] for row in found] == [row["name"] for row in shipped_models()]
    assert {row["name"] for row in found} >= {"facebook-mvc", "wiki-bmc", "dblp-im"}
    assert sorted(row["problem"] for row in found if row["is_default"]) == ["bmc", "im", "mvc"]
    for row in found:
        assert row["budget"] == 100
        assert row["trained on"].endswith(" edges")
        assert row["seed"] >= 0


def test_the_table_says_how_well_and_how_far_each_model_walks(lense: Command) -> None:
    lines = lense("models", "list").out.splitlines()
    assert max(map(len, lines)) <= 80
    for row in shipped_models():
        report = json.loads((MODELS / row["name"] / "report.json").read_text())["navigator"]
        longest = json.loads((MODELS / row["name"] / "config.json").read_text())["walks"]["longest"]
        (line,) = [line for line in lines if line.startswith(f"  {row['name']} ")]
        assert line.rstrip().endswith(f"{report['ratio']:.3f}")
        assert (f"({longest:,})" in line) == (longest != row["steps"])
        assert (" * " in line) == row["is_default"]
