"""The ids of vertices in comments, at the top of files whose vertices are 1..n."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.files import parse_json
from lense._util.types import AnyArray
from lense.errors import LenseError
from lense.graph.formats.place import Comment
from lense.graph.labels import LONGEST_LABEL, text_labels

_PREFIX = "lense labels:"
_LABELS_A_LINE = 50
LABELS = re.compile(_PREFIX.encode())
"""Finds comments that hold labels."""


def label_comments(labels: AnyArray) -> Iterator[str]:
    """Comment lines, less the comment sign, that hold the labels; none where they are 1..n anyway."""
    if np.array_equal(labels, np.arange(1, labels.size + 1)):
        return
    for start in range(0, labels.size, _LABELS_A_LINE):
        yield f"{_PREFIX} {json.dumps(labels[start : start + _LABELS_A_LINE].tolist())}"


def labels_from_comments(comments: Iterable[Comment], num_vertices: int, path: Path) -> AnyArray:
    """The labels held in comment lines (which keep their sign), else 1..n."""
    texts = (comment.decode(errors="replace").strip().lstrip("% \t") for _, comment in comments)
    found: list[Any] = []
    try:
        for text in texts:
            if text.startswith(_PREFIX) and len(found) <= num_vertices:
                listed = parse_json(text.removeprefix(_PREFIX))
                if not isinstance(listed, list):
                    raise TypeError("labels must be in a list")
                found += listed
        kinds = {type(label) for label in found}
        if not found:
            return np.arange(1, num_vertices + 1)
        if kinds not in ({int}, {str}):
            raise TypeError("labels must be all integers or all strings")
        labels = np.array(found, np.int64) if kinds == {int} else text_labels(found, str(path), LONGEST_LABEL)
    except LenseError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise LenseError(f"{path} has a damaged comment of labels: write it again.") from error
    if labels.size > num_vertices:
        raise LenseError(f"{path} has more labels than its {num_vertices:,} vertices: write it again.")
    if labels.size < num_vertices:
        raise LenseError(f"{path} has labels for {labels.size:,} of {num_vertices:,} vertices: write it again.")
    return labels
