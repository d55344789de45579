"""Ids in the comments of formats that number their vertices 1..n, so that they survive there."""

import json
from collections.abc import Iterable, Iterator

import numpy as np

from lense.errors import LenseError
from lense.types import AnyArray

_PREFIX = "lense labels:"
_LABELS_A_LINE = 50


def label_comments(labels: AnyArray) -> Iterator[str]:
    """Comment lines, less the comment sign, that hold the labels; none where they are 1..n anyway."""
    if np.array_equal(labels, np.arange(1, labels.size + 1)):
        return
    for start in range(0, labels.size, _LABELS_A_LINE):
        yield f"{_PREFIX} {json.dumps(labels[start : start + _LABELS_A_LINE].tolist())}"


def labels_from_comments(comments: Iterable[bytes], num_vertices: int, path: object) -> AnyArray:
    """The labels held in comment lines (which keep their sign), else 1..n."""
    found: list[int | str] = []
    for comment in comments:
        text = comment.decode(errors="replace").strip("% \t\r\n")
        if text.startswith(_PREFIX):
            try:
                found += json.loads(text.removeprefix(_PREFIX))
            except ValueError as error:
                raise LenseError(f"{path} has a damaged comment of labels: write it again.") from error
    if not found:
        return np.arange(1, num_vertices + 1)
    labels = np.array(found)
    if labels.shape != (num_vertices,):
        raise LenseError(f"{path} has labels for {len(found)} of {num_vertices} vertices: write it again.")
    return labels
