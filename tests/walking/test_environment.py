"""The walk through subgraphs as a decision process, under gymnasium's conventions for one walk and for many."""

import copy
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, VectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph import Graph
from lense.parts import subgraph
from lense.walking import room
from lense.walking.batches import GraphTensors, induce
from lense.walking.encoder import Encoder
from lense.walking.environment import SubgraphWalk, SubgraphWalks, draw_candidates
from lense.walking.random_numbers import keys_from, uniforms
from tests.learning import SETTINGS, graph, needs_gpu, root_sets, samples, tensors, trained
from tests.strategies import graphs

M = SETTINGS.roots


def options(**changes: Any) -> dict[str, Any]:
    return {"num_roots": M, "max_steps": 5, "reward_scale": 3.0, "solution": samples().solution, **changes}


def walks(num_envs: int = 3, device: str = "cpu", **changes: Any) -> SubgraphWalks:
    encoder = copy.deepcopy(trained().encoder).to(device)
    return SubgraphWalks(tensors(device), encoder, trained().goal, num_envs=num_envs, **options(**changes))


def one_walk(**changes: Any) -> SubgraphWalk:
    return SubgraphWalk(tensors(), trained().encoder, trained().goal, **options(**changes))


def tiny(graph: Graph, num_roots: int, **changes: Any) -> SubgraphWalks:
    """Walks through a graph of the test's own, with an encoder that has learnt nothing."""
    torch.manual_seed(0)
    world = GraphTensors.of(graph, np.ones((graph.num_vertices, 2), np.float32))
    return SubgraphWalks(
        world,
        Encoder(2, 4, 3).requires_grad_(False),
        torch.zeros(3),
        num_roots=num_roots,
        **{"num_envs": 1, "max_steps": 9, **changes},
    )


def as_numpy(observation: dict[str, torch.Tensor]) -> dict[str, Any]:
    return {name: (value.to(torch.int8) if name == "mask" else value).numpy() for name, value in observation.items()}


def test_one_walk_passes_the_checker_of_gymnasium() -> None:
    """All it warns of is that the observation has no bounds, which is so: features may be any numbers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(one_walk(), skip_render_check=True)
    told = {str(warning.message).split("WARN: ")[-1].split(" is ")[0] for warning in caught}
    assert told <= {
        "A Box observation space minimum value",
        "A Box observation space maximum value",
    }


def test_one_walk_is_on_numpy_arrays_and_plain_numbers() -> None:
    env = one_walk()
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert info["roots"].shape == (M,)
    observation, reward, terminated, truncated, info = env.step(np.int64(3))
    assert env.observation_space.contains(observation)
    assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)


def test_one_walk_is_the_only_one_of_a_batch() -> None:
    env, batch = one_walk(), walks(1)
    observation, _ = env.reset(seed=7)
    expected, _ = batch.reset(seed=[7])
    for action in (0, 5, 15):
        assert all(np.array_equal(observation[name], as_numpy(expected)[name][0]) for name in observation)
        observation, reward, *_ = env.step(np.int64(action))
        expected, rewards, *_ = batch.step(torch.tensor([action]))
        assert reward == float(rewards[0])


def test_a_walk_may_start_from_given_roots() -> None:
    roots = root_sets(3)
    _, info = one_walk().reset(seed=0, options={"roots": roots[0]})
    assert info["roots"].tolist() == roots[0].tolist()
    _, infos = walks().reset(seed=0, options={"roots": roots})
    assert infos["roots"].tolist() == roots.tolist()


def test_many_walks_follow_the_conventions_of_vector_environments() -> None:
    env = walks()
    assert isinstance(env, VectorEnv)
    assert env.num_envs == 3
    assert env.metadata["autoreset_mode"] == AutoresetMode.DISABLED
    assert env.single_action_space == spaces.Discrete(M)
    assert env.action_space == spaces.MultiDiscrete([M] * 3)
    observation, info = env.reset(seed=0)
    assert env.observation_space.contains(as_numpy(observation))
    assert all(len(value) == 3 for value in info.values())
    observation, rewards, terminated, truncated, _ = env.step(torch.as_tensor(env.action_space.sample()))
    assert env.observation_space.contains(as_numpy(observation))
    assert rewards.shape == terminated.shape == truncated.shape == (3,)
    assert terminated.dtype == truncated.dtype == torch.bool


def test_a_seed_stands_for_itself_and_the_next_ones_and_a_reset_without_one_goes_on() -> None:
    env = walks()
    first = env.reset(seed=5)[1]["roots"]
    assert torch.equal(first, env.reset(seed=[5, 6, 7])[1]["roots"])
    assert torch.equal(env.reset()[1]["roots"], env.reset(seed=8)[1]["roots"])
    unseeded = walks().reset()[1]["roots"]
    assert not torch.equal(unseeded, walks().reset()[1]["roots"])


def test_starts_are_different_vertices_drawn_uniformly() -> None:
    roots = walks(500).reset(seed=0)[1]["roots"]
    assert all(len(set(row)) == M for row in roots.tolist())
    counts = np.bincount(roots.flatten(), minlength=graph().num_vertices)
    expected = 500 * M / graph().num_vertices
    # without replacement the variance is less than Poisson's, so that this is generous
    assert ((counts - expected) ** 2 / expected).sum() < 267  # 199 degrees of freedom, one chance in a thousand


def test_an_observation_is_the_embedding_and_what_determines_the_vectors_of_the_pairs() -> None:
    """Own features and the mean of the neighbours' features in the subgraph, of v and of u; roots are marked by one."""
    observation, info = walks().reset(seed=0)
    features = tensors().features.numpy()
    for b in range(3):
        part = subgraph(graph(), info["roots"][b].numpy())
        rows = part.graph.incident
        marked = np.column_stack([features[part.vertices], np.isin(part.vertices, info["roots"][b])])
        for name, vertices in (("leaving", info["roots"]), ("entering", info["candidates"])):
            for i, vertex in enumerate(np.searchsorted(part.vertices, vertices[b].numpy())):
                neighbours = rows.indices[rows.indptr[vertex] : rows.indptr[vertex + 1]]
                mean = marked[neighbours].mean(axis=0) if neighbours.size else np.zeros(3)
                expected = np.concatenate([marked[vertex], mean])
                np.testing.assert_allclose(observation[name][b, i].numpy(), expected, rtol=1e-5, atol=1e-6)


