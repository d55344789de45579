"""Where tensors live, and how many threads work on them."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import torch
from torch import Tensor

from lense._util.environment import device_type
from lense._util.threads import map_chunks
from lense._util.types import AnyArray

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def torch_device(name: str) -> torch.device:
    """The device called "cpu" or "cuda", or "auto" for a GPU if there is one."""
    return torch.device(device_type(name))


def on_device(array: AnyArray, device: torch.device | str) -> Tensor:
    """The array as a tensor there; the host goes on before a GPU has it, as it may with memory that cannot move."""
    tensor = torch.from_numpy(array)
    if torch.device(device).type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Let each operation of torch in this thread use ``count`` threads.

    For small operations that is one: threads that share one wait for each other at its end, and where another process
    is busy, they wait for that.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def in_threads(work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
    """``work`` on each piece, in the order of the pieces: a thread takes whole pieces, and shares no operation."""
    with torch_threads(1):
        return list(map_chunks(lambda _, piece: work(piece), pieces, lambda: torch.set_num_threads(1)))


with warnings.catch_warnings():  # torch warns once that CSR matrices are in beta
    warnings.simplefilter("ignore")
    torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1), check_invariants=False)
