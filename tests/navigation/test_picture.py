"""The map in two dimensions."""

import pytest
import torch

from lense.navigation import picture as module
from lense.navigation.picture import PictureMap


def plane(count: int = 60) -> torch.Tensor:
    """Points of a plane in five dimensions."""
    generator = torch.Generator().manual_seed(0)
    return torch.rand(count, 2, generator=generator) @ torch.randn(2, 5, generator=generator)


def test_points_of_a_plane_lose_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_STEPS", 1500)
    points = plane()
    picture = PictureMap.fitted(points, seed=0)
    assert picture(points).shape == (60, 2)
    lost = (picture.up(picture(points)) - points).square().mean()
    assert lost < 0.01 * points.var()


def test_the_seed_decides_the_picture_and_nothing_else_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_STEPS", 20)
    before = torch.get_rng_state()
    one, again = (PictureMap.fitted(plane(20), seed=3)(plane(20)) for _ in range(2))
    assert torch.equal(one, again)
    assert torch.equal(before, torch.get_rng_state())
    assert not torch.equal(one, PictureMap.fitted(plane(20), seed=4)(plane(20)))