def test_an_action_swaps_its_pair_and_nothing_else() -> None:
    env = walks()
    _, before = env.reset(seed=0)
    roots, candidates = before["roots"].clone(), before["candidates"].clone()
    actions = torch.tensor([2, 0, 15])
    _, _, _, _, after = env.step(actions)
    for b, action in enumerate(actions.tolist()):
        expected = roots[b].tolist()
        expected[action] = int(candidates[b, action])
        assert after["roots"][b].tolist() == expected


def test_the_reward_is_minus_beta_times_the_distance_of_the_next_subgraph_to_the_goal() -> None:
    env = walks(reward_scale=3.0)
    env.reset(seed=0)
    observation, rewards, _, _, info = env.step(torch.tensor([1, 2, 3]))
    distances = [np.linalg.norm(point - trained().goal.numpy()) for point in observation["embedding"].numpy()]
    np.testing.assert_allclose(info["distance"].numpy(), distances, rtol=1e-5)
    np.testing.assert_allclose(rewards.numpy(), [-3 * distance for distance in distances], rtol=1e-5)


def test_time_runs_out_as_a_truncation_and_no_state_is_terminal() -> None:
    env = walks(max_steps=3)
    env.reset(seed=0)
    ends = [env.step(torch.zeros(3, dtype=torch.int64))[2:4] for _ in range(3)]
    assert not any(terminated.any() for terminated, _ in ends)
    assert [truncated.tolist() for _, truncated in ends] == [[False] * 3, [False] * 3, [True] * 3]
    env.reset()
    assert not env.step(torch.zeros(3, dtype=torch.int64))[3].any()


def test_guided_swaps_bring_in_a_solution_vertex_for_one_that_is_not() -> None:
    solution, met = set(samples().solution.tolist()), 0
    env = walks(8)
    env.reset(seed=0)
    for _ in range(3):
        _, _, _, _, info = env.step(torch.zeros(8, dtype=torch.int64))
        for v, u, guided in zip(
            info["roots"].flatten().tolist(),
            info["candidates"].flatten().tolist(),
            info["guided"].flatten().tolist(),
            strict=True,
        ):
            assert guided == (u in solution and v not in solution)
            met += guided
    assert met > 0


def test_without_a_solution_nothing_is_guided() -> None:
    assert "guided" not in walks(solution=None).reset(seed=0)[1]


@pytest.mark.parametrize("num_roots", [0, 200, 500])
def test_there_must_be_roots_and_vertices_besides_them(num_roots: int) -> None:
    with pytest.raises(LenseError, match="fewer roots than the graph's 200 vertices"):
        walks(num_roots=num_roots)


