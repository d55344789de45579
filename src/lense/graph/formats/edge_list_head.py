"""The top of an edge list: what its comments say."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lense.graph.formats.edge_list_layout import SAMPLE
from lense.graph.formats.place import Place, read_comments

ISOLATED = "Isolated:"
STRING_IDS = "Ids: str"
KEPT_REPEATS, KEPT_LOOPS = "Kept: repeated edges", "Kept: self loops"

_DIRECTION = re.compile(r"(un)?directed graph\b|.*\((un)?directed\b|(?P<konect>a?sym)\b", re.IGNORECASE)

_WANTED = re.compile(rb"isolated:|ids: str|kept: |directed|sym")


@dataclass
class Head:
    """What the comments at the top say; ``isolated`` are lists of ids, the first of them in line ``isolated_line``."""

    directed: bool | None = None
    string_ids: bool = False
    duplicates_kept: bool = False
    self_loops_kept: bool = False
    isolated: list[bytes] = field(default_factory=list)
    isolated_line: int = 0

    def note(self, comment: bytes, line: int) -> None:
        """Take in one comment; of several that give the direction the first counts."""
        said = comment.strip(b" \t\r\n").lstrip(b"#% \t")
        text = said.decode(errors="replace")
        if text.startswith(ISOLATED):
            self.isolated_line = self.isolated_line or line
            self.isolated.append(said.removeprefix(ISOLATED.encode()))
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
    comments, text = read_comments(blocks, place, _WANTED, hash_starts_comment=True)
    head = Head()
    for line, comment in comments:
        head.note(comment, line)
    return head, text if text.count(b"\n") >= SAMPLE else text + next(blocks, b"")
