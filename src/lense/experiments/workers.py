"""Pieces of work shared among processes, any of which may die."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

Result = TypeVar("Result")
Piece = tuple[Any, ...]


def run_pieces(
    work: Callable[..., Result], pieces: Sequence[Piece], jobs: int | None, died: Callable[[Piece], Result]
) -> Iterator[Result]:
    """``work(*piece)`` for each of the pieces through joblib, in order and as they come.

    When a process dies, the pieces left are run one by one, each in a process of its own; ``died`` tells the result of
    one that takes down even that.
    """
    given = 0
    with warnings.catch_warnings():
        # joblib replaces a process that has grown a lot, as the first that loads torch does, and says so
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given")
        try:
            for result in Parallel(n_jobs=jobs, return_as="generator")(delayed(work)(*piece) for piece in pieces):
                given += 1
                yield result
        except TerminatedWorkerError:
            for piece in pieces[given:]:
                yield _run_alone(work, piece, died)


def _run_alone(work: Callable[..., Result], piece: Piece, died: Callable[[Piece], Result]) -> Result:
    with_another = [delayed(work)(*piece), delayed(int)()]  # joblib runs a single task in place
    try:
        result: Result = Parallel(n_jobs=2, backend="loky")(with_another)[0]
    except TerminatedWorkerError:
        return died(piece)
    return result
