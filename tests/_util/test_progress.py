"""Progress: what the library reports, and the bars that the command line shows of it."""

import io
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from rich.progress import Task

from lense._util.progress import ProgressBars, ProgressLines, progress, reporting_to
from lense.cli.session import session
from tests.waiting import wait_until


@pytest.fixture
def bars() -> Iterator[ProgressBars]:
    """Bars that appear after 10 ms."""
    bars = ProgressBars()
    bars.delay = 0.01
    yield bars
    assert bars._display is None  # it goes with the last task


def shown(bars: ProgressBars, count: int) -> list[Task]:
    """The bars in view, once there are ``count`` of them."""
    wait_until(lambda: bars._display is not None and len(bars._display.tasks) == count)
    assert bars._display is not None
    return bars._display.tasks


def test_a_note_stands_beside_the_bar_until_the_next(bars: ProgressBars) -> None:
    with bars.task("learning", 10) as advance:
        seen = []
        for note in ("loss 0.9", "", "loss 0.8"):
            advance(1, note)
            (task,) = shown(bars, 1)
            seen.append((task.completed, task.fields["note"]))
    assert seen == [(1, "loss 0.9"), (2, "loss 0.9"), (3, "loss 0.8")]


def test_a_task_within_a_task_stands_indented_below_it_and_goes_first(bars: ProgressBars) -> None:
    with bars.task("learning", 10):
        shown(bars, 1)
        with bars.task("looking", 5) as advance:
            advance(2)
            outer, inner = shown(bars, 2)
            assert (outer.description, inner.description) == ("learning", "  looking")
            assert (outer.completed, inner.completed) == (0, 2)
        assert [task.description for task in shown(bars, 1)] == ["learning"]
        with bars.task("looking again", 5):
            assert shown(bars, 2)[1].description == "  looking again"


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
    with a_terminal() as terminal, session(), progress("learning [/b].txt", 4) as advance:
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
    with a_terminal() as terminal, session(quiet=True), progress("learning", 4) as advance:
        advance(1, "loss 0.5")
        time.sleep(0.1)
    assert terminal.getvalue() == ""


class TestLines:
    """What a pipe gets."""

    @pytest.fixture
    def lines(self, monkeypatch: pytest.MonkeyPatch) -> ProgressLines:
        monkeypatch.setattr(ProgressLines, "every", 0.0)
        return ProgressLines()

    def test_a_line_says_the_share_the_time_left_and_the_note(
        self, lines: ProgressLines, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with reporting_to(lines.task), progress("training", 4) as advance, progress("an epoch") as inner:
            advance(1, "loss 0.5")
            inner(3)
        said = capfd.readouterr().err.splitlines()
        assert said == ["lense: training 25%, about 0 s left; an epoch (loss 0.5)"] * 2


class TestFromPython:
    """What is shown where nobody named a listener."""

    def test_the_environment_turns_it_off(
        self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(ProgressLines, "every", 0.0)
        for off in (False, True):
            monkeypatch.setenv("LENSE_PROGRESS", "0" if off else "1")
            with progress("work", 2) as advance:
                advance(1)
            assert bool(capfd.readouterr().err) is not off
