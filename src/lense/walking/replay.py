"""The replay memory: the few numbers that determine the vectors of a state's candidates, each state stored once."""

import torch
from torch import Tensor

from lense.walking.environment import Observation

_STATE = ("embedding", "leaving", "entering", "mask")


class Replay:
    """The last ``capacity`` transitions of B walks side by side, in a ring of rows of B states.

    The state after row i is row i + 1, so that no state is kept twice; the last state of an episode takes a row from
    which no action leads on. A transition takes 4 (4 k + 1 / 4) M bytes for k vertex features and M actions. The rows
    that lead on are listed in a ring of their own on the device, so that drawing from them asks nothing of it.
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
        self._leading_on = torch.zeros(steps + 1, dtype=torch.int64, device=device)
        self._steps = steps
        self._newest, self._oldest, self._held = -1, 0, 0

    @property
    def num_envs(self) -> int:
        return self.actions.shape[1]

    @property
    def capacity(self) -> int:
        """Transitions held at most: whole rows of what was asked for."""
        return self._steps * self.num_envs

    def __len__(self) -> int:
        """Transitions held."""
        return self._held * self.num_envs

    def start(self, observation: Observation) -> None:
        """The first state of new episodes."""
        self._push(observation)

    def add(self, action: Tensor, reward: Tensor, observation: Observation, *, ended: bool) -> None:
        """What was done in the newest state, the reward, the state it led to, and whether time was up there."""
        row = self._newest
        self.actions[row], self.rewards[row] = action, reward
        # an assignment would send the number from the host, and wait
        self.ends[row].fill_(ended)
        self._leading_on[(self._oldest + self._held) % self._leading_on.numel()].fill_(row)
        self._held += 1
        if self._held > self._steps:
            self._oldest, self._held = (self._oldest + 1) % self._leading_on.numel(), self._steps
        self._push(observation)

    def _push(self, observation: Observation) -> None:
        self._newest = (self._newest + 1) % self.num_rows
        for name in _STATE:
            self.states[name][self._newest] = observation[name]

    def sample(self, lots: Tensor) -> tuple[Observation, Tensor, Tensor, Observation, Tensor]:
        """N random transitions by ``lots`` (2, N) in [0, 1): states, actions, rewards, next states, and whether time
        was up there.

        Of the states themselves only the chosen pair is given, as (N, 1, 2k); of the next states all pairs.
        """
        place, env = (lots[0] * self._held).long(), (lots[1] * self.num_envs).long()
        row = self._leading_on[(self._oldest + place) % self._leading_on.numel()]
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
            "leading_on": self._leading_on,
            "places": torch.tensor([self._newest, self._oldest, self._held]),
        }

    def restore(self, state: dict[str, Tensor]) -> None:
        for name in _STATE:
            self.states[name].copy_(state[name])
        self.actions.copy_(state["actions"])
        self.rewards.copy_(state["rewards"])
        self.ends.copy_(state["ends"])
        self._leading_on.copy_(state["leading_on"])
        self._newest, self._oldest, self._held = state["places"].tolist()
