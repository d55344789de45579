"""All pruners on all graphs at once."""

import numpy as np

from lense.plots.overview import draw_overview, front_of, means_of

POINTS = {"core": [(0.9, 1.0), (0.7, 0.98)], "lense": [(0.6, 0.97)], "random": [(0.95, 0.3)]}


def test_means_are_over_graphs_and_the_front_is_of_those_that_none_beats() -> None:
    means = means_of(POINTS)
    assert np.allclose(means["core"], (0.8, 0.99))
    assert front_of(means) == ["core", "random"]
    assert front_of({"a": (0.8, 0.9999), "b": (0.7, 1.0)}) == ["a"]  # equal to three digits


def test_each_problem_has_a_panel_and_those_on_the_front_their_names() -> None:
    figure = draw_overview({"mvc": POINTS, "im": {"lense": [(0.5, 0.9)]}}, {"mvc": 2, "im": 1})
    mvc, im = figure.axes
    assert (mvc.get_title(loc="left"), im.get_title(loc="left")) == ("mvc, 2 graphs", "im, 1 graph")
    assert [text.get_text() for text in mvc.texts] == ["core", "random"]
    assert [text.get_text() for text in im.texts] == ["lense"]
    names = [key.get_label() for key in figure.legends[0].get_lines()]
    assert names == ["lense", "core", "random", "front"]
    drawn = [np.asarray(line.get_xydata()).tolist() for line in mvc.lines]
    assert [[0.9, 1.0], [0.7, 0.98]] in drawn
    assert [[0.95, 0.5]] in drawn  # a ratio below the lower edge stands there
