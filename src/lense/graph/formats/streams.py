"""Bytes in and out: compression by the file's name, bounded, with progress, and read while others are parsed."""

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import zstandard

from lense._util.progress import progress
from lense.errors import LenseError, printable

Item = TypeVar("Item")

CHUNK = 1 << 20
"""Bytes of text that are parsed at a time."""
LONGEST_LINE = 1 << 20

_PIECE = 1 << 17
_ZSTD_PIECE = 1 << 11
"""zstandard has no limit on what it returns, but for each block of at least four bytes that is at most 2^17 bytes."""
_LZMA_MEMORY = 1 << 28
_ALWAYS_ALLOWED, _LARGEST_RATIO = 1 << 25, 250
"""A compressed file may hold so many bytes, and so many times its own size.

Lists of edges shrink to a third or a tenth, those of very regular graphs (grids, stars, cliques) to a hundredth. Bombs
shrink to a thousandth (gzip) or less.
"""
_LONE_RETURN = re.compile(rb"\r(?![\r\n])")
_DAMAGE = (zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError, EOFError)


class _Codec:
    """A decompressor of zlib or zstandard, with the interface of those of bz2 and lzma."""

    def __init__(self, codec: Any, *, is_bounded: bool) -> None:
        self._codec, self._is_bounded, self.needs_input = codec, is_bounded, True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codec, name)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if not self._is_bounded:
            return bytes(self._codec.decompress(data))
        out: bytes = self._codec.decompress(self._codec.unconsumed_tail + data, max_length)
        self.needs_input = len(out) < max_length
        return out


_DECOMPRESSORS: dict[str, Callable[[], Any]] = {
    ".gz": lambda: _Codec(zlib.decompressobj(wbits=31), is_bounded=True),
    ".xz": lambda: lzma.LZMADecompressor(memlimit=_LZMA_MEMORY),
    ".bz2": bz2.BZ2Decompressor,
    ".zst": lambda: _Codec(zstandard.ZstdDecompressor().decompressobj(), is_bounded=False),
}
_COMPRESSORS: dict[str, Callable[[BinaryIO], AbstractContextManager[Any]]] = {
    ".gz": lambda raw: gzip.GzipFile("", "wb", 6, raw, mtime=0),  # the same graph gives the same bytes
    ".xz": partial(lzma.LZMAFile, mode="wb", preset=1),
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".zst": lambda raw: zstandard.ZstdCompressor(write_checksum=True).stream_writer(raw, closefd=False),
}
COMPRESSIONS = tuple(_DECOMPRESSORS)


def without_compression(path: Path) -> Path:
    """The name without the ending that names the compression."""
    return path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path


@contextmanager
def reading_chunks(path: Path, *, is_text: bool = False) -> Iterator[Iterator[bytes]]:
    """What a file holds, decompressed where its name says so; the next chunk is read while the last is parsed.

    ``is_text`` gives whole lines, and refuses files that are not text. Progress counts the bytes on disk.
    """
    suffix = path.suffix.lower()
    with progress(f"reading {path.name}", path.stat().st_size) as advance, open(path, "rb") as file:

        def pieces() -> Iterator[bytes]:
            while piece := file.read(_ZSTD_PIECE if suffix == ".zst" else min(_PIECE, CHUNK)):
                advance(len(piece))
                yield piece

        plain = _decompressed(pieces(), path, suffix) if suffix in COMPRESSIONS else pieces()
        with closing(read_ahead(_in_chunks(plain, path, is_text))) as chunks:
            yield chunks


def _decompressed(pieces: Iterator[bytes], path: Path, suffix: str) -> Iterator[bytes]:
    """What pieces of a compressed file hold, a little at a time; a file that was cut short is an error in every codec.

    A new member gets a new decompressor.
    """
    codec, taken, given = _DECOMPRESSORS[suffix](), 0, 0
    problem = f"{path} is not a whole {suffix} file ({{}}): fetch or make it again."
    for piece in pieces:
        taken += len(piece)
        while True:
            if codec.eof:
                piece = piece.lstrip(b"\0")  # zeros pad files that were on tape
                if not piece:
                    break
                codec = _DECOMPRESSORS[suffix]()
            try:
                text = codec.decompress(piece, _PIECE)
            except _DAMAGE as error:
                raise LenseError(problem.format(error)) from error
            given += len(text)
            if given > _ALWAYS_ALLOWED + _LARGEST_RATIO * taken:
                raise LenseError(
                    f"{path} holds more than {_LARGEST_RATIO:,} times its size, as no list of edges does: decompress "
                    "it first if you trust it."
                )
            yield text
            if not codec.eof and codec.needs_input:
                break
            piece = codec.unused_data if codec.eof else b""
    if not codec.eof:
        raise LenseError(problem.format("it ends too early"))


def _in_chunks(pieces: Iterator[bytes], path: Path, is_text: bool) -> Iterator[bytes]:
    """The pieces joined to chunks of about the size that is parsed at a time; of text, whole lines."""
    waiting = bytearray()
    for piece in chain(pieces, [None]):
        waiting += piece or b""
        if piece is None and is_text and waiting and not waiting.endswith(b"\n"):
            waiting += b"\n"
        if piece is None or len(waiting) >= CHUNK:
            end = _end_of_lines(waiting, path) if is_text else len(waiting)
            if end:
                yield bytes(waiting[:end])
                del waiting[:end]


def _end_of_lines(text: bytearray, path: Path) -> int:
    """Where the last whole line ends, unless this is not text in lines."""
    end = text.rfind(b"\n") + 1
    if b"\0" in text:
        raise LenseError(f"{path} is not a text file: is it compressed or binary under a wrong name?")
    if len(text) - end > LONGEST_LINE:
        raise LenseError(f"{path} has a line of over {LONGEST_LINE:,} bytes, so it is not a list of edges.")
    # where lines end as those of old Macs did, the rest of the file would be part of one
    if text.count(b"\r") > text.count(b"\r\n") and (found := _LONE_RETURN.search(text, 0, end)):
        near = printable(text[max(0, found.start() - 20) : found.start()].decode(errors="replace"))
        raise LenseError(
            f"{path} has a carriage return within a line, after '{near}': convert its line ends to line feeds."
        )
    return end


def read_ahead(items: Iterator[Item], count: int = 1) -> Generator[Item]:
    """The items; a thread fetches the next ``count`` while one is worked on."""
    with ThreadPoolExecutor(1) as reader:
        coming = [reader.submit(next, items, None) for _ in range(count)]
        while (item := coming.pop(0).result()) is not None:
            coming.append(reader.submit(next, items, None))
            yield item


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A new file, compressed as its name says."""
    with open(path, "wb") as raw, _COMPRESSORS.get(path.suffix.lower(), nullcontext)(raw) as file:
        yield file
