"""Data sets from SNAP: fetched, verified, and kept in the cache as compact graph files."""

import gzip
import logging
import os
import shutil
import tarfile
import time
import zlib
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from lense._util.files import cache_folder, remove, replacing, temporary_name
from lense._util.progress import progress
from lense.errors import LenseError, choose
from lense.graph.csr import Graph
from lense.graph.datasets import DATASETS, SNAP, Dataset, content_digest, find_dataset, read_listed, wrong_counts
from lense.graph.files import write_graph

log = logging.getLogger(__name__)

ATTEMPTS = 5
TIMEOUT = 30.0
"""Seconds of silence after which a connection counts as lost."""
FIRST_PAUSE = 1.0
"""Seconds before the second attempt; each further pause is twice as long."""

_CHUNK = 1 << 18
_ALWAYS_ALLOWED, _BYTES_PER_EDGE = 1 << 24, 64
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


def download_dataset(name: str, *, force: bool = False) -> Path:
    """Fetch a data set from SNAP, or from the mirror that ``LENSE_SNAP`` names, into the cache folder.

    Parameters
    ----------
    name
        One of :data:`DATASETS`.
    force
        Fetch it even if it is on this machine already.

    Returns
    -------
    Path
        The file, whose content has been checked.

    Raises
    ------
    LenseError
        If it cannot be fetched or stored, or is another graph.
    """
    dataset = choose(name, DATASETS, "data set")
    found = find_dataset(name)
    if found is not None and not force:
        return found
    target = cache_folder() / f"{name}.npz"
    folder = temporary_name(cache_folder() / "download")
    try:
        folder.mkdir(mode=0o700, parents=True)
        packed = folder / Path(dataset.file).name
        _fetch(dataset, packed)
        graph = read_listed(dataset, packed if dataset.member is None else _extracted(dataset, packed, dataset.member))
        digest = _verified_digest(dataset, graph)
        write_graph(graph, target)
        with replacing(target.with_suffix(".sha256")) as record:
            record.write_text(f"{digest}  {name}\n", encoding="utf-8")
    except OSError as error:
        raise LenseError(
            f"The data set '{name}' cannot be stored in {cache_folder()} ({error.strerror or error}): "
            "make room there or name another folder in LENSE_CACHE."
        ) from error
    finally:
        if folder.is_dir():
            remove(folder)
    return target


def _fetch(dataset: Dataset, target: Path) -> None:
    """Write the file to ``target``, with new attempts after a lost connection."""
    site = os.environ.get("LENSE_SNAP") or SNAP
    if not _is_safe(site):
        raise LenseError(
            f"LENSE_SNAP must be an address that starts with https:// (on this machine http:// too), not '{site}'."
        )
    url = f"{site.rstrip('/')}/{dataset.file}"
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(FIRST_PAUSE * 2 ** (attempt - 1))
        try:
            return _receive(dataset, url, target)
        except HTTPError as error:
            error.close()
            if error.code < 500:
                raise LenseError(
                    f"{url} cannot be fetched, since its server answers {error.code} ({error.reason}): "
                    "look there for the file's new place, or name a mirror in LENSE_SNAP."
                ) from error
            problem: Exception = error
        except (URLError, HTTPException, ConnectionError, TimeoutError) as error:
            problem = error
        log.info("attempt %d to fetch %s failed: %s", attempt + 1, url, problem)
    raise LenseError(
        f"{url} cannot be fetched, even in {ATTEMPTS} attempts ({problem}): check the connection and call again."
    ) from problem


def _is_safe(address: str) -> bool:
    """Whether nobody on the way can change what comes from an address."""
    try:
        parts = urlsplit(address)
        return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _THIS_MACHINE)
    except ValueError:
        return False


class _SafeRedirects(HTTPRedirectHandler):
    """Goes where a server sends us, but not to an address that anybody on the way can change."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        if not _is_safe(newurl):
            raise LenseError(f"{req.full_url} leads to {newurl}, which is not safe: name a mirror in LENSE_SNAP.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _largest(dataset: Dataset) -> int:
    """More bytes than the text of a data set has."""
    return _ALWAYS_ALLOWED + _BYTES_PER_EDGE * dataset.edges


def _receive(dataset: Dataset, url: str, target: Path) -> None:
    request = Request(url, headers={"User-Agent": "lense"})  # noqa: S310 (https alone: see _is_safe)
    with build_opener(_SafeRedirects).open(request, timeout=TIMEOUT) as response, target.open("wb") as file:
        length = response.headers.get("Content-Length")
        size, total = 0, None if length is None else int(length)
        with progress(f"downloading {dataset.name}", total) as advance:
            while True:
                if max(size, total or 0) > _largest(dataset):
                    raise LenseError(
                        f"{url} is larger than the data set '{dataset.name}' can be ({_largest(dataset):,} bytes): "
                        "fetch it from a mirror named in LENSE_SNAP."
                    )
                try:
                    chunk = response.read(_CHUNK)
                except OSError as error:  # the network's fault and not the disk's
                    raise ConnectionError(error.strerror or str(error)) from error
                if not chunk:
                    break
                file.write(chunk)
                size += len(chunk)
                advance(len(chunk))
    if total is not None and size < total:
        raise ConnectionError(f"the connection was lost after {size:,} of {total:,} bytes")


def _extracted(dataset: Dataset, packed: Path, member: str) -> Path:
    """The file called ``member`` in a tar archive, written beside it."""
    extracted = packed.with_name(Path(member).name)
    try:
        with tarfile.open(packed) as archive, extracted.open("wb") as file:
            about = archive.getmember(member)
            content = archive.extractfile(about) if about.isreg() and about.size <= _largest(dataset) else None
            if content is None:
                raise KeyError(member)
            shutil.copyfileobj(content, file)
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, KeyError) as error:
        raise LenseError(
            f"The file fetched for '{dataset.name}' is not a whole tar archive with {member} in it: "
            "fetch it again, or from a mirror named in LENSE_SNAP."
        ) from error
    return extracted


def _verified_digest(dataset: Dataset, graph: Graph) -> str:
    """The digest of ``graph``, or an error unless it is the data set."""
    difference = wrong_counts(dataset, graph)
    digest = content_digest(graph)
    if difference is None and dataset.sha256 not in (None, digest):
        difference = f"its edges have the sha256 {digest} instead of {dataset.sha256}"
    if difference is not None:
        raise LenseError(
            f"The file fetched for '{dataset.name}' is not that data set, as {difference}: "
            "fetch it again, or from a mirror named in LENSE_SNAP."
        )
    if dataset.sha256 is None:
        log.warning(
            "only the counts of '%s' were verified, as no checksum of it is known; that of these edges is %s",
            dataset.name,
            digest,
        )
    return digest
