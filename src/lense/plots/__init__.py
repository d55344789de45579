"""Pictures: maps, walks across them, and curves of the training; their common style, and how they become files."""

from lense.plots.maps import class_names, draw_map, draw_maps, draw_training, draw_walks
from lense.plots.style import STYLE, new_figure, save_figure

__all__ = [
    "STYLE",
    "class_names",
    "draw_map",
    "draw_maps",
    "draw_training",
    "draw_walks",
    "new_figure",
    "save_figure",
]
