"""The paper's nine graphs by name, and other graph files by their name in the user's folder or the cache."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.files import cache_folder
from lense.errors import LenseError, choose
from lense.graph.csr import Graph
from lense.graph.files import GRAPH_SUFFIXES, read_graph
from lense.graph.formats.parts import is_many
from lense.graph.formats.streams import without_compression

SNAP = "https://snap.stanford.edu/data"


@dataclass(frozen=True)
class Dataset:
    """One of the paper's graphs: where SNAP keeps it, what it must contain, how the paper read and split it.

    ``vertices`` counts those with an edge (SNAP also declares seven of slashdot that have none) and ``edges`` the
    distinct lines, self loops included, as the paper does. ``split``, the edges to train and to test on, is the paper's
    for mvc and bmc, ``arc_split`` the one for im where it is another. ``merges_directions`` says whether the paper read
    a directed source as undirected for mvc and bmc. ``sha256`` is that of :func:`content_digest`, or None where it is
    not known yet. ``member`` is the file inside where ``file`` is a tar archive.
    """

    name: str
    file: str
    vertices: int
    edges: int
    directed: bool
    split: Sequence[int]
    arc_split: Sequence[int] | None = None
    merges_directions: bool = False
    sha256: str | None = None
    member: str | None = None

    def train_fraction(self, *, arcs: bool = False) -> float:
        """Return the share of the edges that gives exactly the paper's counts.

        Parameters
        ----------
        arcs
            Whether the data set is read as for im, as in :func:`load_dataset`.
        """
        train, test = self.arc_split if arcs and self.arc_split else self.split
        return train / (train + test)


DATASETS = {
    row["name"]: Dataset(**row) for row in json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
}


def graph_files() -> dict[str, Path]:
    """Every graph file in the folder ``LENSE_DATA`` and in the cache, by its name without suffixes.

    Of files with the same name, that in the former folder counts.
    """
    found: dict[str, Path] = {}
    named = os.environ.get("LENSE_DATA")
    if named and not Path(named).is_dir():
        raise LenseError(f"LENSE_DATA names {named}, which is not a folder: correct it or unset it.")
    for folder in (*([Path(named)] if named else []), cache_folder()):
        if folder.is_dir():
            for path in sorted(folder.iterdir()):
                name = _graph_name(path)
                if name is not None and path.is_file():
                    found.setdefault(name, path)
    return found


def find_dataset(name: str) -> Path | None:
    """Find the file that holds a data set; None where there is none.

    Parameters
    ----------
    name
        One of :data:`DATASETS`.
    """
    choose(name, DATASETS, "data set")
    return graph_files().get(name)


def available() -> list[tuple[Dataset, Path | None]]:
    """Every data set, and the file that holds it, if there is one."""
    files = graph_files()
    return [(dataset, files.get(name)) for name, dataset in DATASETS.items()]


def is_dataset(graph: object) -> bool:
    """Whether a graph is given by the name of one of the paper's, and that is not a file."""
    return isinstance(graph, str) and graph in DATASETS and not Path(graph).is_file()


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
    path = _dataset_file(name)
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
    if is_dataset(name_or_path):
        name = os.fspath(name_or_path)
        if given := [key for key, value in read_options.items() if value not in (None, "auto")]:
            raise LenseError(
                f"The data set '{name}' is read as the paper read it, so leave out {' and '.join(given)}, "
                "or give the path of its file."
            )
        return load_dataset(name, arcs=arcs)
    if arcs and read_options.get("directed") is None:
        read_options["directed"] = True
    return read_graph(find_graph(name_or_path), **read_options)


def find_graph(name_or_path: str | os.PathLike[str]) -> str:
    """The file that :func:`open_graph` would read."""
    name = os.fspath(name_or_path)
    if _is_path(name_or_path) or is_many(name):
        return name
    found = choose(name, dict.fromkeys(DATASETS) | graph_files(), "graph file or data set")
    return str(_dataset_file(name) if found is None else found)


def _dataset_file(name: str) -> Path:
    path = find_dataset(name)
    if path is None:
        raise LenseError(
            f"The data set '{name}' is not on this machine: fetch it with `lense data get {name}`, "
            f"or put {name}.txt.gz into the folder that LENSE_DATA names."
        )
    return path


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


def _graph_name(path: Path) -> str | None:
    """The name of a graph file without its suffixes; None of any other file, or one that is being written."""
    plain = without_compression(path)
    return plain.stem if plain.suffix.lower() in GRAPH_SUFFIXES and not plain.name.startswith(".") else None


def _is_path(name_or_path: str | os.PathLike[str]) -> bool:
    """Whether this is a file, or can be nothing but the path of one."""
    path = Path(name_or_path)
    is_name = isinstance(name_or_path, str) and path.name == name_or_path and _graph_name(path) is None
    return not is_name or path.is_file()
