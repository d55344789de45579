"""Several users of one page at once; ``make faults`` takes eight for ten minutes."""

import sys
from pathlib import Path

import pytest

from tests.app.load import load


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc, which is Linux's")
def test_two_users_at_once_get_what_they_ask_for(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert load(5, 2, tmp_path) == []
    assert "2 users, 5 s: " in capfd.readouterr().out
