"""The paper's nine graphs by name, and other graph files by their name in the user's folder or the cache."""

import hashlib
import inspect
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.files import cache_folder
from lense.errors import LenseError, choose
from lense.graph.csr import Graph
from lense.graph.files import GRAPH_SUFFIXES, read_graph
from lense.graph.formats.parts import is_many, is_remote
from lense.graph.formats.streams import without_compression

SNAP = "https://snap.stanford.edu/data"
_COM = "bigdata/communities"


@dataclass(frozen=True)
class EdgeSplit:
    """How many edges of a graph the paper trained on, and how many it tested on."""

    train: int
    test: int

    @property
    def total(self) -> int:
        return self.train + self.test

    @property
    def train_fraction(self) -> float:
        return self.train / self.total


@dataclass(frozen=True)
class Dataset:
    """One of the paper's graphs: where SNAP keeps it, what it must contain, how the paper read and split it.

    ``vertices`` counts those with an edge and ``edges`` the distinct lines, self loops included. ``split`` is
    the paper's for mvc and bmc, ``arc_split`` the one for im where it is another. ``sha256`` is that of
    :func:`content_digest`, or None where it is not known yet.
    """

    name: str
    page: str
    file: str
    vertices: int
    edges: int
    directed: bool
    split: EdgeSplit
    arc_split: EdgeSplit | None = None
    merges_directions: bool = False
    """Whether the paper reads a directed source as undirected for mvc and bmc."""
    sha256: str | None = None
    member: str | None = None
    """The file inside, where ``file`` is a tar archive."""

    @property
    def address(self) -> str:
        """Where SNAP serves the file."""
        return f"{SNAP}/{self.file}"

    def paper_split(self, *, arcs: bool = False) -> EdgeSplit:
        """The edge counts of the paper's split of ``load_dataset(name, arcs=arcs)``."""
        return self.arc_split if arcs and self.arc_split else self.split

    def train_fraction(self, *, arcs: bool = False) -> float:
        """The share of the edges that gives exactly the paper's counts."""
        return self.paper_split(arcs=arcs).train_fraction


_OF_THE_PAPER: dict[str, tuple[str, str, int, int, bool, tuple[int, int]]] = {
    # page, file, vertices, edges, directed, edges of the paper's train and test graph
    "facebook": ("ego-Facebook", "facebook_combined.txt.gz", 4_039, 88_234, False, (26_470, 61_764)),
    "wiki": ("wiki-Vote", "wiki-Vote.txt.gz", 7_115, 103_689, True, (31_106, 72_583)),
    "deezer": ("gemsec-Deezer", "gemsec_deezer_dataset.tar.gz", 54_573, 498_202, False, (149_460, 348_742)),
    # SNAP declares 77,357 vertices, seven of which have no edge
    "slashdot": (
        "soc-sign-Slashdot081106",
        "soc-sign-Slashdot081106.txt.gz",
        77_350,
        516_575,
        True,
        (140_566, 327_988),
    ),
    # 14 edges are self-loops: the paper's counts include them
    "twitter": ("ego-Twitter", "twitter_combined.txt.gz", 81_306, 1_768_149, True, (134_231, 1_208_079)),
    "dblp": ("com-DBLP", f"{_COM}/com-dblp.ungraph.txt.gz", 317_080, 1_049_866, False, (42_467, 1_007_399)),
    "youtube": ("com-Youtube", f"{_COM}/com-youtube.ungraph.txt.gz", 1_134_890, 2_987_624, False, (185_566, 2_802_058)),
    "skitter": ("as-Skitter", "as-skitter.txt.gz", 1_696_415, 11_095_298, False, (115_170, 10_980_128)),
    "talk": ("wiki-Talk", "wiki-Talk.txt.gz", 2_394_385, 5_021_410, True, (181_843, 4_839_567)),
}
_ARC_SPLITS = {"slashdot": (154_972, 361_603), "twitter": (176_814, 1_591_335)}
_MEMBERS = {"deezer": "deezer_clean_data/HR_edges.csv"}
_SHA256 = {
    "facebook": "898824ae3e259f0d433eb755f0703a4d1cb3ed294b68b447f622c541795a38b1",
    "wiki": "0694ef4ff18d1b8ace7b245aa7bc1a4305d04d2296f205559280e90b0d12eb8c",
    "deezer": "e8c44348c8202ee3f6c6fc678a335f52155ba8935cfa261ffde2eb8ee4155f92",
    "slashdot": "33de9633a6be04bc10c15a2cbe8c1724b8aed475d01c59172a4a40ae56d1c9b8",
    "twitter": "890de919582a86d657fab9eb0aac0cdbf7df82231526c1f930ee76b61e324915",
    "dblp": "15e6fec5b405353348b6ac75807cee91bbce5ca0bcf25ea5a9afcec9c8c9c524",
}
DATASETS: dict[str, Dataset] = {
    name: Dataset(
        name,
        page,
        file,
        vertices,
        edges,
        directed,
        EdgeSplit(*split),
        arc_split=EdgeSplit(*_ARC_SPLITS[name]) if name in _ARC_SPLITS else None,
        merges_directions=name in _ARC_SPLITS,
        sha256=_SHA256.get(name),
        member=_MEMBERS.get(name),
    )
    for name, (page, file, vertices, edges, directed, split) in _OF_THE_PAPER.items()
}


def graph_files() -> dict[str, Path]:
    """Every graph file in the folder ``LENSE_DATA`` and in the cache, by its name without suffixes.

    Of files with the same name, that in the former folder counts.
    """
    found: dict[str, Path] = {}
    for folder in (_data_folder(), cache_folder()):
        if folder is not None and folder.is_dir():
            for path in sorted(folder.iterdir()):
                name = _graph_name(path)
                if name is not None and path.is_file():
                    found.setdefault(name, path)
    return found


