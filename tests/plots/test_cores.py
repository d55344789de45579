"""Targets met against the confidence."""

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer

from lense.plots.cores import draw_reliability


def test_cases_of_about_the_same_confidence_share_a_mark_with_their_number_and_wilsons_interval() -> None:
    cases = [(0.91, True), (0.93, False), *[(0.5, True)] * 10]
    (axes,) = draw_reliability({"mvc": cases}).axes
    bars = [bar for bar in axes.containers if isinstance(bar, ErrorbarContainer)]
    places = [bar.lines[0].get_xydata() for bar in bars]
    assert np.concatenate(places) == pytest.approx(np.array([[0.5, 1.0], [0.92, 0.5]]))
    assert [text.get_text() for text in axes.texts] == ["10", "2"]
    spans = np.concatenate([bar.lines[2][0].get_segments() for bar in bars])[:, :, 1]
    assert spans == pytest.approx(np.array([[0.7225, 1.0], [0.0945, 0.9055]]), abs=1e-3)
