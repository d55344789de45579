"""Pieces of torch work in threads."""

import threading
from collections.abc import Iterator

import pytest
import torch

from lense.walking.parallel import in_threads


def test_results_come_in_the_order_of_the_pieces() -> None:
    assert in_threads(lambda piece: piece * piece, list(range(20))) == [n * n for n in range(20)]


def test_a_thread_shares_none_of_its_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENSE_THREADS", "2")
    torch.set_num_threads(2)
    both_at_work = threading.Barrier(2, timeout=30)

    def work(_piece: int) -> int:
        both_at_work.wait()
        return torch.get_num_threads()

    assert in_threads(work, [0, 1]) == [1, 1]


def test_the_number_of_threads_is_as_before_afterwards() -> None:
    torch.set_num_threads(2)

    def fail(_piece: int) -> None:
        raise ArithmeticError

    in_threads(lambda piece: piece, [0, 1, 2])
    assert torch.get_num_threads() == 2
    with pytest.raises(ArithmeticError):
        in_threads(fail, [0, 1, 2])
    assert torch.get_num_threads() == 2


def test_one_piece_keeps_all_threads() -> None:
    torch.set_num_threads(2)
    assert in_threads(lambda _: torch.get_num_threads(), [0]) == [2]


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
