"""The summary of skipped tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import skips
from tests.skips import summary


def test_skipped_tests_are_grouped_by_their_reason() -> None:
    skipped = [("b.py", "Skipped: Do that."), ("a.py", "Do this."), ("c.py", "Skipped: Do that."), ("b.py", "Do that.")]
    assert summary(skipped) == ["3 tests in b.py, c.py: Do that.", "1 test in a.py: Do this."]
    assert summary([]) == []


def test_a_run_ends_with_the_summary_of_what_was_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LENSE_DATA", raising=False)
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "pytest", "-q", "tests/problems/test_im.py", "-k", "celf_on_wiki"]
    out = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True).stdout
    assert "skipped tests" in out
    assert f"1 test in tests/problems/test_im.py: {skips.NO_DATA}" in out