def find_dataset(name: str) -> Path | None:
    """The file that holds the data set ``name``, or None where there is none."""
    choose(name, DATASETS, "data set")
    return graph_files().get(name)


def available() -> list[tuple[Dataset, Path | None]]:
    """Every data set, and the file that holds it, if there is one."""
    files = graph_files()
    return [(dataset, files.get(name)) for name, dataset in DATASETS.items()]


def is_dataset(name: str) -> bool:
    """Whether a graph is named as one of the paper's, and is not a file."""
    return name in DATASETS and not Path(name).is_file()


def load_dataset(name: str, *, arcs: bool = False) -> Graph:
    """Load one of the paper's graphs.

    Parameters
    ----------
    name
        One of :data:`DATASETS`.
    arcs
        Whether to read it as for im: each line of the source is one arc (of an undirected source, from the smaller id
        to the larger). Otherwise it is read as for mvc and bmc: undirected, but for wiki and talk.

    Returns
    -------
    Graph
        The graph, with the ids of SNAP.

    Raises
    ------
    LenseError
        If the file is not there (``lense data get`` fetches it) or holds another graph.

    Examples
    --------
    >>> import lense
    >>> lense.load_dataset("facebook")  # doctest: +SKIP
    Graph(4,039 vertices, 88,234 edges, undirected)
    """
    path = find_dataset(name)
    if path is None:
        raise LenseError(
            f"The data set '{name}' is not on this machine: fetch it with `lense data get {name}`, "
            f"or put {name}.txt.gz into the folder that LENSE_DATA names."
        )
    dataset = DATASETS[name]
    graph = read_listed(dataset, path)
    if (difference := wrong_counts(dataset, graph)) is not None:
        raise LenseError(f"{path} is not the data set '{name}', as {difference}: move or rename that file.")
    if arcs and not graph.directed:
        sources, targets, _ = graph.edges()
        return Graph.from_edges(sources, targets, directed=True, labels=graph.labels, keep_self_loops=True)
    return graph.as_undirected() if dataset.merges_directions and not arcs else graph


def open_file(name_or_path: str | os.PathLike[str], *, arcs: bool = False, **read_options: Any) -> Graph:
    """A graph from a file, from a data set's name, or from the name of another file in their folders.

    With ``arcs`` each line of a file is one arc, unless ``directed`` says otherwise. ``read_options`` are
    those of :func:`~lense.graph.read_graph`; the paper's data sets are read as the paper did and take none.
    """
    name = os.fspath(name_or_path)
    is_path = is_remote(name) or Path(name).is_file() or _looks_like_path(name_or_path)
    if not is_path and name in DATASETS:
        _refuse_options(name, read_options)
        return load_dataset(name, arcs=arcs)
    if not is_path and not is_many(name):
        name = str(choose(name, dict.fromkeys(DATASETS, Path()) | graph_files(), "graph file or data set"))
    if arcs and read_options.get("directed") is None:
        read_options["directed"] = True
    return read_graph(name, **read_options)


def find_graph(name_or_path: str) -> str:
    """The file that :func:`open_graph` would read."""
    if Path(name_or_path).is_file() or _looks_like_path(name_or_path) or is_many(name_or_path):
        return name_or_path
    return str(choose(name_or_path, graph_files(), "graph file or data set"))


def read_listed(dataset: Dataset, path: Path) -> Graph:
    """The data set as its source lists it: directed or not, signs left out, self loops kept."""
    return read_graph(path, directed=dataset.directed, weights=False, ids="int", keep_self_loops=True)


def wrong_counts(dataset: Dataset, graph: Graph) -> str | None:
    """How the size of ``graph`` differs from that of the data set, or None where it does not."""
    if (graph.num_vertices, graph.num_edges) == (dataset.vertices, dataset.edges):
        return None
    return (
        f"it has {graph.num_vertices:,} vertices and {graph.num_edges:,} edges "
        f"instead of {dataset.vertices:,} and {dataset.edges:,}"
    )


def content_digest(graph: Graph) -> str:
    """The sha256 of the sorted edges, pairs of original ids as little-endian int64 (undirected: u <= v)."""
    # of the content and not of a file, since the same graph is published in several formats
    sources, targets, _ = graph.edges()
    pairs = np.column_stack([graph.labels[sources], graph.labels[targets]]).astype("<i8")
    if not graph.directed:
        pairs.sort(axis=1)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return hashlib.sha256(pairs[order].tobytes()).hexdigest()


def _data_folder() -> Path | None:
    named = os.environ.get("LENSE_DATA")
    if not named:
        return None
    if not Path(named).is_dir():
        raise LenseError(f"LENSE_DATA names {named}, which is not a folder: correct it or unset it.")
    return Path(named)


def _graph_name(path: Path) -> str | None:
    """The name of a graph file without its suffixes; None of any other file, or one that is being written."""
    plain = without_compression(path)
    return plain.stem if plain.suffix.lower() in GRAPH_SUFFIXES and not plain.name.startswith(".") else None


def _looks_like_path(name_or_path: str | os.PathLike[str]) -> bool:
    path = Path(name_or_path)
    return not isinstance(name_or_path, str) or path.name != name_or_path or _graph_name(path) is not None


def _refuse_options(name: str, read_options: Mapping[str, Any]) -> None:
    """Raise if an option was given that differs from its default."""
    defaults = inspect.signature(read_graph).parameters
    given = [key for key, value in read_options.items() if key not in defaults or value != defaults[key].default]
    if given:
        raise LenseError(
            f"The data set '{name}' is read as the paper read it, so leave out {' and '.join(given)}, "
            "or give the path of its file."
        )
