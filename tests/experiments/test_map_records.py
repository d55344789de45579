"""Maps in records."""

import json
from pathlib import Path

import numpy as np

from lense.experiments.map_records import has_map, map_panel, map_record
from lense.pruners import LeNSE, load


def test_a_record_keeps_the_map_of_a_model_to_four_digits(results: Path) -> None:
    model = load(results / "models" / "tiny-mvc-0")
    assert isinstance(model, LeNSE)
    record = json.loads(json.dumps(map_record(model)))
    panel = map_panel(record, "a note")
    assert has_map(record)
    assert not has_map({})
    np.testing.assert_allclose(panel.points, model.samples_.points, atol=1e-4)
    np.testing.assert_allclose(panel.goal, model.samples_.goal, atol=1e-4)
    np.testing.assert_array_equal(panel.labels, model.samples_.labels)
    assert (panel.note, tuple(record["cutoffs"])) == ("a note", model.settings_.cutoffs)
