"""What lense notes in the metadata of a Parquet file about the graph in it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lense.errors import LenseError
from lense.files import parse_json

KEY = b"lense"


@dataclass(frozen=True)
class About:
    """``isolated`` are ids that no edge has. ``simple`` means that the edges are sorted, without repeats or self loops.

    With ``vertices`` the columns hold vertex numbers, and all of 0..vertices - 1 are there. Their ids are then in the
    file ``labels`` of the same folder, or are the numbers themselves where there is none.
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
    if not kinds or not _is_count(found.vertices) or not _is_name(found.labels):
        raise damaged(path)
    return found


def damaged(path: object) -> LenseError:
    return LenseError(f"{path} has damaged metadata of lense: write it again.")


def _is_count(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)


def _is_name(value: object) -> bool:
    """Whether it names a file of the same folder, or is None."""
    return value is None or (
        isinstance(value, str) and "/" not in value and "\\" not in value and value not in ("", "..")
    )
