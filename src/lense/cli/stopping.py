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
_STOPPING = (signal.SIGINT, signal.SIGTERM)
_state: dict[str, int] = {"signal": 0, "goes_on": False}
"""The signal that arrived, 0 before one does; and whether the command can be continued."""


def can_go_on() -> None:
    """Say, should the command be stopped from here on, that it can be continued."""
    _state["goes_on"] = True


def stop() -> NoReturn:
    """End this process at once: a solver that has not heard yet would abort it while the interpreter shuts down."""
    goes_on = "; the same command goes on where this ended" if _state["goes_on"] else ""
    print(f"lense: stopped{goes_on}", file=sys.stderr, flush=True)
    sys.stdout.flush()
    os._exit(128 + (_state["signal"] or signal.SIGINT))


@contextmanager
def stoppable() -> Iterator[None]:
    """Let both signals end the command: as an exception, and where that is not heard in time, without asking.

    Compiled code hears of no exception. So a thread waits for what the interpreter writes when a signal arrives. And an
    exception that passes through a kernel or a compiler comes out as one of theirs, or is lost in a callback and makes
    something else fail: whatever fails once a signal has arrived is taken for that signal.
    """
    _state.update(signal=0, goes_on=False)
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, written = socket.socketpair()
    written.setblocking(False)
    # a shell has signals ignored for a command in the background
    heeded = [number for number in _STOPPING if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, _interrupt) for number in heeded}
    usual, sys.unraisablehook = sys.unraisablehook, _lose
    earlier = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(heard,), daemon=True).start()
    try:
        yield
    except BaseException:
        if _state["signal"]:
            stop()
        raise
    finally:
        signal.set_wakeup_fd(earlier)
        sys.unraisablehook = usual
        for number, handler in before.items():
            signal.signal(number, handler)
        written.close()


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    _state["signal"] = number
    raise KeyboardInterrupt


def _lose(lost: "UnraisableHookArgs") -> None:
    """Say nothing of an interrupt that came while a compiler called back, which can raise nothing."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)


def _watch(heard: socket.socket) -> None:
    with heard:
        while number := heard.recv(1):
            if number[0] in _STOPPING:
                _state["signal"] = number[0]
                time.sleep(_PATIENCE)
                stop()
