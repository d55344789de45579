"""The page as a file: whole in itself, and safe from the names in it."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.report import write_page
from tests.report.pages import data_of

HOSTILE = "</script><script>throw 1</script><!--<img src=x onerror=alert(1)>$data & \u2028"


@settings(deadline=None, max_examples=50)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r")) | st.just(HOSTILE))
def test_whatever_a_text_holds_it_is_data_and_no_markup(text: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        write_page(path, {"title": text, "lead": text, "sections": []})
        assert data_of(path) == {"title": text, "lead": text, "sections": []}
        assert path.read_text().count("</script>") == 2


def test_a_page_asks_nothing_of_the_network(tmp_path: Path) -> None:
    write_page(tmp_path / "page.html", {"title": "", "lead": "", "sections": []})
    text = (tmp_path / "page.html").read_text()
    assert not re.findall(r"https?:|@import|url\(|\bsrc=|<link", text)
    assert not re.findall(r"""["'(=]\s*//""", text)
    assert "default-src 'none'" in text


def test_a_page_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(LenseError, match="cannot be written"):
        write_page(tmp_path / "folder", {"title": "", "lead": "", "sections": []})
    with pytest.raises(LenseError, match="no folder"):
        write_page(tmp_path / "nowhere" / "page.html", {"title": "", "lead": "", "sections": []})
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
