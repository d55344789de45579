"""Files made to fill the memory, to take for ever, or to be read as what they are not."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from lense._util.measuring import PeakMemory, Stopwatch
from lense.errors import LenseError
from lense.graph import Graph, read_graph, write_graph

MUCH, PIECE = 200 << 20, 4 << 20
LITTLE = 100 << 20


@pytest.fixture(scope="module", autouse=True)
def _compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Load what readers need before memory is measured."""
    for name in ("good.mtx", "good.txt"):
        path = tmp_path_factory.getbasetemp() / name
        write_graph(Graph.from_edges([0], [1], [0.5]), path)
        read_graph(path)


def refused(path: Path) -> str:
    """What is said of a file, which takes little memory and time to find out."""
    with PeakMemory() as peak, Stopwatch() as watch, pytest.raises(LenseError) as caught:
        read_graph(path)
    assert peak.bytes is None or peak.bytes < LITTLE
    assert watch.seconds < 30  # seconds of a busy machine; without a limit these take minutes
    return str(caught.value)


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
BANNER = b"%%MatrixMarket matrix coordinate pattern general\n"


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize(
    ("name", "start", "repeated"),
    [
        ("a.mtx", BANNER, b"%\n"),
        ("a.mtx", BANNER + b"2 2 1\n", b"%\n"),
        ("a.mtx", BANNER, b"% lense labels: [1]\n"),
        ("a.txt", b"", b"#\n"),
        ("a.csv", b"", b"# by hand\n"),
        ("a.csv", b"source,target\n1,2\n", b"\n"),
        ("a.txt", b"", b"# Isolated: 7\n"),
        ("a.txt", b"", b"# Directed graph\n"),
        ("a.txt", b"1 2\n", b" \r\n"),
        ("a.txt", b"", b"\n"),
    ],
)
def test_what_is_skipped_counts_too(name: str, start: bytes, repeated: bytes, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}{suffix}"
    compress = COMPRESS[suffix]
    path.write_bytes(compress(start) + compress(repeated * (PIECE // len(repeated))) * (MUCH // PIECE))
    refused(path)


def test_a_small_file_may_shrink_a_lot(tmp_path: Path) -> None:
    text = b"0 1\n" * 500_000
    path = tmp_path / "same.txt.xz"
    path.write_bytes(lzma.compress(text))
    assert len(text) > 500 * path.stat().st_size
    assert read_graph(path).num_edges == 1


def test_blank_lines_before_a_header_take_no_time(tmp_path: Path) -> None:
    path = tmp_path / "blank.mtx.gz"
    header = b"%%MatrixMarket matrix coordinate pattern symmetric\n"
    path.write_bytes(gzip.compress(header + b"\n" * (30 << 20) + b"2 2 1\n2 1\n", 6))
    with Stopwatch() as watch:
        assert read_graph(path).num_edges == 1
    assert watch.seconds < 10


@pytest.mark.parametrize(
    "sizes",
    ["2 2 300000000", "300000000 300000000 1", f"{'9' * 20} {'9' * 20} 1", f"{'9' * 5000} {'9' * 5000} 1"],
    ids=["edges", "vertices", "20 digits", "5,000 digits"],
)
def test_a_claim_is_checked_before_memory_is_taken(sizes: str, tmp_path: Path) -> None:
    (tmp_path / "a.mtx").write_bytes(BANNER + f"{sizes}\n2 1\n1 2\n".encode())
    assert "announces 300,000,000" in (said := refused(tmp_path / "a.mtx")) or "expected the numbers" in said
