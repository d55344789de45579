"""Where in a text file a parser stands, for messages that name the line."""

import re
from dataclasses import dataclass
from pathlib import Path

from lense.errors import LenseError

_LONGEST_EXCERPT = 40
_NOT_BLANK = re.compile(rb"[^ \t\r\n\v\f]")


@dataclass
class Place:
    """A file, and the number of the line where the block that is being parsed starts."""

    path: Path
    line: int = 1

    def error(self, block: bytes, at: int, problem: str) -> LenseError:
        """An error about position ``at`` of the current block."""
        line = self.line + block.count(b"\n", 0, at)
        return LenseError(f"{self.path}, line {line}: {problem}")


def skip_blank_lines(block: bytes, at: int, place: Place) -> int:
    """The start of the first line from ``at`` on that is not blank, or the end of the block; ``place`` moves there."""
    found = _NOT_BLANK.search(block, at)
    start = len(block) if found is None else block.rfind(b"\n", at, found.start()) + 1 or at
    place.line += block.count(b"\n", at, start)
    return start


def excerpt(text: bytes) -> str:
    """A piece of a file that is fit to be shown in a message."""
    shown = "".join(c if c.isprintable() else " " for c in text.decode(errors="replace")).strip()
    return shown if len(shown) <= _LONGEST_EXCERPT else shown[: _LONGEST_EXCERPT - 3] + "..."
