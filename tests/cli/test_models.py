"""``lense models list``: the models that come with the package."""

from lense.pruners.shipped import shipped_cores, shipped_models
from tests.conftest import Command


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
    lines = lense("models", "list").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert all(any(line.startswith(f"  {row['name']} ") for line in lines) for row in everything)
