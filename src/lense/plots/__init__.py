"""Pictures: maps, walks across them, and curves of the training; their common style, and how they become files."""

from lense.plots.maps import (
    GOAL_COLOUR,
    WALK_COLOUR,
    class_colours,
    class_names,
    draw_map,
    draw_maps,
    draw_training,
    draw_walks,
    turn_of,
)
from lense.plots.style import STYLE, new_figure, save_figure

__all__ = [
    "GOAL_COLOUR",
    "STYLE",
    "WALK_COLOUR",
    "class_colours",
    "class_names",
    "draw_map",
    "draw_maps",
    "draw_training",
    "draw_walks",
    "new_figure",
    "save_figure",
    "turn_of",
]
