"""The map of the labelled samples, as a block."""

from typing import Any

import matplotlib
import numpy as np

from lense._util.types import Float32s, Float64s
from lense.navigation import LeNSE
from lense.plots import GOAL_COLOUR, WALK_COLOUR, class_colours, class_names, turn_of
from lense.report.blocks import Block, rounded


def map_block(model: LeNSE, walks: dict[str, Any] | None = None, link: str = "walk") -> Block:
    """The samples in the colours of :mod:`lense.plots`, in random order so that no class hides another.

    A place of the ``walks`` pointed at is marked in every chart of the same ``link``.
    """
    samples, cutoffs = model.map_.samples, model.map_.cutoffs
    order = np.random.default_rng(0).permutation(samples.labels.size)
    colours = [matplotlib.colors.to_hex(colour) for colour in class_colours(len(cutoffs) + 1)]
    known = set(samples.labels.tolist())
    return {
        "kind": "map",
        "title": "",
        "classes": [
            {"name": name, "colour": colour, "known": number in known}
            for number, (name, colour) in enumerate(zip(class_names(cutoffs), colours, strict=True), start=1)
        ],
        "points": rounded(on_the_map(model, samples.points[order])),
        "labels": samples.labels[order].tolist(),
        "goal": rounded(on_the_map(model, samples.goal)),
        "colours": {"goal": GOAL_COLOUR, "walk": WALK_COLOUR},
        "walks": walks,
        "link": link,
    }


def on_the_map(model: LeNSE, points: Float32s) -> Float64s:
    """Points (..., 2) of the model's picture, turned as in :func:`lense.plots.draw_map`."""
    turned: Float64s = points @ turn_of(model.map_.samples.points, model.map_.samples.goal)
    return turned
