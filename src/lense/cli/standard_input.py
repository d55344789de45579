"""A graph from standard input, as a file that every command can read."""

import atexit
import shutil
import sys
from pathlib import Path
from tempfile import mkdtemp

from lense.errors import LenseError

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
_COPIED = 1 << 20


def from_standard_input(graph: str) -> str:
    """``graph``, or where that is "-", the path of a file with what comes in, which is gone when the command ends."""
    if graph != "-":
        return graph
    if sys.stdin is None or sys.stdin.isatty():
        raise LenseError("- reads the graph from standard input, and nothing is piped into it.")
    folder = Path(mkdtemp(prefix="lense-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / "standard-input"
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file, _COPIED)
    with copy.open("rb") as file:
        first = file.read(16)
    ending = next((ending for magic, ending in _ENDINGS.items() if first.startswith(magic)), ".txt")
    return str(copy.rename(copy.with_name(f"standard-input{ending}")))
