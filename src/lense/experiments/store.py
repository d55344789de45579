"""Results in files: one ``NAME.jsonl`` for each experiment, and pieces beside it while it runs."""

import fcntl
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic

from lense.errors import LenseError
from lense.experiments.records import FaultError, Figures, Key, Record, as_line, from_line
from lense.files import system_errors, write_text

_LONGEST_NAME = 200
_READ: dict[Path, tuple[Any, dict[Key, Record[Any]]]] = {}
"""What files hold, until they change: tables ask for thousands of cells one by one."""


class DamagedError(LenseError):
    """A line of a file of records is not what it was when it was written."""

    def __init__(self, path: Path, line: int, fault: str) -> None:
        super().__init__(path, line, fault)  # what it is made of again where it comes from another process
        self.path, self.line, self.fault = path, line, fault

    def __str__(self) -> str:
        return (
            f"{self.path}, line {self.line} is damaged, since {self.fault}: delete the line and run the command again "
            "that made it."
        )


class Store(Generic[Figures]):
    """The records of one experiment in ``path``, sorted by their keys, and newer ones in the folder of pieces.

    A piece is a file of one record or more, written at once or not at all, so that processes and machines can share
    the work and a kill loses nothing. :meth:`fold` moves pieces into the file. Nothing is written, and no folder made,
    before there is a record to keep.
    """

    def __init__(self, path: str | Path, figures: Any) -> None:
        self.path, self.figures = Path(path), figures
        self.pieces = self.path.with_suffix(".pieces")

    def records(self) -> Mapping[Key, Record[Figures]]:
        """All records by their keys; raises :class:`DamagedError` where a line is not what its type says."""
        stamp = self._stamp()
        if _READ.get(self.path, (None,))[0] != stamp:
            pieces = [record for path in self._pieces() for record in self._lines(path)]
            # the file comes last: what is folded meanwhile is in one of the two
            found = {record.key: record for record in self._lines(self.path)}
            for record in pieces:
                if record.error is None or found.get(record.key, record).error is not None:
                    found[record.key] = record
            _READ[self.path] = stamp, {key: found[key] for key in sorted(found)}
        return _READ[self.path][1]

    def get(self, key: Key) -> Record[Figures] | None:
        return self.records().get(key)

    def keep(self, record: Record[Figures]) -> None:
        """Write one record as a piece; any number of processes may do so at once."""
        name = re.sub(r"[^\w.+-]+", "-", f"{record.graph}-{record.key.problem}-{record.seed}.{record.variant}")
        write_text(self.pieces / f"{name.strip('-.')[-_LONGEST_NAME:]}.jsonl", as_line(record) + "\n")

    def add(self, records: Iterable[Record[Figures]]) -> None:
        """Put records into the file, in place of those of the same cells."""
        for record in records:
            self.keep(record)
        self.fold()

    def fold(self, wanted: Callable[[Record[Figures]], bool] = lambda _: True) -> None:
        """Move those pieces into the file whose records are ``wanted``; the others stay where they are."""
        with _locked(self.path.parent):
            folded = [path for path in self._pieces() if all(map(wanted, self._lines(path)))]
            if not folded:
                return
            lines = [as_line(record) for record in self.records().values() if wanted(record)]
            write_text(self.path, "".join(f"{line}\n" for line in lines))
            for path in folded:
                path.unlink(missing_ok=True)
            if not any(self.pieces.iterdir()):
                self.pieces.rmdir()

    def _lines(self, path: Path) -> list[Record[Figures]]:
        try:
            text = path.read_bytes().decode(errors="replace")
        except FileNotFoundError:  # not there yet, or a piece that has been folded meanwhile
            return []
        made: list[Record[Figures]] = []
        # not splitlines, which also divides at separators that may stand within a name
        for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), start=1):
            try:
                made.append(from_line(line, self.figures))
            except FaultError as error:
                raise DamagedError(path, number, str(error)) from None
        return made

    def _pieces(self) -> list[Path]:
        """The pieces, those written last at the end."""
        found = [(path.stat().st_mtime_ns, path) for path in self.pieces.glob("[!.]*.jsonl")]
        return [path for _, path in sorted(found)]

    def _stamp(self) -> object:
        """What changes whenever a record does."""
        files = [path for path in (self.path, *self._pieces()) if path.is_file()]
        return [(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files]


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder against others who fold; the system lets go of it if this process dies."""
    if not folder.is_dir():
        yield
        return
    with system_errors(folder, "written"):
        handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
