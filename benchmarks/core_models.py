"""What may rank the roots of a core: ``python -m benchmarks.core_models`` prints a table for each problem.

Each scorer learns from the heuristic's solutions of the train sides (seed 0) of the paper's graphs in ``LENSE_DATA``.
Figures are ratios, with as many roots as the budget, on graphs that are not the paper's. The seconds are those of
learning alone.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import torch
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from torch import nn

from lense._util.threads import limit_libraries
from lense._util.types import Float64s, Int64s
from lense.evaluation import Yardstick
from lense.experiments.study import Source
from lense.experiments.tables import markdown
from lense.graph import DATASETS, Graph, open_graph
from lense.graph.datasets import graph_files
from lense.graph.subgraph import subgraph
from lense.problems import Problem, get_problem
from lense.pruners.core import SolvedGraph, corrected_weights, places
from lense.pruners.ranking import importance, largest

UNSEEN = ("ca-GrQc", "ca-HepTh", "ca-CondMat", "deezer-HU", "deezer-RO", "p2p-Gnutella31")
BUDGET = 100
Scorer = Callable[[Problem, Graph], Float64s]


@dataclass(frozen=True)
class Examples:
    """Vertices of all train graphs: features (n, k), whether each is in the solution, and how much it counts."""

    features: Float64s
    is_in: Int64s
    counts: Float64s


class SetNetwork(nn.Module):
    """Scores a vertex by its features and their mean over the vertices that stand out: a small Deep Sets network."""

    def __init__(self, width: int, hidden: int = 32) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        self.outer = nn.Sequential(nn.Linear(width + hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        context = self.inner(features).mean(dim=0, keepdim=True).expand(len(features), -1)
        scores: torch.Tensor = self.outer(torch.cat([features, context], dim=1))[:, 0]
        return scores


def train_cases(problem: str) -> list[SolvedGraph]:
    sources = [source for name in DATASETS if (source := Source(name, problem)).is_available]
    return [SolvedGraph(source.case(0).problem, source.case(0).train, BUDGET, 0) for source in sources]


def examples(cases: list[SolvedGraph]) -> Examples:
    """A row that stands for several vertices is there twice: for those in the solution, and for the others."""
    chosen = np.concatenate([case.chosen for case in cases])
    everyone = np.concatenate([np.bincount(case.numbers, minlength=len(case.features)) for case in cases])
    features = np.concatenate([case.features for case in cases])
    return Examples(
        np.concatenate([features, features]),
        np.repeat([1, 0], len(features)),
        np.concatenate([chosen, everyone - chosen]).astype(np.float64),
    )


def by_features(score: Callable[[Float64s], Float64s]) -> Scorer:
    return lambda problem, graph: score(places(problem, graph, BUDGET))


def set_network(cases: list[SolvedGraph]) -> Scorer:
    torch.manual_seed(0)
    network = SetNetwork(cases[0].features.shape[1])
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    pieces = [torch.from_numpy(case.features).float() for case in cases]
    wanted = [torch.from_numpy(case.chosen).float().clamp(max=1) for case in cases]
    for _ in range(200):
        optimiser.zero_grad()
        losses = [
            nn.functional.binary_cross_entropy_with_logits(network(piece), right, reduction="sum") / BUDGET
            for piece, right in zip(pieces, wanted, strict=True)
        ]
        torch.stack(losses).mean().backward()  # type: ignore[no-untyped-call]
        optimiser.step()

    def score(features: Float64s) -> Float64s:
        with torch.no_grad():
            found: Float64s = network(torch.from_numpy(features).float()).double().numpy()
        return found

    return by_features(score)


def graph_network(problem: str, cases: list[SolvedGraph]) -> Scorer:
    """The GCN of LLM2Prune's features, learnt on the largest train graph: it learns from one graph only."""
    from lense.pruners.gcn import LLM2Prune

    largest_case = max(cases, key=lambda case: case.graph.num_edges)
    model = LLM2Prune(largest_case.problem, BUDGET, epochs=300).fit(largest_case.graph, prepared=True)
    return lambda _, graph: model.logits(graph).astype(np.float64)


def scorers(problem: str) -> Iterator[tuple[str, float, Scorer]]:
    """Each scorer by name, and the seconds it took to learn."""
    cases = train_cases(problem)
    known = examples(cases)
    yield "quick order", 0.0, by_features(lambda features: features[:, 0])
    yield "largest", 0.0, importance

    def timed(make: Callable[[], Scorer]) -> tuple[float, Scorer]:
        begin = perf_counter()
        made = make()
        return perf_counter() - begin, made

    def logistic() -> Scorer:
        model = LogisticRegression(max_iter=500).fit(known.features, known.is_in, known.counts)
        return by_features(model.decision_function)

    def trees() -> Scorer:
        model = HistGradientBoostingClassifier(max_leaf_nodes=8, random_state=0)
        model.fit(known.features, known.is_in, known.counts)
        return by_features(model.decision_function)

    def corrected() -> Scorer:
        weights = corrected_weights(cases)
        return by_features(lambda features: features @ weights)

    yield "quick order, corrected", *timed(corrected)
    yield "logistic regression", *timed(logistic)
    yield "boosted trees", *timed(trees)
    yield "set network", *timed(lambda: set_network(cases))
    yield "graph network", *timed(lambda: graph_network(problem, cases))


def table(name: str) -> str:
    problem = get_problem(name)
    graphs = {
        one: problem.prepare(open_graph(one, arcs=problem.uses_direction)) for one in UNSEEN if one in graph_files()
    }
    yardsticks = {one: Yardstick(problem, graph, BUDGET) for one, graph in graphs.items()}
    lines = []
    for words, seconds, score in scorers(name):
        ratios = [
            yardsticks[one].ratio(subgraph(graph, largest(score(problem, graph), BUDGET), only_roots=True))
            for one, graph in graphs.items()
        ]
        lines.append((words, *(f"{ratio:.3f}" for ratio in ratios), f"{np.mean(ratios):.3f}", f"{seconds:.1f}"))
        print(*lines[-1], flush=True)
    return markdown(("model", *graphs, "mean", "seconds"), lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", default="mvc,bmc,im", help="separated by commas")
    limit_libraries()
    for name in parser.parse_args().problems.split(","):
        print(f"\n{name}, budget {BUDGET}\n\n{table(name)}", flush=True)


if __name__ == "__main__":
    main()
