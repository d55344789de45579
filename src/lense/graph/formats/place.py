"""Where in a text file a parser stands, for messages that name the line."""

from dataclasses import dataclass
from pathlib import Path

from lense.errors import LenseError

_LONGEST_EXCERPT = 40


@dataclass
class Place:
    """A file, and the number of the line where the block that is being parsed starts."""

    path: Path
    line: int = 1

    def error(self, block: bytes, at: int, problem: str) -> LenseError:
        """An error about position ``at`` of the current block."""
        line = self.line + block.count(b"\n", 0, at)
        return LenseError(f"{self.path}, line {line}: {problem}")


def excerpt(text: bytes) -> str:
    """A piece of a file that is fit to be shown in a message."""
    shown = "".join(c if c.isprintable() else " " for c in text.decode(errors="replace")).strip()
    return shown if len(shown) <= _LONGEST_EXCERPT else shown[: _LONGEST_EXCERPT - 3] + "..."
