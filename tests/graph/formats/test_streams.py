"""Compression, progress and blocks of lines."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lense._util.progress import Advance, reporting_to
from lense.errors import LenseError
from lense.graph.formats.streams import COMPRESSIONS, LONGEST_LINE, reading_chunks, writing

LINES = b"".join(b"%d\t%d\n" % (i, i * i) for i in range(30_000))
MANY_LINES = 6 * LINES
every_compression = pytest.mark.parametrize("suffix", COMPRESSIONS)


def compressed(path: Path, content: bytes = LINES) -> Path:
    with writing(path) as file:
        file.write(content)
    return path


def read(path: Path) -> bytes:
    with reading_chunks(path) as chunks:
        return b"".join(chunks)


@pytest.mark.parametrize("suffix", ["", *COMPRESSIONS, ".GZ"])
def test_what_is_written_is_read(suffix: str, tmp_path: Path) -> None:
    assert read(compressed(tmp_path / f"a.txt{suffix}")) == LINES


@every_compression
def test_files_are_the_same_each_time_and_may_have_several_members(suffix: str, tmp_path: Path) -> None:
    path = compressed(tmp_path / f"a.txt{suffix}")
    first = path.read_bytes()
    assert len(first) < len(LINES) / 2
    assert compressed(tmp_path / f"b.txt{suffix}").read_bytes() == first
    path.write_bytes(2 * first)
    assert read(path) == 2 * LINES


def test_zeros_after_gzip_are_padding(tmp_path: Path) -> None:
    path = compressed(tmp_path / "a.txt.gz")
    whole = path.read_bytes()
    path.write_bytes(whole + bytes(500_000) + whole)
    assert read(path) == 2 * LINES


@every_compression
@pytest.mark.parametrize("damage", ["cut", "last byte missing", "empty", "no such format", "overwritten", "appended"])
def test_damaged_files_are_refused(suffix: str, damage: str, tmp_path: Path) -> None:
    path = compressed(tmp_path / f"a.txt{suffix}")
    whole = path.read_bytes()
    path.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "last byte missing": whole[:-1],
            "empty": b"",
            "no such format": LINES,
            "overwritten": whole[:100] + b"\xff" * 50 + whole[150:],
            "appended": whole + b"and more",
        }[damage]
    )
    with pytest.raises(LenseError, match=rf"a\.txt\{suffix} is not a whole \{suffix} file .*again\.$"):
        read(path)


@pytest.mark.parametrize("last", [b"", b"7 8"])
def test_blocks_hold_whole_lines(last: bytes, tmp_path: Path) -> None:
    path = compressed(tmp_path / "a.txt", MANY_LINES + last)
    with reading_chunks(path, is_text=True) as blocks:
        parts = list(blocks)
    assert len(parts) > 2
    assert all(part.endswith(b"\n") for part in parts)
    assert b"".join(parts) == MANY_LINES + (last + b"\n" if last else b"")


@pytest.mark.parametrize(
    ("content", "said"), [(b"1 " * LONGEST_LINE + b"\n2\n", "line of over"), (b"1 2\n\0\1\2\n", "not a text file")]
)
def test_what_is_no_text_in_lines_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    with (
        pytest.raises(LenseError, match=said),
        reading_chunks(compressed(tmp_path / "a.txt", content), is_text=True) as blocks,
    ):
        list(blocks)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_progress_counts_the_bytes_on_disk(suffix: str, tmp_path: Path) -> None:
    seen: list[float] = []
    totals: list[float | None] = []

    @contextmanager
    def reporter(description: str, total: float | None) -> Iterator[Advance]:
        assert description == f"reading {path.name}"
        totals.append(total)
        yield lambda amount, /, note="": seen.append(amount)

    path = compressed(tmp_path / f"a.txt{suffix}", MANY_LINES)
    with reporting_to(reporter), reading_chunks(path, is_text=True) as blocks:
        list(blocks)
    assert totals == [path.stat().st_size]
    assert sum(seen) == path.stat().st_size
    assert len(seen) > 2
