"""The one exception a user can cause, the commonest reason for it (a name that does not exist), and safe text."""

import difflib
import re
from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that control a terminal, reverse the text, or cannot be written."""


def printable(text: str) -> str:
    """Text as one line that a terminal shows as it is: what would control it is escaped, as in ``\\x1b[31m``."""
    return _UNSAFE.sub(lambda found: " " if found[0].isspace() else ascii(found[0])[1:-1], text)


class LenseError(ValueError):
    """Bad input: its text is one sentence that says what is wrong, where, and what to do.

    The command line prints that sentence and exits with status 2. What it quotes from files cannot control a terminal.

    Parameters
    ----------
    sentence
        The text; control characters in it are escaped.

    Examples
    --------
    >>> import lense
    >>> lense.get_problem("mcv")
    Traceback (most recent call last):
    lense.errors.LenseError: There is no problem called 'mcv': choose from ...; did you mean 'mvc'?
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(printable(sentence))


def choose(name: str, choices: Mapping[str, T], what: str) -> T:
    """``choices[name]``, or an error that lists the names there are and the likeliest one meant."""
    text = str(name)  # the name may come from a file, where it can be anything
    if text == name and text in choices:
        return choices[text]
    close = difflib.get_close_matches(text, choices, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else "."
    raise LenseError(f"There is no {what} called '{text}': choose from {', '.join(choices)}{hint}")
