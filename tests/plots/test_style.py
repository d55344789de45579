"""Figures as bytes and as files."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lense.errors import LenseError
from lense.plots import as_image, draw_walks, save_figure
from tests.plots.drawn import case, map_of


def test_an_image_is_bytes_with_three_colours() -> None:
    figure = map_of(case())
    image = as_image(figure)
    width, height = (figure.get_size_inches() * figure.dpi).round().astype(int)
    assert image.dtype == np.uint8
    assert image.shape == (height, width, 3)
    assert image.max() == 255 > image.min()


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("a.png", b"\x89PNG"),
        ("a.PNG", b"\x89PNG"),
        ("a.svg", b"<?xml"),
        ("b.map.svg", b"<?xml"),
        ("a.pdf", b"%PDF"),
    ],
)
def test_the_name_says_the_format_and_the_bytes_are_the_same_again(name: str, beginning: bytes, tmp_path: Path) -> None:
    written = []
    for _ in range(2):
        save_figure(draw_walks(*case()), tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0].startswith(beginning)
    assert written[0] == written[1]
    assert b"CreationDate" not in written[0]
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.gif", "a", ".png", "a.png.gz"])
def test_other_names_are_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match=r"cannot be drawn: .* \.png or \.svg or \.pdf\.$"):
        save_figure(map_of(case()), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_drawing_leaves_the_old_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"old")
    figure = map_of(case())
    figure.set_size_inches(1e6, 1e6)
    with pytest.raises((ValueError, MemoryError)):
        save_figure(figure, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_no_display_is_ever_looked_for() -> None:
    script = "import sys, lense.plots; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
