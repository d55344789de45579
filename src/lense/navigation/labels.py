"""Random subgraphs labelled by how good the heuristic's answer on them is: what the encoder learns from."""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from lense._util.files import parse_json, replacing
from lense._util.options import check_ranges
from lense._util.progress import progress
from lense._util.threads import num_threads
from lense._util.types import Float64s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import subgraph
from lense.paper import CUTOFFS
from lense.problems import Problem
from lense.problems.parts import score_part

log = logging.getLogger(__name__)

_PROBES = 8
_HALVINGS = 7
_ROUND = 64
_MOST_DRAWS_PER_SAMPLE = 10


@dataclass(frozen=True, kw_only=True)
class LabelSettings:
    """How subgraphs are sampled and labelled; the paper calls ``roots`` M and ``samples_per_class`` n."""

    roots: int = 300
    samples_per_class: int = 100
    cutoffs: tuple[float, ...] = CUTOFFS

    def __post_init__(self) -> None:
        check_ranges(self, {"roots": (2, 1e9), "samples_per_class": (10, 1e6)})
        falls = all(low < high for high, low in pairwise(self.cutoffs))
        if not self.cutoffs or not falls or any(not 0 < cutoff < 2 for cutoff in self.cutoffs):
            raise LenseError(
                f"The cut-offs between classes are ratios near 1 that fall from the best class to the worst, "
                f"not {self.cutoffs}."
            )


@dataclass(frozen=True)
class LabelledSubgraphs:
    """Root sets (N, M) with the ratios f(H(S)) / f(H(G)) (N) of their subgraphs, and the classes (N) of those.

    ``solution`` is H(G) in the order of choice, and ``score`` its value.
    """

    roots: Int64s
    ratios: Float64s
    labels: Int64s
    solution: Int64s
    score: float
    cutoffs: tuple[float, ...]

    @property
    def classes(self) -> list[int]:
        return sorted(set(self.labels.tolist()))


def classify(ratios: Float64s, cutoffs: Sequence[float]) -> Int64s:
    """Class 1 above the first cut-off, 2 above the second, ..., K = len(cutoffs) + 1 for the rest."""
    labels: Int64s = 1 + (np.asarray(ratios)[:, None] <= np.asarray(cutoffs)).sum(axis=1)
    return labels


def label_subgraphs(
    problem: Problem,
    graph: Graph,
    budget: float,
    settings: LabelSettings,
    *,
    seed: int = 0,
    journal: Path | None = None,
) -> LabelledSubgraphs:
    """``samples_per_class`` subgraphs for each class that random root sets can reach.

    Root sets are drawn uniformly, but some of the solution's vertices are mixed in: how many is calibrated for each
    class by bisection. A class that cannot be reached is dropped with a warning. With a ``journal``, a file of the
    ratios so far, an interrupted call continues to the same result.
    """
    sampler = _Sampler(problem, graph, budget, settings, seed, journal)
    cutoffs = sampler.within_reach(settings.cutoffs)
    samples = _balanced(sampler, cutoffs, settings.samples_per_class)
    ratios = np.array([ratio for _, ratio in samples])
    return LabelledSubgraphs(
        roots=np.stack([roots for roots, _ in samples]),
        ratios=ratios,
        labels=classify(ratios, cutoffs),
        solution=sampler.solution,
        score=sampler.score,
        cutoffs=cutoffs,
    )


def _balanced(sampler: "_Sampler", cutoffs: tuple[float, ...], wanted: int) -> list[tuple[Int64s, float]]:
    """Draw root sets with their ratios, as many as ``wanted`` of each class that can be reached."""
    ranges = sampler.calibrate(cutoffs)
    parts: dict[int, list[tuple[Int64s, float]]] = {label: [] for label in ranges}
    drawn = dict.fromkeys(ranges, 0)
    with progress("labelling subgraphs", wanted * len(ranges)) as advance:
        for label, (low, high) in ranges.items():
            while len(parts[label]) < wanted and drawn[label] < _MOST_DRAWS_PER_SAMPLE * wanted:
                stream = f"class {label} from {drawn[label]}"
                counts = sampler.rng(f"{stream}: counts").integers(low, high + 1, _ROUND)
                roots, ratios = sampler.sample(counts, stream)
                drawn[label] += _ROUND
                for one, ratio, found in zip(roots, ratios, classify(ratios, cutoffs), strict=True):
                    if len(parts[int(found)]) < wanted:
                        parts[int(found)].append((one, ratio))
                        advance(1)
                if drawn[label] >= wanted and len(parts[label]) * _MOST_DRAWS_PER_SAMPLE < drawn[label]:
                    break
    for label in [label for label, part in parts.items() if len(part) < wanted]:
        log.warning(
            "class %d of the subgraphs is dropped: of %d drawn for it, random roots gave %d",
            label,
            drawn[label],
            len(parts.pop(label)),
        )
    if len(parts) < 2:
        raise LenseError(
            f"Random subgraphs of {sampler.num_roots:,} roots are all equally good for this graph and budget, so that "
            "there is nothing to learn: take fewer roots or a larger budget."
        )
    return [sample for part in parts.values() for sample in part]


