"""Every loss is trained with the same settings but for the loss."""

import csv
from pathlib import Path

from lense.experiments import reproduce
from lense.experiments.losses import OURS, Losses
from lense.experiments.models import trainings
from lense.pruners import load
from tests.experiments import tiny_paper


def test_losses_differ_in_nothing_else(results: Path) -> None:
    study = tiny_paper.study(results, settings={**tiny_paper.SETTINGS})
    made = reproduce(Losses(), study)
    settings = {record.variant: record.found.settings for record in trainings(results).records().values()}
    ours = settings.pop("")
    assert ours["loss"] == OURS
    assert set(settings) == {f"loss-{loss}" for loss in Losses().variants if loss != OURS}
    for variant, its in settings.items():
        learnt = {"loss", "cutoffs", "test_steps"}  # the last two are what training came to
        assert {name for name in ours if its[name] != ours[name]} <= learnt
        assert variant == f"loss-{its['loss']}"
    assert Losses().changes(OURS) == {}
    ((_, headings, lines),) = made.tables
    assert headings == ("graph", "InfoNCE", "cross-entropy", "ordinal")
    assert all(cell != "–" for cell in lines[0])
    assert {path.name for path in results.glob("losses-*")} == {"losses-tiny-mvc.pdf", "losses-tiny-mvc.png"}
    with (results / "losses.csv").open() as file:
        row = next(csv.DictReader(file))
    assert row["cross_entropy_seeds"] == "1"
    assert row["infonce_edges_pruned_pct"]


def test_the_default_loss_is_that_of_the_settings(finished: Path) -> None:
    assert load(finished / "models" / "tiny-mvc-0").settings_.encoder.loss == OURS
