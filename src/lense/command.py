"""The start of the command ``lense``: signals end it quietly before anything that takes time is loaded."""

import _signal  # type: ignore[import-not-found]  # signal loads enum, which takes milliseconds
import os


def main() -> None:
    """Run the command line of this process."""
    for number in (_signal.SIGINT, _signal.SIGTERM):
        if _signal.getsignal(number) in (_signal.default_int_handler, _signal.SIG_DFL):
            _signal.signal(number, _stop_at_once)
    from lense.cli import main as run

    run()


def _stop_at_once(number: int, _frame: object) -> None:
    """End this process with one line; nothing has to be tidied up yet."""
    os.write(2, b"lense: stopped\n")
    os._exit(128 + number)
