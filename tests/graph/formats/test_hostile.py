"""Files made to fill the memory, to take for ever, or to be read as what they are not."""

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from lense._util.measuring import PeakMemory, Stopwatch
from lense.errors import LenseError
from lense.graph import Graph, read_graph, write_graph

MUCH, PIECE = 200 << 20, 4 << 20
LITTLE = 100 << 20


def refused(path: Path, **options: Any) -> str:
    """What is said of a file, which takes little memory and time to find out."""
    with PeakMemory() as peak, Stopwatch() as watch, pytest.raises(LenseError) as caught:
        read_graph(path, **options)
    assert peak.bytes is None or peak.bytes < LITTLE
    assert watch.seconds < 30  # seconds of a busy machine; without a limit these take minutes
    return str(caught.value)


def repeated(compress: Callable[[bytes], bytes], text: bytes) -> bytes:
    """``MUCH`` text in many members of a few bytes each."""
    return compress(text * PIECE) * (MUCH // PIECE)


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".bz2", bz2.compress), (".zst", zstandard.ZstdCompressor().compress), (".xz", lzma.compress)],
)
def test_a_compression_bomb_is_refused(suffix: str, compress: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / f"bomb.txt{suffix}"
    path.write_bytes(repeated(compress, b"\n"))
    assert path.stat().st_size < 80_000
    said = refused(path)
    assert "250 times its size" in said or "a line of over" in said


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
        ("a.graphml", b"", b" "),
        ("a.graphml", b"<graphml>", b"<!-- -->"),
        ("a.graphml", b"<graphml>", b"<a>"),
        ("a.graphml", b"<graphml><graph>", b"text"),
        ("a.gml", b"", b" "),
        ("a.gml", b"", b"# by hand\n"),
        ("a.gml", b"graph [ ", b"a 1 "),
    ],
)
def test_what_is_skipped_counts_too(name: str, start: bytes, repeated: bytes, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}{suffix}"
    compress = COMPRESS[suffix]
    path.write_bytes(compress(start) + compress(repeated * (PIECE // len(repeated))) * (MUCH // PIECE))
    with Stopwatch() as watch:
        refused(path)
    assert watch.seconds < 10


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


@pytest.mark.parametrize("name", ["a.mtx"])
def test_a_claim_of_edges_is_checked_before_they_are_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    banner = "%%MatrixMarket matrix coordinate pattern general\n2 2" if name == "a.mtx" else "2"
    path.write_text(f"{banner} 300000000\n2 1\n1 2\n")
    assert "announces 300,000,000 edges" in refused(path)


@pytest.mark.parametrize("name", ["a.mtx"])
@pytest.mark.parametrize(
    "count", ["300000000", "9" * 20, "9" * 5000], ids=["more than the file holds", "20 digits", "5,000 digits"]
)
def test_a_claim_is_checked_before_memory_is_taken(name: str, count: str, tmp_path: Path) -> None:
    path = tmp_path / name
    banner = "%%MatrixMarket matrix coordinate pattern general\n" if name == "a.mtx" else ""
    path.write_text(f"{banner}{count} {count} 1\n1 2\n" if banner else f"{count} 1\n2\n1\n")
    refused(path)


def npz(
    path: Path, *, directed: bool = False, shape: str | None = None, header: str | None = None, **arrays: Any
) -> Path:
    known = header or json.dumps({"format": "lense-graph", "version": 1, "directed": directed})
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in {"header": np.array(known), **arrays}.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)
            content = member.getvalue()
            if shape is not None and name == "indices":
                content = content.replace(b"(2,)", shape.encode())
            archive.writestr(f"{name}.npy", content)
    return path


EDGE: dict[str, Any] = {
    "indptr": np.array([0, 1, 2]),
    "indices": np.array([1, 0], np.int32),
    "labels": np.array([4, 7]),
}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"indptr": np.array([0, 1, 1]), "indices": np.array([1], np.int32)}, "is not the same the other way"),
        ({"weights": np.array([1, 2], np.float32)}, "is not the same the other way"),
        ({"labels": np.array([4, 4])}, "gives the id '4' to two vertices"),
        ({"labels": np.array(["\ud800", "b"])}, "is not valid text"),
        ({"labels": np.array(["a\0b", "b"])}, "is not valid text"),
        ({"labels": np.array([2**63, 1], np.uint64)}, "do not fit into 64 bits"),
        ({"shape": f"({2**63},)"}, "it is damaged"),
        ({"shape": f"({10**30},)"}, "it is damaged"),
        ({"header": "[" * 100_000}, "it is damaged"),
        ({"header": '{"format": "lense-graph", "version": 1, "directed": "no"}'}, "it is damaged"),
    ],
)
def test_arrays_that_are_no_graph_are_refused(changed: dict[str, Any], said: str, tmp_path: Path) -> None:
    assert said in refused(npz(tmp_path / "a.npz", **{**EDGE, **changed}))


def test_two_arrays_of_one_name_are_refused(tmp_path: Path) -> None:
    path = npz(tmp_path / "a.npz", **EDGE)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("other/indices.npy", archive.read("indices.npy"))
    assert "it is damaged" in refused(path)


def test_an_edge_of_weight_minus_zero_is_the_same_both_ways(tmp_path: Path) -> None:
    path = npz(tmp_path / "a.npz", **EDGE, weights=np.array([0.0, -0.0], np.float32))
    assert read_graph(path).num_edges == 1


@pytest.mark.parametrize("name", ["a.mtx"])
@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("[5, 5]", "gives the id '5' to two vertices"),
        ('["\\ud800", "b"]', "is not valid text"),
        ('["a\\u0000", "a"]', "is not valid text"),
        (f'["a", "{"x" * 300}"]', "an id of more than 255 bytes"),
        (f"[1, {2**70}]", "a damaged comment of labels"),
        ("[" * 100_000, "a damaged comment of labels"),
    ],
)
def test_labels_in_comments_are_checked(name: str, labels: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / name
    write_graph(Graph.from_edges([0], [1], labels=np.array([1, 2])), path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[: name == "a.mtx"], f"% lense labels: {labels}\n", *lines[name == "a.mtx" :]]))
    assert said in refused(path)
