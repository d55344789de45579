"""What lense notes in the metadata of a Parquet file about the graph in it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lense._util.files import parse_json
from lense.errors import LenseError

KEY = b"lense"
LABELS = "_labels.parquet"
"""The file, in a folder of parts, with the ids of the vertices."""


@dataclass(frozen=True)
class About:
    """``isolated`` are ids that no edge has.

    With ``vertices`` the columns hold vertex numbers, and all of 0..vertices - 1 are there. Their ids are then in the
    file ``labels`` of the same folder, or are the numbers themselves where there is none. ``simple`` says that the
    edges are sorted, without repeats or self-loops; whoever relies on it checks it on the way.
    """

    directed: bool = False
    isolated: list[Any] = field(default_factory=list)
    simple: bool = False
    vertices: int | None = None
    labels: str | None = None

    def metadata(self) -> dict[bytes, str]:
        """For the schema of a table."""
        noted: dict[str, Any] = {"directed": self.directed, "isolated": self.isolated}
        if self.simple:
            noted["simple"] = True
        if self.vertices is not None:
            noted["vertices"] = self.vertices
        if self.labels is not None:
            noted["labels"] = self.labels
        return {KEY: json.dumps(noted)}


def read_about(metadata: Mapping[bytes, bytes] | None, path: object) -> About:
    """What the metadata of the file at ``path`` say; that of files from elsewhere is all defaults."""
    try:
        about = parse_json((metadata or {}).get(KEY, b"{}"))
        found = About(
            directed=about.get("directed", False),
            isolated=about.get("isolated", []),
            simple=about.get("simple", False),
            vertices=about.get("vertices"),
            labels=about.get("labels"),
        )
    except (ValueError, AttributeError) as error:
        raise damaged(path) from error
    kinds = isinstance(found.directed, bool) and isinstance(found.simple, bool) and isinstance(found.isolated, list)
    numbered = type(found.vertices) is int and found.vertices >= 0 and not found.isolated
    if not kinds or found.labels not in (None, LABELS):
        raise damaged(path)
    if not numbered and (found.vertices is not None or found.labels is not None):
        raise damaged(path)
    return found


def damaged(path: object) -> LenseError:
    return LenseError(f"{path} has damaged metadata of lense: write it again.")
