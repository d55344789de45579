"""The top of an edge list: what its comments say."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lense.graph.formats.edge_list_layout import SAMPLE, is_data
from lense.graph.formats.place import Place, skip_blank_lines

ISOLATED = "Isolated:"
STRING_IDS = "Ids: str"
KEPT_REPEATS, KEPT_LOOPS = "Kept: repeated edges", "Kept: self loops"

_DIRECTION = re.compile(r"(un)?directed graph\b|.*\((un)?directed\b|(?P<konect>a?sym)\b", re.IGNORECASE)


@dataclass
class Head:
    """What the comments at the top say; ``isolated`` holds pairs of a line's number and the ids in it."""

    directed: bool | None = None
    string_ids: bool = False
    duplicates_kept: bool = False
    self_loops_kept: bool = False
    isolated: list[tuple[int, bytes]] = field(default_factory=list)

    def note(self, comment: bytes, line: int) -> None:
        """Take in one comment; of several that give the direction the first counts."""
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


def read_head(blocks: Iterator[bytes], place: Place) -> tuple[Head, bytes]:
    """The head, and text from where the edges start: enough of it to find the layout, if there is enough."""
    head = Head()
    for block in blocks:
        at = len(codecs.BOM_UTF8) if place.line == 1 and block.startswith(codecs.BOM_UTF8) else 0
        while (at := skip_blank_lines(block, at, place)) < len(block):
            end = block.index(b"\n", at) + 1
            if is_data(block[at:end]):
                text = block[at:]
                return head, text if text.count(b"\n") >= SAMPLE else text + next(blocks, b"")
            head.note(block[at:end], place.line)
            place.line += 1
            at = end
    return head, b""
