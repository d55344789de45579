"""Where tensors live, and pieces of torch work in threads."""

import threading
from collections.abc import Iterator

import pytest
import torch

from lense._util.torch_device import in_threads, torch_device
from lense.errors import LenseError
from tests.skips import A_GPU


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_a_thread_shares_none_of_its_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENSE_THREADS", "2")
    torch.set_num_threads(2)
    both_at_work = threading.Barrier(2, timeout=30)

    def work(_piece: int) -> int:
        both_at_work.wait()
        return torch.get_num_threads()

    assert in_threads(work, [0, 1]) == [1, 1]
    assert in_threads(lambda piece: piece * piece, list(range(20))) == [n * n for n in range(20)]


def test_a_device_is_named_and_another_name_lists_them() -> None:
    assert torch_device("cpu").type == "cpu"
    assert torch_device("auto").type in ("cpu", "cuda")
    with pytest.raises(LenseError, match="cpu, cuda, auto"):
        torch_device("gpu")


@pytest.mark.skipif(torch.cuda.is_available(), reason=A_GPU)
def test_a_gpu_that_is_not_there_is_reported() -> None:
    with pytest.raises(LenseError, match="CUDA"):
        torch_device("cuda")
