"""The replay memory: the few numbers that determine the vectors of a state's candidates, each state stored once."""

import numpy as np
import torch
from torch import Tensor

from lense.navigation.environment import Observation
from lense.torch_device import on_device
from lense.types import Int64s

_STATE = ("embedding", "leaving", "entering", "mask")


class Replay:
    """The last ``capacity`` transitions of B walks side by side, in a ring of rows of B states.

    The state after row i is row i + 1, so that no state is kept twice; the last state of an episode takes a row from
    which no action leads on. A transition takes 4 (4 k + 1 / 4) M bytes for k vertex features and M actions.
    """

    def __init__(self, capacity: int, num_envs: int, max_steps: int, example: Observation) -> None:
        steps = max(1, capacity // num_envs)
        self.num_rows = steps + -(-steps // max_steps) + 1
        self.states = {
            name: torch.empty(
                (self.num_rows, *example[name].shape), dtype=example[name].dtype, device=example[name].device
            )
            for name in _STATE
        }
        device = example["embedding"].device
        self.actions = torch.zeros((self.num_rows, num_envs), dtype=torch.int64, device=device)
        self.rewards = torch.zeros((self.num_rows, num_envs), device=device)
        self.ends = torch.zeros(self.num_rows, dtype=torch.bool, device=device)
        self._leads_on = np.zeros(self.num_rows, np.bool_)
        self._steps = steps
        self._newest = -1

    @property
    def num_envs(self) -> int:
        return self.actions.shape[1]

    @property
    def capacity(self) -> int:
        """Transitions held at most: whole rows of what was asked for."""
        return self._steps * self.num_envs

    def __len__(self) -> int:
        """Transitions held."""
        return int(np.count_nonzero(self._leads_on)) * self.num_envs

    def start(self, observation: Observation) -> None:
        """The first state of new episodes."""
        self._push(observation)

    def add(self, action: Tensor, reward: Tensor, observation: Observation, *, ended: bool) -> None:
        """What was done in the newest state, the reward, the state it led to, and whether time was up there."""
        row = self._newest
        self.actions[row], self.rewards[row] = action, reward
        self.ends[row].fill_(ended)  # an assignment would send the one bit from the host, and wait
        self._push(observation)
        self._leads_on[row] = True
        rows = self._in_order()
        for oldest in rows[: max(0, rows.size - self._steps)]:
            self._leads_on[oldest] = False

    def _push(self, observation: Observation) -> None:
        self._newest = (self._newest + 1) % self.num_rows
        self._leads_on[self._newest] = False
        for name in _STATE:
            self.states[name][self._newest] = observation[name]

    def _in_order(self) -> Int64s:
        """The rows that lead on, oldest first."""
        ages = (self._newest - np.arange(self.num_rows)) % self.num_rows
        order = np.argsort(-ages, kind="stable")
        return order[self._leads_on[order]]

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Observation, Tensor, Tensor, Observation, Tensor]:
        """``size`` random transitions: states, actions, rewards, next states, and whether time was up there.

        Of the states themselves only the chosen pair is given, as (size, 1, 2k); of the next states all pairs.
        """
        rows = rng.choice(np.flatnonzero(self._leads_on), size)
        row, env = on_device(np.stack([rows, rng.integers(self.num_envs, size=size)]), self.actions.device)
        action = self.actions[row, env]
        states = {"embedding": self.states["embedding"][row, env]}
        states |= {name: self.states[name][row, env, action].unsqueeze(1) for name in ("leaving", "entering")}
        after = (row + 1) % self.num_rows
        next_states = {name: self.states[name][after, env] for name in _STATE}
        return states, action, self.rewards[row, env], next_states, self.ends[row]

    def state(self) -> dict[str, Tensor]:
        """Everything, for :meth:`restore`."""
        return {
            **self.states,
            "actions": self.actions,
            "rewards": self.rewards,
            "ends": self.ends,
            "leads_on": torch.from_numpy(self._leads_on),
            "newest": torch.tensor(self._newest),
        }

    def restore(self, state: dict[str, Tensor]) -> None:
        for name in _STATE:
            self.states[name].copy_(state[name])
        self.actions.copy_(state["actions"])
        self.rewards.copy_(state["rewards"])
        self.ends.copy_(state["ends"])
        self._leads_on, self._newest = state["leads_on"].numpy().copy(), int(state["newest"])