def test_walks_that_are_not_embedded_are_the_same_walks_with_no_place_on_the_map() -> None:
    embedded, blind = walks(), walks(embeds=False)
    seen, known = (walk.reset(seed=3) for walk in (embedded, blind))
    for action in (4, 1):
        for name in ("leaving", "entering", "mask"):
            assert torch.equal(seen[0][name], known[0][name])
        assert torch.equal(seen[1]["roots"], known[1]["roots"])
        assert known[0]["embedding"].shape == seen[0]["embedding"].shape
        assert all(found.isnan().all() for found in (known[0]["embedding"], known[1]["distance"]))
        actions = torch.full((3,), action)
        (state, _, _, _, info), (other, reward, _, _, facts) = embedded.step(actions), blind.step(actions)
        seen, known = (state, info), (other, facts)
        assert reward.isnan().all()


def test_many_walks_at_once_are_the_walks_one_by_one() -> None:
    """The roots exactly, and what is computed from them up to rounding."""
    k, seeds = 5, [11, 3, 40, 4, 1000]
    actions = torch.randint(M, (6, k), generator=torch.Generator().manual_seed(0))
    together = walks(k)
    apart = [walks(1) for _ in range(k)]
    observation, info = together.reset(seed=seeds)
    singles = [env.reset(seed=[seed]) for env, seed in zip(apart, seeds, strict=True)]
    for chosen in actions:
        for b, (single, single_info) in enumerate(singles):
            for name in ("roots", "candidates", "guided"):
                assert torch.equal(info[name][b], single_info[name][0])
            for name in observation:
                torch.testing.assert_close(observation[name][b], single[name][0], rtol=1e-4, atol=1e-5)
        observation, _, _, _, info = together.step(chosen)
        steps = [env.step(action.view(1)) for env, action in zip(apart, chosen, strict=True)]
        singles = [(step[0], step[4]) for step in steps]


def test_a_walk_goes_on_from_its_state_as_if_it_had_not_stopped() -> None:
    env, other = walks(), walks()
    env.reset(seed=2)
    env.step(torch.tensor([1, 2, 3]))
    observation, info = other.restore({name: tensor.clone() for name, tensor in env.state.items()})
    assert torch.equal(info["roots"], env.step(torch.tensor([0, 0, 0]))[4]["roots"]) is False
    again = walks()
    again.reset(seed=2)
    expected, _, _, _, expected_info = again.step(torch.tensor([1, 2, 3]))
    assert all(torch.equal(observation[name], expected[name]) for name in expected)
    assert all(torch.equal(info[name], expected_info[name]) for name in expected_info)
    assert torch.equal(other.reset()[1]["roots"], again.reset()[1]["roots"])


def free_neighbours(graph: Graph, roots: list[int], root: int) -> set[int]:
    """The different neighbours outside X, or where there are none, the subgraph's vertices outside X."""
    rows = graph.incident
    neighbours = set(rows.indices[rows.indptr[root] : rows.indptr[root + 1]].tolist()) - set(roots)
    return neighbours or set(subgraph(graph, roots).vertices.tolist()) - set(roots)


@st.composite
def graphs_with_root_sets(draw: st.DrawFn) -> tuple[Graph, list[list[int]]]:
    graph = draw(graphs(loops=True, duplicates=True, weighted=False, min_vertices=2))
    size = draw(st.integers(1, graph.num_vertices - 1))
    one = st.permutations(range(graph.num_vertices)).map(lambda order: list(order[:size]))
    return graph, draw(st.lists(one, min_size=1, max_size=3))


