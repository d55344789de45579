"""What the tests of every format need."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lense.errors import LenseError
from lense.graph import read_graph

WriteFile = Callable[[str, str], Path]
Refusal = Callable[..., str]


@pytest.fixture
def write_file(tmp_path: Path) -> WriteFile:
    """A function that writes a text under a name and returns the path."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return write


@pytest.fixture
def refusal(write_file: WriteFile) -> Refusal:
    """A function that reads a text under a name, and returns why it is not a graph, without the folder's name."""

    def said(name: str, text: str, **options: Any) -> str:
        path = write_file(name, text)
        with pytest.raises(LenseError) as caught:
            read_graph(path, **options)
        sentence = str(caught.value).replace(f"{path.parent}/", "")
        assert sentence.endswith((".", "?"))
        assert "\n" not in sentence
        assert ". " not in sentence
        return sentence

    return said
