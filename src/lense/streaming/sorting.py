"""Sorting more edges than fit into memory: sorted runs on disk, then one range of keys after the other."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from lense._util.files import remove, temporary_name
from lense._util.progress import Advance
from lense._util.types import Float32s
from lense.kernels.streaming import NO_WEIGHTS, Keys, sorted_unique

RUN = 1 << 22
"""Keys that are sorted at a time, of 8 bytes each; twice as much memory is taken."""
_SAMPLES = 4096
"""Keys of each run that are remembered, to cut the range of keys into pieces of about a run."""


class KeySorter:
    """``add`` keys in any order, then take them from ``merged`` in rising order, each once.

    If they are ``weighted``, each comes with a weight, and the first that a key was added with is kept. It takes memory
    for a few runs, and 8 bytes of disk for each key, 12 with weights, in a folder beside ``target`` that is gone in the
    end. What a killed process left there is removed by the next.
    """

    def __init__(self, target: Path, run: int = RUN, *, weighted: bool = False) -> None:
        self._folder = temporary_name(target.absolute())
        self._folder.mkdir()
        self._run = run
        self.weighted = weighted
        self._keys, self._spare = np.empty(run, np.uint64), np.empty(run, np.uint64)
        self._weights, self._spare_weights = np.empty((2, run if weighted else 0), np.float32)
        self._filled = 0
        self._files: list[Path] = []
        self._samples: list[Keys] = []
        self._steps: list[int] = []
        self._sizes: list[int] = []
        self.num_added = 0
        self.num_in_runs = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        remove(self._folder)

    def add(self, keys: Keys, weights: Float32s = NO_WEIGHTS) -> None:
        self.num_added += keys.size
        while keys.size:
            taken = min(keys.size, self._run - self._filled)
            self._keys[self._filled : self._filled + taken] = keys[:taken]
            if self.weighted:
                self._weights[self._filled : self._filled + taken] = weights[:taken]
            self._filled += taken
            keys, weights = keys[taken:], weights[taken:]
            if self._filled == self._run:
                self._write()

    def merged(self, advance: Advance) -> Iterator[tuple[Keys, Float32s]]:
        """The different keys in rising order and their weights, in pieces; ``advance`` counts keys of the runs."""
        if self._filled:
            self._write()
        self._keys = self._spare = np.empty(0, np.uint64)
        self._weights = self._spare_weights = NO_WEIGHTS
        begins = [0] * len(self._files)
        for limit in self._limits():
            ends = [self._place(run, limit) for run in range(len(self._files))]
            # read and not mapped, since mapped pages count as memory of the process until others need it
            spans = list(enumerate(zip(begins, ends, strict=True)))
            keys = np.concatenate([np.empty(0, np.uint64), *(self._read(run, *span) for run, span in spans)])
            weights = np.concatenate([NO_WEIGHTS, *(self._read_weights(run, *span) for run, span in spans)])
            begins = ends
            if keys.size:
                found: tuple[Keys, Float32s] = sorted_unique(keys, np.empty_like(keys), weights, np.empty_like(weights))
                advance(keys.size)
                yield found

    def _write(self) -> None:
        size = self._filled
        keys, weights = sorted_unique(
            self._keys[:size], self._spare[:size], self._weights[:size], self._spare_weights[:size]
        )
        file = self._folder / f"run-{len(self._files):05}"
        file.write_bytes(keys.data)  # whose errors say more than those of ``tofile``
        _beside(file).write_bytes(weights.data)
        self._files.append(file)
        self._steps.append(max(1, keys.size // _SAMPLES))
        self._samples.append(keys[:: self._steps[-1]].copy())
        self._sizes.append(keys.size)
        self.num_in_runs += keys.size
        self._filled = 0

    def _read(self, run: int, begin: int, end: int) -> Keys:
        return np.fromfile(self._files[run], np.uint64, end - begin, offset=8 * begin)

    def _read_weights(self, run: int, begin: int, end: int) -> Float32s:
        if not self.weighted:
            return NO_WEIGHTS
        return np.fromfile(_beside(self._files[run]), np.float32, end - begin, offset=4 * begin)

    def _place(self, run: int, limit: np.uint64 | None) -> int:
        """How many keys of a run are below ``limit``; its samples say where to look."""
        if limit is None:
            return self._sizes[run]
        after = int(np.searchsorted(self._samples[run], limit))
        begin = max(0, after - 1) * self._steps[run]
        end = min(after * self._steps[run], self._sizes[run])
        return begin + int(np.searchsorted(self._read(run, begin, end), limit))

    def _limits(self) -> Iterator[np.uint64 | None]:
        """Keys between which about a run lies, and None in the end."""
        samples = np.sort(np.concatenate(self._samples)) if self._samples else np.empty(0, np.uint64)
        pieces = -(-self.num_in_runs // self._run)
        step = max(1, samples.size // max(pieces, 1))
        yield from samples[step::step]
        yield None


def _beside(file: Path) -> Path:
    """Where the weights of a run lie."""
    return file.with_suffix(".weights")