@given(graphs_with_root_sets())
@settings(max_examples=100, deadline=None)
def test_each_different_free_neighbour_is_drawn_by_an_equal_share_of_the_lots(
    case: tuple[Graph, list[list[int]]],
) -> None:
    """Every lot j / 840 is tried, 840 being a multiple of each number of neighbours there can be.

    A vertex without a free neighbour has its candidate drawn from the subgraph's vertices outside X; where there are
    none either, the action is masked and the candidate is the vertex itself.
    """
    graph, sets = case
    world = GraphTensors.of(graph, np.zeros((graph.num_vertices, 1), np.float32))
    # half a step in, so that rounding cannot move a lot into its neighbour's share
    lots = ((torch.arange(840, dtype=torch.float64) + 0.5) / 840).repeat(len(sets))
    batch = induce(world, torch.tensor(sets).repeat_interleave(840, dim=0))
    chosen, mask = draw_candidates(batch, lots.unsqueeze(1).expand_as(batch.roots))
    drawn = batch.vertices[chosen].view(len(sets), 840, -1)
    for b, roots in enumerate(sets):
        for i, root in enumerate(roots):
            free = free_neighbours(graph, roots, root)
            assert Counter(drawn[b, :, i].tolist()) == ({v: 840 // len(free) for v in free} or {root: 840})
            assert mask.view_as(drawn)[b, :, i].tolist() == [bool(free)] * 840


@given(graphs_with_root_sets(), st.integers(0, 100), st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_padding_does_not_change_what_is_drawn(case: tuple[Graph, list[list[int]]], spare: int, seed: int) -> None:
    graph, sets = case
    world, roots = GraphTensors.of(graph, np.zeros((graph.num_vertices, 1), np.float32)), torch.tensor(sets)
    lots = uniforms(keys_from(range(seed, seed + len(sets))), 0, roots.shape[1])
    room = int(world.entries_of(roots).sum()) + spare
    exact, padded = (draw_candidates(batch, lots) for batch in (induce(world, roots), induce(world, roots, room)))
    assert torch.equal(padded[0], exact[0])
    assert torch.equal(padded[1], exact[1])


@pytest.mark.parametrize("embeds", [True, False])
@pytest.mark.parametrize("num_envs", [1, 3])
def test_padded_walks_are_the_same_walks(num_envs: int, embeds: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often room is made for them."""
    monkeypatch.setattr(room, "STEPS", 3)
    plain, padded = (walks(num_envs, padded=flag, embeds=embeds, max_steps=9) for flag in (False, True))
    (seen, known), (other, facts) = plain.reset(seed=2), padded.reset(seed=2)
    for actions in torch.randint(M, (10, num_envs), generator=torch.Generator().manual_seed(0)):
        for name in ("roots", "candidates", "guided"):
            assert torch.equal(known[name], facts[name])
        torch.testing.assert_close(other, seen, rtol=1e-4, atol=1e-5, equal_nan=True)
        torch.testing.assert_close(facts["distance"], known["distance"], rtol=1e-4, atol=1e-5, equal_nan=True)
        (seen, _, _, _, known), (other, _, _, _, facts) = plain.step(actions), padded.step(actions)
    again = walks(num_envs, padded=True, embeds=embeds)
    assert torch.equal(again.restore(padded.state)[1]["candidates"], facts["candidates"])


@pytest.mark.parametrize("lot", [0.0, 1 - 2.0**-53])
def test_the_least_and_the_largest_lot_draw_the_first_and_the_last_neighbour(lot: float) -> None:
    star = Graph.from_edges([0] * 9, list(range(1, 10)))
    batch = induce(GraphTensors.of(star, np.zeros((10, 1), np.float32)), torch.tensor([[0]]))
    chosen, _ = draw_candidates(batch, torch.tensor([[lot]], dtype=torch.float64))
    assert batch.vertices[chosen].tolist() == [[1 if lot == 0 else 9]]


def test_the_lots_of_a_step_are_those_of_the_walks_seed_and_the_step() -> None:
    env = walks()
    _, info = env.reset(seed=4)
    for step in range(3):
        batch = induce(tensors(), info["roots"])
        chosen, _ = draw_candidates(batch, uniforms(keys_from([4, 5, 6]), step, M))
        assert torch.equal(info["candidates"], batch.vertices[chosen])
        _, _, _, _, info = env.step(torch.zeros(3, dtype=torch.int64))


def test_a_masked_action_changes_nothing() -> None:
    """Vertices 2 to 5 have no edges, so that a subgraph of them has nothing outside X."""
    env = tiny(Graph.from_edges([0], [1], num_vertices=6), num_roots=3)
    observation, info = env.reset(seed=0, options={"roots": [[2, 4, 5]]})
    assert observation["mask"].tolist() == [[False] * 3]
    assert info["candidates"].tolist() == [[2, 4, 5]]
    observation, reward, _, _, info = env.step(torch.tensor([1]))
    assert info["roots"].tolist() == [[2, 4, 5]]
    assert reward.isfinite().all()


@needs_gpu
def test_a_walk_is_the_same_on_a_gpu() -> None:
    here, there = walks(5), walks(5, "cuda")
    actions = torch.randint(M, (8, 5), generator=torch.Generator().manual_seed(0))
    pairs = [here.reset(seed=0), there.reset(seed=0)]
    for chosen in actions:
        (observation, info), (far_observation, far_info) = pairs
        assert torch.equal(info["roots"], far_info["roots"].cpu())
        assert torch.equal(info["candidates"], far_info["candidates"].cpu())
        for name in observation:
            torch.testing.assert_close(observation[name], far_observation[name].cpu(), rtol=1e-3, atol=1e-4)
        steps = [here.step(chosen), there.step(chosen.cuda())]
        torch.testing.assert_close(steps[0][1], steps[1][1].cpu(), rtol=1e-3, atol=1e-3)
        pairs = [(step[0], step[4]) for step in steps]
