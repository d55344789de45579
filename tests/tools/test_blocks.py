"""The Python blocks of a page are run in order, and a fault in one is reported."""

from pathlib import Path

import pytest

from tools.blocks import blocks, main

PAGE = """# A page

```python
a = 1
```

    lense solve graph.txt

```python
assert a == {}
```
"""


def test_blocks_are_those_marked_as_python(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(1))
    assert blocks(page) == ["a = 1\n", "assert a == 1\n"]


def test_a_fault_is_shown_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(2))
    assert main([str(page)]) == 1
    assert "AssertionError" in capsys.readouterr().out
