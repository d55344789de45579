"""The replay memory: the last transitions, each state once, and never one that leads from an episode to another."""

from collections import deque

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lense.walking.environment import Observation
from lense.walking.random_numbers import keys_from, uniforms
from lense.walking.replay import Replay

ROOTS, NUMBERS, DIM = 3, 4, 2


def observation(number: int, num_envs: int) -> Observation:
    """A state that tells in each of its numbers which one it is: ``number`` + walk / 100."""
    name = number + torch.arange(num_envs) / 100
    return {
        "embedding": name.view(-1, 1).expand(-1, DIM),
        "leaving": name.view(-1, 1, 1).expand(-1, ROOTS, NUMBERS) + torch.arange(ROOTS).view(-1, 1) / 1000,
        "entering": -name.view(-1, 1, 1).expand(-1, ROOTS, NUMBERS) - torch.arange(ROOTS).view(-1, 1) / 1000,
        "mask": torch.ones(num_envs, ROOTS, dtype=torch.bool),
    }


def lots(count: int, seed: int) -> Tensor:
    return uniforms(keys_from([2 * seed, 2 * seed + 1]), 0, count)


def filled(capacity: int, num_envs: int, max_steps: int, steps: int) -> tuple[Replay, list[tuple[int, int, bool]]]:
    """A memory after ``steps`` steps, and the last transitions that it should hold: (state, next state, end)."""
    replay = Replay(capacity, num_envs, max_steps, observation(0, num_envs))
    wanted: deque[tuple[int, int, bool]] = deque(maxlen=capacity // num_envs)
    number = 0
    replay.start(observation(number, num_envs))
    for step in range(1, steps + 1):
        ended = step % max_steps == 0
        action = torch.full((num_envs,), number % ROOTS)
        replay.add(action, torch.full((num_envs,), 10.0 * number), observation(number + 1, num_envs), ended=ended)
        wanted.append((number, number + 1, ended))
        number += 1
        if ended:
            number += 1
            replay.start(observation(number, num_envs))
    return replay, list(wanted)


@given(per_env=st.integers(1, 12), num_envs=st.integers(1, 3), max_steps=st.integers(1, 7), steps=st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_the_memory_holds_the_last_transitions_and_no_others(
    per_env: int, num_envs: int, max_steps: int, steps: int
) -> None:
    """The oldest make room; the state after row i is row i + 1 of the same episode; both belong to one walk."""
    replay, wanted = filled(per_env * num_envs, num_envs, max_steps, steps)
    assert len(replay) == len(wanted) * num_envs
    states, actions, rewards, after, ends = replay.sample(lots(400, 0))
    seen = set()
    for i in range(400):
        number, walk = divmod(round(100 * float(states["embedding"][i, 0])), 100)
        next_number, next_walk = divmod(round(100 * float(after["embedding"][i, 0])), 100)
        assert walk == next_walk
        assert rewards[i] == 10 * number
        assert actions[i] == number % ROOTS
        seen.add((number, next_number, bool(ends[i]), walk))
    assert seen == {(*transition, walk) for transition in wanted for walk in range(num_envs)}


def test_of_a_state_the_chosen_pair_is_given_and_of_the_next_one_all_pairs() -> None:
    replay, _ = filled(12, 2, 5, 9)
    states, actions, _, after, _ = replay.sample(lots(20, 1))
    assert states["leaving"].shape == states["entering"].shape == (20, 1, NUMBERS)
    assert after["leaving"].shape == after["entering"].shape == (20, ROOTS, NUMBERS)
    assert after["mask"].shape == (20, ROOTS)
    expected = states["embedding"][:, :1] + actions.unsqueeze(1) / 1000
    torch.testing.assert_close(states["leaving"][:, 0], expected.expand(-1, NUMBERS))
    torch.testing.assert_close(states["entering"][:, 0], -expected.expand(-1, NUMBERS))


def test_transitions_are_drawn_uniformly() -> None:
    replay, wanted = filled(20, 2, 4, 30)
    states, *_ = replay.sample(lots(20_000, 2))
    counts = torch.unique(states["embedding"][:, 0], return_counts=True)[1]
    assert len(counts) == 2 * len(wanted) == 20
    assert float(((counts - 1000) ** 2 / 1000).sum()) < 43.8  # 19 degrees of freedom, one chance in a thousand


def test_a_memory_that_is_stored_and_restored_goes_on_alike() -> None:
    replay, _ = filled(10, 2, 4, 7)
    other = Replay(10, 2, 4, observation(0, 2))
    other.restore({name: tensor.clone() for name, tensor in replay.state().items()})
    for memory in (replay, other):
        memory.add(torch.ones(2, dtype=torch.int64), torch.ones(2), observation(99, 2), ended=True)
    one, again = (memory.sample(lots(50, 3)) for memory in (replay, other))
    assert len(replay) == len(other)
    torch.testing.assert_close(one, again, rtol=0, atol=0)


@pytest.mark.parametrize("num_envs", [1, 10])
def test_the_papers_memory_fits_in_two_gibibytes(num_envs: int) -> None:
    """25,000 transitions with M = 1,250 and three features, on a device that keeps shapes and no numbers."""
    m, k, d = 1250, 3, 25
    shapes = {"embedding": (d,), "leaving": (m, 2 * k), "entering": (m, 2 * k)}
    example = {name: torch.empty((num_envs, *shape), device="meta") for name, shape in shapes.items()}
    example["mask"] = torch.empty((num_envs, m), dtype=torch.bool, device="meta")
    replay = Replay(25_000, num_envs, 1500, example)
    held = [*replay.states.values(), replay.actions, replay.rewards, replay.ends]
    assert replay.num_rows * num_envs >= 25_000
    assert sum(tensor.nbytes for tensor in held) < 2 * 1024**3
