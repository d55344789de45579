"""The map in two dimensions, for pictures."""

import torch
from torch import Tensor, nn

_HIDDEN = 64
_STEPS = 1500


class PictureMap(nn.Module):
    """An autoencoder R^d -> R^2 -> R^d with one hidden layer each way, fitted to minimise the squared error."""

    def __init__(self, embedding_dim: int) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Linear(embedding_dim, _HIDDEN), nn.Tanh(), nn.Linear(_HIDDEN, 2))
        self.up = nn.Sequential(nn.Linear(2, _HIDDEN), nn.Tanh(), nn.Linear(_HIDDEN, embedding_dim))

    def forward(self, embeddings: Tensor) -> Tensor:
        """Points (..., 2) of embeddings (..., d)."""
        points: Tensor = self.down(embeddings)
        return points

    @classmethod
    def fitted(cls, embeddings: Tensor, seed: int) -> "PictureMap":
        """The map that keeps most of ``embeddings`` (N, d); it is computed on the CPU."""
        points = embeddings.detach().cpu()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = cls(points.shape[1])
        optimiser = torch.optim.Adam(model.parameters(), lr=0.003)
        for _ in range(_STEPS):
            optimiser.zero_grad()
            nn.functional.mse_loss(model.up(model(points)), points).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        return model.requires_grad_(False)
