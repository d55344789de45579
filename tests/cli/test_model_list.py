"""``lense models list``: the models that come with the package."""

from lense.pruners.shipped import shipped_models
from tests.conftest import Command


def test_each_model_tells_what_it_was_trained_for(lense: Command) -> None:
    found = lense("models", "list", "--json").json
    assert found == shipped_models()
    assert {row["name"] for row in found} >= {"facebook-mvc", "wiki-bmc", "dblp-im"}
    assert sorted(row["problem"] for row in found if row["is_default"]) == ["bmc", "im", "mvc"]
    for row in found:
        assert row["budget"] == 100
        assert row["trained on"].endswith(" edges")
        assert row["seed"] >= 0


def test_people_get_a_table(lense: Command) -> None:
    shown = lense("models", "list")
    assert shown.status == 0
    for words in ("trained on", "facebook", "budget", "mvc"):
        assert words in shown.out
