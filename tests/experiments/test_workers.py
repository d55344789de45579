"""Pieces of work come back in order, whatever becomes of the processes that do them."""

import os

import pytest

# what the workers import is kept small, since each of them is a new process


def square(number: int) -> int:
    if number == 1:
        os._exit(9)
    return number**2


def died(piece: tuple[int]) -> int:
    return -piece[0]


def test_a_piece_that_takes_its_process_down_is_told_and_the_others_go_on() -> None:
    from lense.experiments.workers import run_pieces

    assert list(run_pieces(square, [(0,), (1,), (2,), (3,)], 2, died)) == [0, -1, 4, 9]


@pytest.mark.parametrize("jobs", [None, 1, 2])
def test_results_are_in_the_order_of_the_pieces(jobs: int | None) -> None:
    from lense.experiments.workers import run_pieces

    assert list(run_pieces(square, [(4,), (3,), (2,)], jobs, died)) == [16, 9, 4]


def test_what_a_piece_raises_is_raised() -> None:
    from lense.experiments.workers import run_pieces

    with pytest.raises(TypeError):
        list(run_pieces(square, [("a",)], 1, died))
