"""Chunks of work in threads, results in order."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from lense._util.threads import chunks, map_chunks, one_blas_thread


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_results_come_in_the_order_of_the_chunks(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENSE_THREADS", threads)
    results = list(map_chunks(lambda scratch, chunk: (scratch, chunk * chunk), range(50), lambda: "own"))
    assert results == [("own", i * i) for i in range(50)]


def test_an_error_in_a_chunk_reaches_the_caller() -> None:
    def fail(_scratch: None, chunk: int) -> int:
        return 1 // (3 - chunk)

    with pytest.raises(ZeroDivisionError):
        list(map_chunks(fail, range(10), lambda: None))


def test_chunks_cover_the_range_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("LENSE_THREADS", threads)
        for total, largest, start in ((10, 4, 1), (100, 7, 0), (5, 100, 2), (1, 1, 0)):
            covered = [i for first, last in chunks(total, largest, start) for i in range(first, last)]
            assert covered == list(range(start, total))
            assert all(last - first <= largest for first, last in chunks(total, largest, start))
    assert list(chunks(3, 4, start=3)) == []


def test_small_matrices_are_left_to_one_thread() -> None:
    def of_blas() -> set[int]:
        np.eye(2) @ np.eye(2)
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    with threadpool_limits(2, "blas"):
        with one_blas_thread():
            assert of_blas() == {1}
        assert of_blas() == {2}
