"""What a comparison is about, and what is known of its pieces."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from lense.experiments.cases import Source
from lense.experiments.shapes import WHOLE as WHOLE
from lense.experiments.store import Record, Store
from lense.graph import Graph
from lense.graph.datasets import content_digest, is_dataset
from lense.paper import HYPERPARAMETERS

LENSE = "lense"
"""The pruner that gives others its size."""
_AS_EVER = (None, "auto")
"""Options of reading that leave the choice to the file."""


@cache  # which packages are installed does not change meanwhile, and to look takes long for one of many cells
def all_pruners() -> tuple[str, ...]:
    """The names of the pruners registered, LeNSE first."""
    return tuple(sorted(entry_points(group="lense.pruners").names, key=lambda name: (name != LENSE, name)))


@dataclass(frozen=True)
class Comparison:
    """What to compare: ``pruners`` by name, on the cases of ``source`` for each of ``seeds``.

    Those that draw lots prune ``episodes`` times. LeNSE is trained with a ``preset`` and ``settings``, or read from the
    folder ``model``, where ``{seed}`` stands for the seed; its walks are kept in the folder ``walks`` if there is one,
    for experiments that look at the same walks. Those pruners that take a size get that of LeNSE's parts, if LeNSE
    is among the pruners and did not fail.
    """

    source: Source
    budget: float
    pruners: tuple[str, ...]
    seeds: tuple[int, ...] = (0, 1, 2)
    episodes: int = 10
    preset: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    walks: Path | None = None
    device: str = "cpu"

    @property
    def lense_preset(self) -> str:
        """The preset given, else the paper's for a row of the paper, else the one that looks at the graph."""
        is_paper_row = (self.source.problem, self.source.paper_graph) in HYPERPARAMETERS
        return self.preset or ("paper" if is_paper_row else "auto")

    def model_for(self, seed: int) -> str | None:
        """The folder of the model for one of the seeds."""
        return None if self.model is None else self.model.replace("{seed}", str(seed))

    def plan(self) -> Record:
        """What every piece depends on, whichever pruners and seeds there are."""
        source = self.source
        return {
            "experiment": "compare",
            "graph": _named(source.graph),
            "train": None if source.train is None else _named(source.train),
            "files": [digest for graph in (source.graph, source.train) if (digest := file_digest(graph)) is not None],
            "reading": {name: str(value) for name, value in sorted(source.reading.items()) if value not in _AS_EVER},
            "train_share": None if source.paper_graph else source.train_share,
            "problem": source.problem,
            "options": {name: str(value) for name, value in sorted(source.options.items())},
            "budget": self.budget,
            "episodes": self.episodes,
            "lense": {
                "preset": self.lense_preset,
                "settings": {name: str(value) for name, value in sorted(self.settings.items())},
                "model": None if self.model is None else Path(self.model).name,
            },
        }


def whole_record(store: Store, seed: int) -> Record | None:
    """What the heuristic found on the whole test graph of a seed, if that is known."""
    return store.read(f"{WHOLE}.{seed}")


def pruner_record(store: Store, name: str, seed: int) -> Record | None:
    """What is known of a pruner with a seed."""
    return store.read(f"{name}.{seed}")


def model_digest(folder: Path) -> str | None:
    """A sha256 of the model in a folder, or None where there is none; the configuration is what is written last."""
    return folder_digest(folder) if (folder / "config.json").is_file() else None


def folder_digest(folder: str | Path) -> str:
    """A sha256 of the files in a folder but for pictures, which are drawn of the others and may be left out."""
    digest = hashlib.sha256()
    for path in sorted(path for path in Path(folder).iterdir() if path.suffix != ".png"):
        digest.update(f"{path.name} {path.stat().st_size}".encode() + path.read_bytes())
    return digest.hexdigest()


def _named(graph: str | Graph) -> str:
    return graph if isinstance(graph, str) else f"sha256 {content_digest(graph)}"


def file_digest(graph: str | Graph | None) -> str | None:
    """A sha256 of a graph's file; the paper's graphs are known by their names."""
    if not isinstance(graph, str) or is_dataset(graph) or not Path(graph).is_file():
        return None
    known = Path(graph).stat()
    return _digest_of_file(graph, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=8)  # keyed by what tells that the file is still the same
def _digest_of_file(path: str, _modified: int, _size: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
