"""Downloads, against a small server on this machine that can misbehave in every way a real one does."""

import gzip
import io
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense._util.progress import Advance, reporting_to
from lense.errors import LenseError
from lense.graph import DATASETS, Dataset, Graph, download, download_dataset, load_dataset, power_law, read_graph
from lense.graph.datasets import content_digest


@dataclass
class Site:
    """What the server serves, how it misbehaves, and how many requests it had."""

    files: dict[str, bytes] = field(default_factory=dict)
    cuts: list[int] = field(default_factory=list)
    """How many bytes each of the next requests gets before its connection is cut."""
    errors: list[int] = field(default_factory=list)
    """The status of each of the next answers, before any file is served."""
    requests: int = 0


class Handler(BaseHTTPRequestHandler):
    site: Site

    def do_GET(self) -> None:
        site = self.site
        site.requests += 1
        content = site.files.get(self.path)
        if site.errors or content is None:
            self.send_error(site.errors.pop(0) if site.errors else 404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: site.cuts.pop(0) if site.cuts else len(content)])

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output clean."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    content = Site()
    handler = type("SiteHandler", (Handler,), {"site": content})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("LENSE_SNAP", f"http://127.0.0.1:{server.server_port}/data/")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setattr(download, "FIRST_PAUSE", 0.0)
        yield content
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("LENSE_DATA", raising=False)
    monkeypatch.setenv("LENSE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def graph() -> Graph:
    """An undirected graph whose ids have gaps."""
    plain = power_law(300, 6.0, 2.5, np.random.default_rng(0)).without_isolated()
    sources, targets, _ = plain.edges()
    return Graph.from_edges(sources, targets, labels=3 * plain.labels + 5)


def as_text(graph: Graph) -> bytes:
    """Both directions of some edges, none of them in order: as listed by a careless source."""
    sources, targets, _ = graph.edges()
    pairs = np.column_stack([graph.labels[targets], graph.labels[sources]])[::-1]
    repeated = np.concatenate([pairs, pairs[:5, ::-1]])
    return b"# FromNodeId\tToNodeId\n" + b"".join(b"%d\t%d\n" % (u, v) for u, v in repeated)


@pytest.fixture
def fake(graph: Graph, site: Site, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """A data set called fake, served in full."""
    dataset = Dataset(
        name="fake",
        file="deep/fake_combined.txt.gz",
        vertices=graph.num_vertices,
        edges=graph.num_edges,
        directed=False,
        split=(1, graph.num_edges - 1),
        sha256=content_digest(graph),
    )
    monkeypatch.setitem(DATASETS, "fake", dataset)
    site.files["/data/deep/fake_combined.txt.gz"] = gzip.compress(as_text(graph))
    return dataset


@pytest.fixture
def content(site: Site, fake: Dataset) -> bytes:
    return site.files[f"/data/{fake.file}"]


def left_in(cache: Path) -> list[str]:
    return sorted(path.relative_to(cache).as_posix() for path in cache.rglob("*"))


def refused(says: str) -> str:
    """What a download says that fails, in one sentence."""
    with pytest.raises(LenseError, match=says) as raised:
        download_dataset("fake")
    text = str(raised.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


def test_a_download_ends_as_a_verified_graph_and_is_repeated_only_by_force(
    site: Site, fake: Dataset, cache: Path, graph: Graph, content: bytes
) -> None:
    reports: list[tuple[str, float | None]] = []
    received: list[float] = []

    @contextmanager
    def reporter(description: str, total: float | None) -> Iterator[Advance]:
        reports.append((description, total))
        yield lambda amount, /, note="": received.append(amount if description == "downloading fake" else 0)

    with reporting_to(reporter):
        path = download_dataset("fake")
    assert reports[0] == ("downloading fake", len(content))
    assert sum(received) == len(content)
    assert path == cache / "fake.npz"
    assert read_graph(path) == load_dataset("fake") == graph
    assert left_in(cache) == ["fake.npz", "fake.sha256"]
    assert (cache / "fake.sha256").read_text() == f"{fake.sha256}  fake\n"
    assert download_dataset("fake") == path
    assert site.requests == 1
    assert download_dataset("fake", force=True) == path
    assert site.requests == 2


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize("trouble", [{"cuts": [100, 50, 0]}, {"errors": [503, 500]}], ids=["lost", "errors"])
def test_a_download_is_tried_again_after_trouble(trouble: dict[str, Any], site: Site, graph: Graph) -> None:
    vars(site).update(trouble)
    assert read_graph(download_dataset("fake")) == graph


@pytest.mark.parametrize("trouble", ["lost", "missing", "truncated", "large", "unreachable"])
def test_a_download_that_fails_is_one_sentence_and_leaves_nothing(
    trouble: str, site: Site, fake: Dataset, content: bytes, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/data/{fake.file}"
    if trouble == "lost":
        site.cuts = [100] * download.ATTEMPTS
        refused("in 5 attempts .*lost after 100 of")
    elif trouble == "missing":
        del site.files[path]
        refused("fake_combined.txt.gz cannot be fetched.*404")
        assert site.requests == 1
    elif trouble == "truncated":
        site.files[path] = content[:-50]
        refused("not a whole .gz file")
    elif trouble == "large":
        monkeypatch.setattr("lense.graph.download._ALWAYS_ALLOWED", -64 * fake.edges)
        refused("is larger than the data set 'fake' can be")
    else:
        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as closed:
            monkeypatch.setenv("LENSE_SNAP", f"http://127.0.0.1:{closed.server_port}")
        refused("cannot be fetched, even in 5 attempts")
    assert left_in(cache) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"edges": 7}, "edges instead of .* and 7"),
        ({"vertices": 7}, "vertices .* instead of 7 and"),
        ({"sha256": "0" * 64}, "sha256 .* instead of 000"),
    ],
)
def test_another_graph_under_the_name_is_refused_and_the_old_file_stays(
    change: dict[str, Any], says: str, fake: Dataset, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = download_dataset("fake").read_bytes()
    monkeypatch.setitem(DATASETS, "fake", replace(fake, **change))
    with pytest.raises(LenseError, match=says):
        download_dataset("fake", force=True)
    assert left_in(cache) == ["fake.npz", "fake.sha256"]
    assert (cache / "fake.npz").read_bytes() == before


def packed(name: str, text: bytes, link: str = "") -> bytes:
    """A tar archive with a member of this name, which is a link if it leads anywhere."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for member, data in (("clean/README.txt", b"about\n"), (name, text)):
            info = tarfile.TarInfo(member)
            info.size = len(data)
            if link and member == name:
                info.type, info.linkname = tarfile.SYMTYPE, link
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


@pytest.fixture
def archive(fake: Dataset, site: Site, graph: Graph, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The data set as a comma-separated member, with a header line, of a tar archive."""
    monkeypatch.setitem(DATASETS, "fake", replace(fake, file="fake.tar.gz", member="clean/HR_edges.csv"))
    lines = as_text(graph).split(b"\n", 1)[1].replace(b"\t", b",")
    site.files["/data/fake.tar.gz"] = packed("clean/HR_edges.csv", b"node_1,node_2\n" + lines)
    return site.files["/data/fake.tar.gz"]


@pytest.mark.usefixtures("archive")
def test_a_member_of_an_archive_is_read(graph: Graph, cache: Path) -> None:
    assert read_graph(download_dataset("fake")) == graph
    assert left_in(cache) == ["fake.npz", "fake.sha256"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: packed("clean/HU_edges.csv", b"0,1\n"),
        lambda whole: whole[: len(whole) // 2],
        lambda _: b"<html>moved</html>",
        lambda _: packed("clean/HR_edges.csv", b"", link="/etc/passwd"),
    ],
    ids=["another member", "cut", "no archive", "a link"],
)
def test_a_damaged_archive_leaves_nothing_behind(
    damage: Callable[[bytes], bytes], site: Site, archive: bytes, cache: Path
) -> None:
    site.files["/data/fake.tar.gz"] = damage(archive)
    refused("not a whole tar archive with clean/HR_edges.csv")
    assert left_in(cache) == []


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize(
    "address",
    ["mirror.example", "http://mirror.example", "file:///etc", "http://localhost.mirror.example", "https://["],
)
def test_a_mirror_must_be_a_safe_address(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENSE_SNAP", address)
    refused("LENSE_SNAP")


@pytest.mark.usefixtures("fake")
def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LENSE_CACHE", str(tmp_path / "file" / "cache"))
    refused("cannot be stored in .*LENSE_CACHE")
