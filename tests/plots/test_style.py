"""Figures as files."""

import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from lense.errors import LenseError
from lense.plots import new_figure, save_figure


def drawn() -> Figure:
    figure = new_figure(3, 2)
    figure.add_subplot().plot([1, 2], label="a line")
    figure.legend()
    return figure


@pytest.mark.parametrize(
    ("name", "beginning"),
    [("a.png", b"\x89PNG"), ("a.PNG", b"\x89PNG"), ("b.map.svg", b"<?xml"), ("a.pdf", b"%PDF")],
)
def test_the_name_says_the_format_and_the_bytes_are_the_same_again(name: str, beginning: bytes, tmp_path: Path) -> None:
    written = [save_figure(drawn(), tmp_path / name).read_bytes() for _ in range(2)]
    assert written[0].startswith(beginning)
    assert written[0] == written[1]
    assert b"CreationDate" not in written[0]
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.gif", "a", ".png", "a.png.gz"])
def test_other_names_are_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match=r"cannot be drawn: .* \.png or \.svg or \.pdf\.$"):
        save_figure(drawn(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_no_display_is_ever_looked_for() -> None:
    script = "import sys, lense.plots; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
