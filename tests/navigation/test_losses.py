"""What the encoder minimises, each loss against its formula."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pytorch_metric_learning.losses import NTXentLoss
from torch import Tensor

from lense.navigation.losses import LOSSES, TEMPERATURE, CrossEntropy, InfoNCE, Ordinal

CLASSES = 4


def batch(size: int = 20, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Embeddings (size, 5) and labels 0..3."""
    generator = torch.Generator().manual_seed(seed)
    points = torch.randn(size, 5, generator=generator, dtype=torch.float64)
    return points, torch.randint(CLASSES, (size,), generator=generator)


def infonce(points: Tensor, labels: Tensor) -> float:
    """The formula, pair by pair."""
    unit = points / points.norm(dim=1, keepdim=True)
    likeness = (unit @ unit.T / 0.1).tolist()
    classes, losses = labels.tolist(), []
    for x in range(len(classes)):
        others = sum(math.exp(likeness[x][y]) for y in range(len(classes)) if classes[y] != classes[x])
        losses += [
            -math.log(math.exp(likeness[x][y]) / (math.exp(likeness[x][y]) + others))
            for y in range(len(classes))
            if y != x and classes[y] == classes[x]
        ]
    return sum(losses) / len(losses)


@given(st.integers(0, 1000), st.integers(6, 24))
@settings(max_examples=25, deadline=None)
def test_infonce_is_its_formula_with_temperature_a_tenth(seed: int, size: int) -> None:
    assert TEMPERATURE == 0.1
    points, labels = batch(size, seed)
    assert InfoNCE(5, CLASSES)(points, labels).item() == pytest.approx(infonce(points, labels), rel=1e-6)


def test_infonce_has_the_value_and_the_gradient_of_ntxent() -> None:
    points, labels = batch()
    ours, theirs = points.clone().requires_grad_(), points.clone().requires_grad_()
    loss, reference = InfoNCE(5, CLASSES)(ours, labels), NTXentLoss(temperature=0.1)(theirs, labels)
    torch.testing.assert_close(loss, reference)
    loss.backward()
    reference.backward()
    torch.testing.assert_close(ours.grad, theirs.grad)


def test_infonce_compares_directions_alone() -> None:
    points, labels = batch()
    loss = InfoNCE(5, CLASSES)
    torch.testing.assert_close(loss(points, labels), loss(points * torch.rand(20, 1, dtype=points.dtype), labels))


def test_cross_entropy_is_its_formula_on_a_linear_layer() -> None:
    points, labels = batch()
    loss = CrossEntropy(5, CLASSES).double()
    logits = points @ loss.output.weight.T + loss.output.bias
    chosen = torch.stack([row[label] for row, label in zip(logits, labels.tolist(), strict=True)])
    torch.testing.assert_close(loss(points, labels), (logits.exp().sum(1).log() - chosen).mean())


def test_the_ordinal_loss_is_the_squared_error_from_a_one_for_each_class_up_to_the_true_one() -> None:
    points, labels = batch()
    loss = Ordinal(5, CLASSES).double()
    predicted = 1 / (1 + (-(points @ loss.output.weight.T + loss.output.bias)).exp())
    wanted = torch.tensor([[float(j <= label) for j in range(CLASSES)] for label in labels.tolist()]).double()
    torch.testing.assert_close(loss(points, labels), ((predicted - wanted) ** 2).mean())


@pytest.mark.parametrize(("name", "learnt"), [("infonce", 0), ("cross-entropy", 24), ("ordinal", 24)])
def test_the_alternatives_have_an_output_layer_of_their_own(name: str, learnt: int) -> None:
    assert sum(weight.numel() for weight in LOSSES[name](5, CLASSES).parameters()) == learnt
