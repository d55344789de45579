"""Maps as records keep them, so that whoever has the results can draw them without the models."""

from typing import TYPE_CHECKING

import numpy as np

from lense.experiments.store import Record
from lense.types import Float32s

if TYPE_CHECKING:
    from lense.plots import MapPanel
    from lense.pruners import LeNSE

_DECIMALS = 4


def map_record(model: "LeNSE") -> Record:
    """The labelled samples (N, 2) and the goal (2) on the map of a model, and what tells their classes apart."""
    samples = model.samples_
    return {
        "cutoffs": list(model.settings_.cutoffs),
        "labels": samples.labels.tolist(),
        "points": rounded(samples.points),
        "goal": rounded(samples.goal),
    }


def has_map(record: Record) -> bool:
    """Whether a record keeps a map."""
    return "points" in record


def map_panel(record: Record, note: str = "") -> "MapPanel":
    """The map that a record keeps, as one panel of a figure."""
    from lense.plots import MapPanel

    points, labels, goal = (np.array(record[name]) for name in ("points", "labels", "goal"))
    return MapPanel(points, labels, goal, note)


def rounded(array: Float32s) -> list[object]:
    """Nested lists of numbers to as many digits as a figure can show."""
    shown: list[object] = np.round(array.astype(float), _DECIMALS).tolist()
    return shown
