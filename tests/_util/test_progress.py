"""Progress: what the library reports, and the bars that the command line shows of it."""

import io
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lense._util.progress import ProgressBars, ProgressLines, progress, reporting_to
from lense.cli.options import Running
from tests.waiting import wait_until


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def a_terminal() -> Iterator[Terminal]:
    """The standard error stream as a terminal of 80 columns, where bars appear after 10 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", Terminal())
        patch.setattr(ProgressBars, "delay", 0.01)
        for name, value in {"TERM": "xterm", "COLUMNS": "80", "LINES": "25", "LENSE_PROGRESS": "1"}.items():
            patch.setenv(name, value)
        yield sys.stderr  # type: ignore[misc]


def drawn(terminal: Terminal, text: str) -> str:
    """The frame that first held ``text``, once it has been drawn."""
    wait_until(lambda: text in terminal.getvalue())
    return next(frame for frame in terminal.getvalue().split("\x1b[2K") if text in frame)


def test_logs_stand_above_the_bars_and_results_in_a_pipe_stay_there(capsys: pytest.CaptureFixture[str]) -> None:
    with a_terminal() as terminal, Running().session(), progress("learning [/b].txt", 4) as advance:
        advance(1, "a [note] with far more words than ever fit beside a bar")
        frame = drawn(terminal, "a [note]")
        assert "learning [/b].txt" in frame
        assert " 25%" in frame
        assert "\n" not in frame
        logging.getLogger("lense.test").warning("something to know")
        assert drawn(terminal, "something to know").startswith("lense: something to know\n")
        print("the result")
    assert capsys.readouterr().out == "the result\n"


def test_quiet_shows_no_bars() -> None:
    with a_terminal() as terminal, Running(quiet=True).session(), progress("learning", 4) as advance:
        advance(1, "loss 0.5")
        time.sleep(0.1)
    assert terminal.getvalue() == ""


def test_a_task_within_a_task_stands_indented_below_it_and_goes_first() -> None:
    with a_terminal() as terminal, progress("learning", 10) as advance:
        advance(1, "loss 0.9")
        with progress("looking", 5) as inner:
            inner(2)
            assert drawn(terminal, "  looking").index("learning") < drawn(terminal, "  looking").index("looking")
        advance(1)
        frame = drawn(terminal, " 20%")
        assert "loss 0.9" in frame
        assert "looking" not in frame


def test_a_line_says_the_share_the_time_left_and_the_note(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProgressLines, "every", 0.0)
    with reporting_to(ProgressLines().task), progress("training", 4) as advance, progress("an epoch") as inner:
        advance(1, "loss 0.5")
        inner(3)
    said = capfd.readouterr().err.splitlines()
    assert said == ["lense: training 25%, about 0 s left; an epoch (loss 0.5)"] * 2


def test_the_environment_turns_it_off(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(ProgressLines, "every", 0.0)
    for off in (False, True):
        monkeypatch.setenv("LENSE_PROGRESS", "0" if off else "1")
        with progress("work", 2) as advance:
            advance(1)
        assert bool(capfd.readouterr().err) is not off
