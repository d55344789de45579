"""The cost of walking: one step on the map against the encoder alone and against one off the map, and memory."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from benchmarks.graphs import large_graph, paper_graph
from benchmarks.measure import SEED, best_times
from benchmarks.table import Row, at_most
from lense._util.torch_device import on_device
from lense._util.types import Float32s, Int64s
from lense.graph import Graph, graph_files, open_graph, power_law, split, write_graph
from lense.navigation.encoder import Encoder, GraphTensors, embed, induce
from lense.navigation.environment import RootSets, follow, roots_after
from lense.navigation.inference import greedy
from lense.navigation.q_learning import QNetwork
from lense.problems.mvc import MaxVertexCover
from lense.pruners.ranking import standing

ROOTS, VERTEX_DIM, EMBEDDING_DIM = 300, 75, 25
EPISODES = 10
WALK_STEPS = 50
GIB = 2**30


def walking(quick: bool) -> Iterator[Row]:
    """Walks on the test side of Wiki, or of a generated graph where that is not at hand."""
    wiki = paper_graph("wiki")
    graph = power_law(6000, 20.0, 2.3, np.random.default_rng(SEED)) if wiki is None else split(wiki, 0.3, SEED)[1]
    turns = 5 if quick else 20
    yield _step_against_encoder(graph, turns)
    yield _ten_against_one(graph, turns)
    yield _without_the_map(graph, turns // 4)
    yield _memory(500_000 if quick else 5_000_000)
    if torch.cuda.is_available():
        yield from _on_a_gpu()


class _Setting:
    """Walks that stand on good subgraphs, whose roots hold the solution, with networks that have learnt nothing."""

    def __init__(self, graph: Graph, episodes: int, roots: int = ROOTS, device: str = "cpu") -> None:
        problem = MaxVertexCover()
        torch.manual_seed(SEED)
        self.tensors = GraphTensors.of(graph, standing(problem.features(graph)), device)
        self.encoder = Encoder(2, VERTEX_DIM, EMBEDDING_DIM).requires_grad_(False).to(device)
        self.network = QNetwork(self.encoder, 0, graph.num_vertices).in_numpy()
        self.policy = greedy(self.network, self.embedded)
        rng = np.random.default_rng(SEED)
        solution = problem.solve(graph, 100, rng, certify=False).indices
        others = np.setdiff1d(np.arange(graph.num_vertices), solution)
        self.start = np.stack(
            [np.append(solution, rng.choice(others, roots - solution.size, replace=False)) for _ in range(episodes)]
        )
        seeds, features = range(SEED, SEED + episodes), self.tensors.vertex_features
        self.walks = RootSets(graph.incident, features, seeds, roots, starts=self.start)
        self.offer = self.walks.offer()
        self.batch = induce(self.tensors, on_device(self.start, device))
        self.last = np.full(episodes, roots - 1)

    def step(self) -> None:
        """Swap the last root alone, so that every step costs about the same."""
        self.swap(self.last)

    def encode(self) -> None:
        with torch.no_grad():
            self.encoder(self.batch)

    def walk_on(self) -> None:
        self.swap(self.policy(self.offer))

    def swap(self, actions: Int64s) -> None:
        self.walks.swap(self.offer, actions)
        self.offer = self.walks.offer()
        self.embedded(self.offer.roots)

    def embedded(self, roots: Int64s) -> Float32s:
        found: Float32s = embed(self.encoder, self.tensors, roots).cpu().numpy()
        return found

    def on_the_map(self) -> None:
        features = self.tensors.vertex_features
        for offer in follow(RootSets(self.tensors.rows, features, range(EPISODES), ROOTS), self.policy, WALK_STEPS):
            self.embedded(offer.roots)


def _step_against_encoder(graph: Graph, turns: int) -> Row:
    setting = _Setting(graph, EPISODES)
    step, encoder = best_times(turns, setting.step, setting.encode)
    row = Row(f"one step of {EPISODES} walks, wiki, M = {ROOTS}", "the encoder alone", "step / encoder", at_most(1.5))
    return row.measured(step / encoder)


def _ten_against_one(graph: Graph, turns: int) -> Row:
    many, one = _Setting(graph, EPISODES), _Setting(graph, 1)
    ours, single = best_times(turns, many.step, one.step)
    row = Row(f"one step of {EPISODES} walks, wiki, M = {ROOTS}", "one walk", f"{EPISODES} walks / one", at_most(7))
    return row.measured(ours / single)


def _without_the_map(graph: Graph, turns: int) -> Row:
    """Whole walks by a policy that chooses by the vertices alone, with the same ends."""
    setting = _Setting(graph, EPISODES)
    without, on_the_map = best_times(turns, lambda: _roots_without_map(graph, setting), setting.on_the_map)
    what = f"{EPISODES} walks of {WALK_STEPS} steps without the map, wiki, M = {ROOTS}"
    return Row(what, "with the map", "without / with", at_most(0.2)).measured(without / on_the_map)


def _roots_without_map(graph: Graph, setting: _Setting) -> Int64s:
    found: Int64s = roots_after(
        graph.incident,
        setting.tensors.vertex_features,
        setting.policy,
        seeds=range(EPISODES),
        num_roots=ROOTS,
        places=[WALK_STEPS],
    )[0]
    return found


def _memory(num_edges: int) -> Row:
    """What pruning takes beyond the graph, in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        write_graph(large_graph(num_edges, SEED), path)
        command = [sys.executable, "-m", "benchmarks.peak", "prune", str(path)]
        used = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    what = f"memory of prune, {num_edges / 1e6:g} million edges"
    return Row(what, "the graph alone", "GiB beyond it", at_most(2)).measured(used / GIB)


def _on_a_gpu() -> Iterator[Row]:
    """A step at the size of web-Google, M = 1,250, and where its time goes: in milliseconds, which a GPU's may be."""
    what = "a step of 10 walks, web-Google, M = 1,250, on a GPU"
    row = Row(what, "the encoder alone", "step / encoder", at_most(1.5))
    if "web-Google" not in graph_files():
        yield row
        return
    setting = _Setting(open_graph("web-Google", directed=True).as_undirected(), EPISODES, 1250, "cuda")
    parts = {
        "xi": lambda: induce(setting.tensors, on_device(setting.start, "cuda")),
        "encoder": setting.encode,
        "Q-network": lambda: setting.policy(setting.offer),
        "step": setting.walk_on,
    }
    times = {name: _gpu_milliseconds(part) for name, part in parts.items()}
    shown = ", ".join(f"{name} {time:.2f} ms" for name, time in times.items())
    sizes = f"{setting.batch.vertices.numel():,} vertices, {setting.batch.indices.numel():,} entries"
    also = f"{torch.cuda.get_device_name()}: {shown}; {sizes}"
    yield row.measured(times["step"] / times["encoder"], also=also)


def _gpu_milliseconds(part: object, repeats: int = 30) -> float:
    """The median of ``repeats`` after warming up, by the device's own clock."""
    assert callable(part)
    for _ in range(5):
        part()
    times = []
    for _ in range(repeats):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        begin.record()
        part()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return float(np.median(times))
