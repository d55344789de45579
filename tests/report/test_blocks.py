"""The pieces of a page; and the page as a file, whole in itself and safe from the names in it."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.report import write_page
from lense.report.blocks import rounded
from tests.report.pages import HOSTILE, data_of

EMPTY = {"title": "", "lead": "", "sections": []}


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_drawn_numbers_keep_three_digits_of_the_largest(values: list[float]) -> None:
    largest = max(map(abs, values))
    assert np.abs(np.array(rounded(np.array(values))) - values).max() <= 1e-3 * largest + 1e-12
    assert rounded(np.array([1.5, np.nan])) == [1.5, None]


@settings(deadline=None, max_examples=50)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r")) | st.just(HOSTILE))
def test_whatever_a_text_holds_it_is_data_and_no_markup(text: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        write_page(path, {"title": text, "lead": text, "sections": []})
        assert data_of(path) == {"title": text, "lead": text, "sections": []}
        assert path.read_text().count("</script>") == 2


def test_a_page_asks_nothing_of_the_network(tmp_path: Path) -> None:
    write_page(tmp_path / "page.html", EMPTY)
    text = (tmp_path / "page.html").read_text()
    assert not re.findall(r"https?:|@import|url\(|\bsrc=|<link", text)
    assert not re.findall(r"""["'(=]\s*//""", text)
    assert "default-src 'none'" in text


def test_a_page_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(LenseError, match="cannot be written"):
        write_page(tmp_path / "folder", EMPTY)
    with pytest.raises(LenseError, match="no folder"):
        write_page(tmp_path / "nowhere" / "page.html", EMPTY)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
