"""The top of files whose vertices are 1..n: comments, which may hold the vertices' own ids, then one line of sizes."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from lense.errors import LenseError
from lense.files import parse_json
from lense.graph.formats.options import check_distinct
from lense.graph.formats.place import Place, skip_blank_lines
from lense.graph.labels import LONGEST_LABEL, text_labels
from lense.types import AnyArray

_PREFIX = "lense labels:"
_LABELS_A_LINE = 50


def read_head(blocks: Iterator[bytes], place: Place) -> tuple[list[bytes], bytes, bytes]:
    """The comments at the top, the first other line, and the rest of its block; an empty line where there is none.

    ``place`` moves to that line.
    """
    comments: list[bytes] = []
    for block in blocks:
        at = 0
        while (at := skip_blank_lines(block, at, place)) < len(block):
            end = block.index(b"\n", at) + 1
            line = block[at:end]
            if not line.lstrip().startswith(b"%"):
                return comments, line, block[end:]
            comments.append(line)
            place.line += 1
            at = end
    return comments, b"", b""


def label_comments(labels: AnyArray) -> Iterator[str]:
    """Comment lines, less the comment sign, that hold the labels; none where they are 1..n anyway."""
    if np.array_equal(labels, np.arange(1, labels.size + 1)):
        return
    for start in range(0, labels.size, _LABELS_A_LINE):
        yield f"{_PREFIX} {json.dumps(labels[start : start + _LABELS_A_LINE].tolist())}"


def labels_from_comments(comments: Iterable[bytes], num_vertices: int, path: Path) -> AnyArray:
    """The labels held in comment lines (which keep their sign), else 1..n."""
    texts = (comment.decode(errors="replace").strip().lstrip("% \t") for comment in comments)
    try:
        lists = [parse_json(text.removeprefix(_PREFIX)) for text in texts if text.startswith(_PREFIX)]
        found = [label for labels in lists for label in labels]
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
    if labels.size != num_vertices:
        raise LenseError(f"{path} has labels for {labels.size} of {num_vertices} vertices: write it again.")
    check_distinct(path, labels)
    return labels