class _Sampler:
    """Draws root sets with a given number of solution vertices among them, and finds the ratios of their subgraphs."""

    def __init__(
        self, problem: Problem, graph: Graph, budget: float, settings: LabelSettings, seed: int, journal: Path | None
    ) -> None:
        self.problem, self.graph, self.budget, self.seed = problem, graph, budget, seed
        self.num_roots = settings.roots
        self._journal, self._ratios = journal, _read_journal(journal)
        best = problem.solve(graph, budget, self.rng("solution"), certify=False)
        self.solution, self.score = best.indices, best.score
        self._others = np.setdiff1d(np.arange(graph.num_vertices), best.indices)
        if best.score <= 0:
            raise LenseError("The solution of the train graph is worth nothing, so that ratios to it mean nothing.")
        if not best.indices.size < self.num_roots <= self._others.size:
            raise LenseError(
                f"Subgraphs of {self.num_roots:,} roots cannot be drawn from a train graph of {graph.num_vertices:,} "
                f"vertices whose solution has {best.indices.size:,}: there must be more roots than solution "
                "vertices, and at least as many other vertices as roots."
            )

    def rng(self, stream: str) -> np.random.Generator:
        """The random numbers of a step of the sampling, whoever runs it and when."""
        return np.random.default_rng([self.seed, *stream.encode()])

    def sample(self, mixed_in: Sequence[int] | Int64s, stream: str) -> tuple[Int64s, Float64s]:
        """Draw root sets (N, M) with that many solution vertices each; return them and their ratios (N)."""
        drawn = []
        for i, count in enumerate(mixed_in):
            rng = self.rng(f"{stream}: roots {i}")
            known = rng.choice(self.solution, count, replace=False)
            drawn.append(np.append(known, rng.choice(self._others, self.num_roots - count, replace=False)))
        if stream not in self._ratios:
            jobs = (delayed(self._ratio)(roots, f"{stream}: solver {i}") for i, roots in enumerate(drawn))
            self._ratios[stream] = Parallel(n_jobs=num_threads(), prefer="threads")(jobs)
            if self._journal is not None:
                with replacing(self._journal) as temporary:
                    temporary.write_text(json.dumps(self._ratios), encoding="utf-8")
        return np.stack(drawn), np.array(self._ratios[stream])

    def _ratio(self, roots: Int64s, stream: str) -> float:
        part = subgraph(self.graph, roots)
        if part.graph.num_edges == 0:
            return 0.0
        rng = self.rng(stream)
        return score_part(self.problem, self.graph, part, self.budget, rng, self.score, estimate=True).ratio

    def within_reach(self, cutoffs: Sequence[float]) -> tuple[float, ...]:
        """The cut-offs, or where root sets reach fewer than two of them, as many evenly over what they reach."""
        none, most = (
            float(np.median(self.sample([count] * _PROBES, f"reach with {count}")[1]))
            for count in (0, self.solution.size)
        )
        inside = sum(none < cutoff < most for cutoff in cutoffs)
        if inside >= min(2, len(cutoffs)) or most <= none:
            return tuple(cutoffs)
        spaced = np.linspace(most, none, len(cutoffs) + 2)[1:-1].round(4)
        log.warning(
            "random subgraphs reach ratios from %.3f to %.3f, so their classes are separated at %s",
            none,
            most,
            ", ".join(f"{cutoff:g}" for cutoff in spaced),
        )
        return tuple(spaced.tolist())

    def calibrate(self, cutoffs: Sequence[float]) -> dict[int, tuple[int, int]]:
        """For each class, the least and the largest number of solution vertices in its root sets."""
        most = self.solution.size
        crossings = [most]
        with progress("calibrating the classes", len(cutoffs) * _HALVINGS) as advance:
            for cutoff in cutoffs:
                low, high = -1, crossings[-1]
                for _ in range(_HALVINGS):
                    if high - low > 1:
                        middle = (low + high) // 2
                        _, ratios = self.sample([middle] * _PROBES, f"cut-off {cutoff} at {middle}")
                        low, high = (low, middle) if np.median(ratios) > cutoff else (middle, high)
                    advance(1)
                crossings.append(high)
        bounds = [*crossings, 0]
        return {label: (bounds[label], bounds[label - 1]) for label in range(1, len(bounds))}


def _read_journal(path: Path | None) -> dict[str, list[float]]:
    if path is None or not path.exists():
        return {}
    try:
        return {str(name): [float(one) for one in found] for name, found in parse_json(path.read_bytes()).items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise LenseError(f"{path} is damaged: delete it to label the subgraphs again.") from error
