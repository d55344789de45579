"""The one exception a user can cause, and the commonest reason for it: a name that does not exist."""

import difflib
from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


class LenseError(ValueError):
    """Bad input: its text is one sentence that says what is wrong, where, and what to do.

    The command line prints that sentence and exits with status 2.
    """


def choose(name: str, choices: Mapping[str, T], what: str) -> T:
    """``choices[name]``, or an error that lists the names there are and the likeliest one meant."""
    text = str(name)  # the name may come from a file, where it can be anything
    if text == name and text in choices:
        return choices[text]
    close = difflib.get_close_matches(text, choices, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else "."
    raise LenseError(f"There is no {what} called '{text}': choose from {', '.join(choices)}{hint}")
