"""Bytes in and out: compression by the file's name, progress, and files that are never half-written."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

import zstandard

from lense._util.progress import Advance, progress
from lense.errors import LenseError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 1 << 20
"""Bytes of text that are parsed at a time."""
LONGEST_LINE = 1 << 20

_PIECE = 1 << 17
_ZSTD_PIECE = 1 << 11
_LZMA_MEMORY = 1 << 28
_ALWAYS_ALLOWED, _LARGEST_RATIO = 1 << 25, 250
"""A compressed file may hold so many bytes, and so many times its own size.

Lists of edges shrink to a third or a tenth, those of very regular graphs (grids, stars, cliques) to a hundredth. Bombs
shrink to a thousandth (gzip) or less.
"""
_DAMAGE = (zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError, EOFError)


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Inflater:
    """zlib's decompressor, with the interface of those of bz2 and lzma."""

    needs_input = True

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        out = self._inflate.decompress(self._inflate.unconsumed_tail + data, max_length)
        self.needs_input = len(out) < max_length
        return out


class _Zstandard:
    """zstandard's decompressor, which has no limit on what it returns: it is given so little that this has one."""

    def __init__(self) -> None:
        self._codec = zstandard.ZstdDecompressor().decompressobj()
        self._waiting = memoryview(b"")

    @property
    def eof(self) -> bool:
        return self._codec.eof

    @property
    def needs_input(self) -> bool:
        return not self._waiting

    @property
    def unused_data(self) -> bytes:
        return self._codec.unused_data + bytes(self._waiting)

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """At most 2^17 bytes for each of the blocks, which have at least four bytes."""
        given = memoryview(data) if data else self._waiting
        self._waiting = given[_ZSTD_PIECE:]
        return self._codec.decompress(bytes(given[:_ZSTD_PIECE]))


_DECOMPRESSORS: dict[str, Callable[[], _Decompressor]] = {
    ".gz": _Inflater,
    ".xz": lambda: lzma.LZMADecompressor(memlimit=_LZMA_MEMORY),
    ".bz2": bz2.BZ2Decompressor,
    ".zst": _Zstandard,
}
COMPRESSIONS = tuple(_DECOMPRESSORS)


def without_compression(path: Path) -> Path:
    """The name without the ending that names the compression."""
    return path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path


class _CountedFile(io.FileIO):
    """A file that reports the bytes read from it."""

    def __init__(self, path: Path, advance: Advance) -> None:
        super().__init__(path)
        self._advance = advance

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        count = super().readinto(buffer) or 0
        self._advance(count)
        return count


class _DecompressedFile(io.RawIOBase):
    """What a compressed file holds; a file that was cut short is an error in every codec."""

    def __init__(self, raw: BinaryIO, path: Path) -> None:
        self._raw = raw
        self._path = path
        self._new = _DECOMPRESSORS[path.suffix.lower()]
        self._codec = self._new()
        self._ready = memoryview(b"")
        self._taken = self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        while not self._ready:
            piece = self._next_piece()
            if piece is None:
                return 0
            self._ready = memoryview(self._decompressed(piece))
        view = memoryview(buffer).cast("B")
        count = min(len(view), len(self._ready))
        view[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _next_piece(self) -> bytes | None:
        """The next compressed bytes; none where there are enough, and None at the end of the file.

        A new member gets a new decompressor.
        """
        if not self._codec.eof:
            if not self._codec.needs_input:
                return b""
            piece = self._read()
            if not piece:
                raise self._damaged("it ends too early")
            return piece
        piece = self._codec.unused_data.lstrip(b"\0")  # zeros pad files that were on tape
        while not piece and (more := self._read()):
            piece = more.lstrip(b"\0")
        if not piece:
            return None
        self._codec = self._new()
        return piece

    def _read(self) -> bytes:
        piece = self._raw.read(_PIECE)
        self._taken += len(piece)
        return piece

    def _decompressed(self, piece: bytes) -> bytes:
        try:
            text = self._codec.decompress(piece, _PIECE)
        except _DAMAGE as error:
            raise self._damaged(str(error)) from error
        self._given += len(text)
        if self._given > _ALWAYS_ALLOWED + _LARGEST_RATIO * self._taken:
            raise LenseError(
                f"{self._path} holds more than {_LARGEST_RATIO:,} times its size, as no list of edges does: "
                "decompress it first if you trust it."
            )
        return text

    def _damaged(self, reason: str) -> LenseError:
        name = self._path.suffix.lower()
        return LenseError(f"{self._path} is not a whole {name} file ({reason}): fetch or make it again.")


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, decompressed where its name says so; progress counts the bytes on disk."""
    with (
        progress(f"reading {path.name}", path.stat().st_size) as advance,
        io.BufferedReader(_CountedFile(path, advance), _PIECE) as raw,
    ):
        if path.suffix.lower() in _DECOMPRESSORS:
            yield io.BufferedReader(_DecompressedFile(raw, path), _PIECE)
        else:
            yield raw


@contextmanager
def reading_chunks(path: Path, *, is_text: bool = False) -> Iterator[Iterator[bytes]]:
    """The file's bytes in pieces; the next is read while the last is parsed. ``is_text`` refuses those without text."""
    with reading(path) as stream, ThreadPoolExecutor(1) as reader:
        chunks = _read_ahead(stream, reader)
        yield _checked_text(chunks, path) if is_text else chunks


@contextmanager
def reading_lines(path: Path, longest_line: int = LONGEST_LINE) -> Iterator[Iterator[bytes]]:
    """The file's text in blocks of whole lines; the next block is read while the last is parsed."""
    with reading_chunks(path, is_text=True) as chunks:
        yield _line_blocks(chunks, path, longest_line)


def _read_ahead(stream: BinaryIO, reader: Executor) -> Iterator[bytes]:
    coming = reader.submit(stream.read, CHUNK)
    while chunk := coming.result():
        coming = reader.submit(stream.read, CHUNK)
        yield chunk


def _checked_text(chunks: Iterator[bytes], path: Path) -> Iterator[bytes]:
    for chunk in chunks:
        if b"\0" in chunk:
            raise LenseError(f"{path} is not a text file: is it compressed or binary under a wrong name?")
        yield chunk


def _line_blocks(chunks: Iterator[bytes], path: Path, longest_line: int) -> Iterator[bytes]:
    rest: list[bytes] = []
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end:
            yield b"".join([*rest, chunk[:end]])
            rest = []
        rest.append(chunk[end:])
        if sum(map(len, rest)) > longest_line:
            raise LenseError(f"{path} has a line of over {longest_line:,} bytes, so it is not a list of edges.")
    if last := b"".join(rest):
        yield last + b"\n"


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A new file, compressed as its name says."""
    with open(path, "wb") as raw, _compressed(raw, path.suffix.lower()) as file:
        yield file


def _compressed(raw: BinaryIO, suffix: str) -> AbstractContextManager[Any]:
    match suffix:
        case ".gz":
            # without name and time inside, the same graph gives the same bytes
            return gzip.GzipFile("", "wb", 6, raw, mtime=0)
        case ".xz":
            return lzma.open(raw, "wb", preset=1)
        case ".bz2":
            return bz2.open(raw, "wb")
        case ".zst":
            return zstandard.ZstdCompressor(write_checksum=True).stream_writer(raw, closefd=False)
        case _:
            return nullcontext(raw)
