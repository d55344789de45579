from pathlib import Path

import numpy as np

from benchmarks.growth_plot import NAME_SPACING, Curve, draw, name_heights


def test_names_keep_their_order_and_their_distance() -> None:
    heights = np.log10(name_heights([100.0, 1.0, 101.0, 1e6]))
    assert np.argsort(heights).tolist() == [1, 0, 2, 3]
    assert np.diff(np.sort(heights)).min() >= NAME_SPACING - 1e-9


def test_names_with_room_stand_level_with_their_curves() -> None:
    np.testing.assert_allclose(name_heights([1.0, 1e4, 1e2]), [1.0, 1e4, 1e2])


def test_the_picture_is_a_png(tmp_path: Path) -> None:
    path = tmp_path / "growth.png"
    draw([Curve("one pass", [1e5, 1e6], [1.0, 10.0]), Curve("solving", [1e5, 1e6], [5.0, 60.0])], ["one pass"], path)
    assert path.read_bytes().startswith(b"\x89PNG")
