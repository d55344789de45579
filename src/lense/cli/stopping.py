"""How a command is stopped from outside: by Ctrl-C, or by SIGTERM, within a second, and with a line about going on."""

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_PATIENCE = 0.7
"""Seconds that a command has to tidy up before it is ended."""
_STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}
_GOES_ON = "; the same command goes on where this ended"
_state = {"signal": signal.SIGINT, "goes_on": False, "lost": False}


def can_go_on() -> None:
    """Say, should the command be stopped from here on, that it can be continued."""
    _state["goes_on"] = True


def was_lost() -> bool:
    """Whether an interrupt was raised where nobody could hear it, so that what failed later failed for that."""
    return bool(_state["lost"])


def stop() -> NoReturn:
    """End this process at once: a solver that has not heard yet would abort it while the interpreter shuts down."""
    line = f"lense: stopped{_GOES_ON if _state['goes_on'] else ''}"
    print(line, file=sys.stderr, flush=True)
    sys.stdout.flush()
    os._exit(_STATUS[signal.Signals(_state["signal"])])


@contextmanager
def stoppable() -> Iterator[None]:
    """Let both signals end the command: as an exception, and where that is not heard in time, without asking.

    Compiled code hears of no exception. So a thread waits for what the interpreter writes when a signal arrives.
    """
    _state.update(signal=signal.SIGINT, goes_on=False, lost=False)
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, written = socket.socketpair()
    written.setblocking(False)
    before = signal.signal(signal.SIGTERM, _interrupt)
    usual, sys.unraisablehook = sys.unraisablehook, _lose
    earlier = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(heard,), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(earlier)
        sys.unraisablehook = usual
        signal.signal(signal.SIGTERM, before)
        written.close()


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    _state["signal"] = number
    raise KeyboardInterrupt


def _lose(lost: "UnraisableHookArgs") -> None:
    """Say nothing of an interrupt that came while a compiler called back, which can raise nothing."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _state["lost"] = True
    else:
        sys.__unraisablehook__(lost)


def _watch(heard: socket.socket) -> None:
    with heard:
        while number := heard.recv(1):
            if number[0] in _STATUS:
                _state["signal"] = number[0]
                time.sleep(_PATIENCE)
                stop()
