"""Pieces of torch work in threads."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch

from lense.threads import map_chunks

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def in_threads(work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
    """``work`` on each piece, in the order of the pieces.

    On a processor a thread takes whole pieces and shares none of its operations with others: those of a graph network
    on a small graph are too short to gain much from it.
    """
    if len(pieces) == 1:
        return [work(pieces[0])]
    before = torch.get_num_threads()
    try:
        return list(map_chunks(lambda _, piece: work(piece), pieces, lambda: torch.set_num_threads(1)))
    finally:
        torch.set_num_threads(before)
