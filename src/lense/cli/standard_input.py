"""A graph from standard input or a pipe, as a file that every command can read."""

import atexit
import shutil
import sys
from contextlib import nullcontext
from pathlib import Path
from threading import Timer

from lense._util.files import remove, scratch_folder
from lense.errors import LenseError, printable

_ENDINGS = {
    b"\x1f\x8b": ".txt.gz",
    b"\xfd7zXZ\0": ".txt.xz",
    b"BZh": ".txt.bz2",
    b"\x28\xb5\x2f\xfd": ".txt.zst",
    b"PK\x03\x04": ".npz",
    b"PAR1": ".parquet",
    b"%%MatrixMarket": ".mtx",
}
"""How content begins, and how a file with it is called; anything else is an edge list unless ``--format`` says more."""
_LONGEST_MAGIC = max(map(len, _ENDINGS))
_COPIED = 1 << 20
_PATIENCE = 2.0
"""Seconds without input after which the user hears what the command waits for."""


def from_standard_input(graph: str) -> str:
    """``graph``, or where that is "-" or a pipe, the path of a file with what comes in, gone when the command ends."""
    if graph != "-" and not Path(graph).is_fifo():
        return graph
    if graph == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise LenseError("- reads the graph from standard input, and nothing is piped into it.")
    folder = scratch_folder()
    atexit.register(remove, folder)
    copy = folder / "standard-input"
    name = "standard input" if graph == "-" else graph
    line = f"lense: waiting for a program that writes to {printable(name)} (Ctrl-C ends it)"
    announced = Timer(_PATIENCE, print, [line], {"file": sys.stderr, "flush": True})
    announced.daemon = True
    announced.start()
    with nullcontext(sys.stdin.buffer) if graph == "-" else open(graph, "rb") as source, copy.open("wb") as file:
        first = source.read(_LONGEST_MAGIC)
        announced.cancel()
        file.write(first)
        shutil.copyfileobj(source, file, _COPIED)
    by_content = next((ending for magic, ending in _ENDINGS.items() if first.startswith(magic)), ".txt")
    ending = "".join(Path(graph).suffixes) or by_content
    return str(copy.rename(copy.with_name(f"standard-input{ending}")))
