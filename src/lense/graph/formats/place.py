"""Where in a text file a parser stands, for messages that name the line; and the comments at the top of a file."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lense._util.jit import kernel
from lense.errors import LenseError, printable

_LONGEST_EXCERPT = 40
_LINE_FEED, _SPACE, _HASH, _PERCENT = (ord(c) for c in "\n #%")
_ALWAYS_ALLOWED, _LEAST_BYTES = 10_000, 4
"""Comments that say something are written for many vertices each: there are few, or one in so many bytes on disk."""

Comment = tuple[int, bytes]
"""The number of a line and its text."""


@dataclass
class Place:
    """A file, and the number of the line where the block that is being parsed starts."""

    path: Path
    line: int = 1

    def error(self, block: bytes, at: int, problem: str) -> LenseError:
        """An error about position ``at`` of the current block."""
        line = self.line + block.count(b"\n", 0, at)
        return LenseError(f"{self.path}, line {line}: {problem}")


@kernel
def _first_data_line(text: NDArray[np.uint8], at: int, hash_starts_comment: bool) -> int:
    """The start of the first line from ``at`` on that is neither blank nor a comment, or the end of the text."""
    while at < text.size:
        line = at
        while text[at] <= _SPACE and text[at] != _LINE_FEED:
            at += 1
        if text[at] != _LINE_FEED and text[at] != _PERCENT and not (hash_starts_comment and text[at] == _HASH):
            return line
        while text[at] != _LINE_FEED:
            at += 1
        at += 1
    return at


def read_comments(
    blocks: Iterator[bytes], place: Place, wanted: re.Pattern[bytes], *, hash_starts_comment: bool = False
) -> tuple[list[Comment], bytes]:
    """The comments before the first line of data in which ``wanted`` occurs, and the block from that line on.

    ``wanted`` is looked for in lower case. ``place`` moves to the line of data.
    """
    comments: list[Comment] = []
    most = _ALWAYS_ALLOWED + place.path.stat().st_size // _LEAST_BYTES if place.path.is_file() else None
    for block in blocks:
        start = len(codecs.BOM_UTF8) if place.line == 1 and block.startswith(codecs.BOM_UTF8) else 0
        end = _first_data_line(np.frombuffer(block, np.uint8), start, hash_starts_comment)
        lower, at = block[:end].lower(), start
        while found := wanted.search(lower, at):
            first = block.rfind(b"\n", at, found.start()) + 1 or at
            place.line += block.count(b"\n", at, first)
            at = block.index(b"\n", first) + 1
            comments.append((place.line, block[first:at]))
            place.line += 1
            if most is not None and len(comments) > most:
                raise LenseError(
                    f"{place.path} has more comments about the graph than one of its size: write it again."
                )
        place.line += block.count(b"\n", at, end)
        if end < len(block):
            return comments, block[end:]
    return comments, b""


def excerpt(text: bytes) -> str:
    """A piece of a file that is fit to be shown in a message."""
    shown = printable(text.decode(errors="replace")).strip()
    return shown if len(shown) <= _LONGEST_EXCERPT else shown[: _LONGEST_EXCERPT - 3] + "..."
