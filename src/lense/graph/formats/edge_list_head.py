"""The top of an edge list: what its comments say, and what its first lines show of the columns and ids."""

import codecs
import io
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from lense.errors import LenseError
from lense.graph.formats.options import ReadOptions
from lense.graph.formats.place import Place, excerpt
from lense.graph.formats.tokens import split_lines

log = logging.getLogger(__name__)

ISOLATED = "Isolated:"
STRING_IDS = "Ids: str"
KEPT_REPEATS, KEPT_LOOPS = "Kept: repeated edges", "Kept: self loops"

_DIRECTION = re.compile(r"(un)?directed graph\b|.*\((un)?directed\b|(?P<konect>a?sym)\b", re.IGNORECASE)
_INTEGER = re.compile(rb"[+-]?\d+")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_COLUMN_NAMES = ([b"source", b"target"], [b"src", b"dst"], [b"from", b"to"])
_MOST_FIELDS = 16


@dataclass
class Head:
    """What the comments at the top say; ``isolated`` holds pairs of a line's number and the ids in it."""

    directed: bool | None = None
    string_ids: bool = False
    duplicates_kept: bool = False
    self_loops_kept: bool = False
    isolated: list[tuple[int, bytes]] = field(default_factory=list)

    def note(self, comment: bytes, line: int) -> None:
        """Take in one comment; of several that tell the direction the first counts."""
        text = comment.decode(errors="replace").strip().lstrip("#% \t")
        if text.startswith(ISOLATED):
            self.isolated.append((line, text.removeprefix(ISOLATED).encode()))
        elif text == STRING_IDS:
            self.string_ids = True
        elif text == KEPT_REPEATS:
            self.duplicates_kept = True
        elif text == KEPT_LOOPS:
            self.self_loops_kept = True
        elif self.directed is None and (found := _DIRECTION.match(text)):
            self.directed = found["konect"].lower() == "asym" if found["konect"] else not (found[1] or found[2])


@dataclass(frozen=True)
class Layout:
    """The columns to read, and whether the ids are strings; the first ``skip`` bytes name the columns."""

    columns: int
    string_ids: bool
    ignore_rest: bool
    skip: int


def read_head(blocks: Iterator[bytes], place: Place) -> tuple[Head, bytes]:
    """The head, and the rest of the block of text where the edges start."""
    head = Head()
    for block in blocks:
        at = len(codecs.BOM_UTF8) if place.line == 1 and block.startswith(codecs.BOM_UTF8) else 0
        while at < len(block):
            end = block.index(b"\n", at) + 1
            if _is_data(block[at:end]):
                return head, block[at:]
            head.note(block[at:end], place.line)
            place.line += 1
            at = end
    return head, b""


def find_layout(text: bytes, head: Head, options: ReadOptions, place: Place) -> Layout:
    """What the first two lines of ``text`` that are no comments show, and what the options make of it."""
    lines = list(islice(filter(_is_data, io.BytesIO(text)), 2))
    if not lines:
        return Layout(columns=2, string_ids=head.string_ids, ignore_rest=False, skip=0)
    rows = [_fields(line) for line in lines]
    skip = 0
    if len(rows) == 2 and not head.string_ids and _names_columns(*rows, ids_are_text=options.ids == "str"):
        shown = lines.pop(0).decode(errors="replace").strip()
        log.info("%s, line %d: '%s' is taken for the names of the columns", place.path, place.line, shown)
        skip = text.index(b"\n") + 1
        del rows[0]
    look_like_text = head.string_ids or not _are_integers(rows[0][:2])
    string_ids = look_like_text if options.ids == "auto" else options.ids == "str"
    return Layout(_columns(rows[0], lines[0], options, place), string_ids, options.weights is False, skip)


def _columns(row: list[bytes], line: bytes, options: ReadOptions, place: Place) -> int:
    if options.weights is False and len(row) >= 2:
        return 2
    if options.weights and len(row) == 2:
        raise LenseError(f"{place.path} has no third column, so no weights: read it without weights=True.")
    if len(row) not in (2, 3):
        hint = " (weights=False (--no-weights) ignores the other columns)" if len(row) > 3 else ""
        problem = f"an edge is two ids and perhaps a weight{hint}, but this line reads '{excerpt(line)}'."
        raise place.error(b"", 0, problem)
    return len(row)


def _is_data(line: bytes) -> bool:
    return not line.strip().startswith((b"#", b"%")) and not line.isspace()


def _fields(line: bytes) -> list[bytes]:
    """The fields of one line; none where one is empty."""
    text = np.frombuffer(line, np.uint8)
    for columns in range(1, _MOST_FIELDS):
        starts, stops = np.empty((columns, 1), np.int32), np.empty((columns, 1), np.int32)
        if split_lines(text, columns, False, starts, stops)[1]:
            return [line[a:b] for a, b in zip(starts[:, 0], stops[:, 0], strict=True)]
    return []


def _names_columns(first: list[bytes], second: list[bytes], *, ids_are_text: bool) -> bool:
    """Whether the first row holds names and the second an edge."""
    if _are_integers(first[:2]):
        return False
    if not ids_are_text and _are_integers(second[:2]):
        return True
    weighted = len(first) == len(second) == 3 and bool(_NUMBER.fullmatch(second[2]))
    return [name.lower() for name in first[:2]] in _COLUMN_NAMES or (weighted and not _NUMBER.fullmatch(first[2]))


def _are_integers(fields: list[bytes]) -> bool:
    return len(fields) == 2 and all(_INTEGER.fullmatch(text) for text in fields)
