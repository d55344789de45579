"""What a signal does before the command line has loaded, when there is nothing to tidy up."""

import os


def stop_at_once(number: int, _frame: object) -> None:
    """End this process with one line."""
    os.write(2, b"lense: stopped\n")
    os._exit(128 + number)
