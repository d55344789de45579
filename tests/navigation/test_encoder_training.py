"""Learning the map: early stopping, the goal, the report, and runs that are interrupted."""

import logging
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from lense._util.types import Int64s
from lense.errors import LenseError
from lense.navigation import encoder_training as module
from lense.navigation.batches import GraphTensors, induce
from lense.navigation.encoder_training import LOSS_NAMES, EncoderSettings, TrainedEncoder, embed, train_encoder
from lense.navigation.labels import LabelledSubgraphs
from lense.navigation.losses import LOSSES, InfoNCE
from tests.learning import SETTINGS as ALL_SETTINGS
from tests.learning import Stopped, needs_gpu, root_sets, same_weights, samples, tensors, trained

SETTINGS = ALL_SETTINGS.encoder


def run(settings: EncoderSettings, seed: int = 0) -> module.EncoderRun:
    return module.EncoderRun(tensors(), samples().roots, module._class_numbers(samples()), settings, seed)


def history(settings: EncoderSettings, **options: Any) -> tuple[TrainedEncoder, list[float]]:
    """What training gives, and the loss on the held-out samples after each epoch."""
    losses: list[float] = []
    result = train_encoder(
        tensors(), samples(), settings, report=lambda *_, held_out_loss, **__: losses.append(held_out_loss), **options
    )
    return result, losses


@cache
def uninterrupted(settings: EncoderSettings) -> tuple[TrainedEncoder, list[float]]:
    """:func:`history` for all tests that compare with it and change nothing of it."""
    return history(settings)


@pytest.fixture
def fast_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps so large that the loss soon rises again."""
    monkeypatch.setattr(module, "LEARNING_RATE", 0.1)


def nearest_classes(points: np.ndarray[Any, Any], known: Any, labels: Any, k: int = 5) -> list[int]:
    """The commonest class among the k nearest known points, the lowest of equally common ones."""
    distances = np.linalg.norm(points[:, None] - known[None], axis=2)
    return [int(np.bincount(labels[order[:k]]).argmax()) for order in distances.argsort(axis=1, kind="stable")]


def test_the_sizes_are_the_papers() -> None:
    assert (module.BATCH, module.LEARNING_RATE) == (128, 0.001)


def test_one_sample_in_five_of_each_class_is_held_out() -> None:
    labels = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [50, 20, 15]))
    learnt, held_out = module._held_out_fifth(labels, seed=0)
    assert sorted([*learnt, *held_out]) == list(range(85))
    assert np.bincount(labels[held_out]).tolist() == [10, 4, 3]
    assert not np.array_equal(held_out, module._held_out_fifth(labels, seed=1)[1])


def test_the_goal_is_the_centroid_of_class_1() -> None:
    best = samples().roots[samples().labels == 1]
    torch.testing.assert_close(trained().goal, embed(trained().encoder, tensors(), best).mean(dim=0))
    torch.testing.assert_close(trained().embeddings, embed(trained().encoder, tensors(), samples().roots))


def test_without_class_1_the_goal_is_the_centroid_of_the_best_class_there_is() -> None:
    left = samples().labels > 1
    rest = replace(samples(), roots=samples().roots[left], ratios=samples().ratios[left], labels=samples().labels[left])
    result = train_encoder(tensors(), rest, replace(SETTINGS, epochs=1))
    torch.testing.assert_close(result.goal, result.embeddings[torch.from_numpy(rest.labels == 2)].mean(dim=0))


@pytest.mark.usefixtures("fast_steps")
def test_training_stops_when_the_held_out_loss_has_not_fallen_for_patience_epochs() -> None:
    result, losses = history(replace(SETTINGS, epochs=60, patience=3))
    best = int(np.argmin(losses))
    assert result.report.epochs == len(losses) == best + 1 + 3 < 60
    assert result.report.held_out_loss == losses[best]


@pytest.mark.usefixtures("fast_steps")
def test_the_best_weights_are_kept_and_not_the_last() -> None:
    result, losses = history(replace(SETTINGS, epochs=60, patience=3))
    labels = module._class_numbers(samples())
    _, held_out = module._held_out_fifth(labels, 0)
    points = embed(result.encoder, tensors(), samples().roots[held_out])
    loss = float(InfoNCE(4, 4)(points, torch.from_numpy(labels[held_out])))
    assert loss == pytest.approx(min(losses), rel=1e-4)
    assert loss < 0.99 * losses[-1]


def test_learning_lowers_the_loss_and_leaves_no_gradients() -> None:
    _, losses = history(SETTINGS)
    assert min(losses) < losses[0]
    assert not any(weight.requires_grad for weight in trained().encoder.parameters())


def test_the_report_is_about_the_samples_held_out() -> None:
    labels = samples().labels
    learnt, held_out = module._held_out_fifth(module._class_numbers(samples()), 0)
    points, goal = trained().embeddings.numpy(), trained().goal.numpy()
    report = trained().report
    guessed = nearest_classes(points[held_out], points[learnt], labels[learnt])
    assert report.neighbour_accuracy == np.mean(guessed == labels[held_out])
    distances = np.linalg.norm(points[held_out] - goal, axis=1)
    assert report.order == pytest.approx(spearmanr(distances, labels[held_out]).statistic)
    assert -1 <= report.silhouette <= 1
    assert set(report.as_dict()) == {"epochs", "held_out_loss", "neighbour_accuracy", "order", "silhouette"}


def mislabelled() -> LabelledSubgraphs:
    order = np.random.default_rng(0).permutation(samples().labels.size)
    return replace(samples(), roots=samples().roots[order])


def test_a_map_that_does_not_order_the_classes_warns_and_says_what_to_try(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        result = train_encoder(tensors(), mislabelled(), replace(SETTINGS, epochs=2))
    assert result.report.order < 0.7
    assert len(caplog.records) == 1
    assert "does not order the classes" in caplog.text
    assert "try more samples_per_class" in caplog.text


def test_a_map_that_does_is_silent(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        result = train_encoder(tensors(), samples(), SETTINGS)
    assert result.report.order > 0.7
    assert not caplog.records


def in_one_piece(loss: str, chosen: Int64s) -> tuple[torch.Tensor, module.EncoderRun]:
    """The loss of the samples ``chosen``, and a run that holds its gradients."""
    whole = run(replace(SETTINGS, loss=loss))
    batch = induce(tensors(), torch.from_numpy(samples().roots[chosen]))
    points = whole.encoder(batch, *whole.encoder.vertex_features(tensors(), batch))
    value: torch.Tensor = whole.network["loss"](points, whole.labels[torch.from_numpy(chosen)])
    value.backward()  # type: ignore[no-untyped-call]
    return value.detach(), whole


@pytest.mark.parametrize("loss", LOSS_NAMES)
@pytest.mark.parametrize("size", [1, 6, 100])
def test_gradients_in_pieces_are_those_in_one_piece(loss: str, size: int) -> None:
    chosen = np.arange(0, 60, 3)
    in_pieces = run(replace(SETTINGS, loss=loss))
    in_pieces.samples.piece_size = size
    assert len(in_pieces._pieces(chosen)) == -(-20 // size)
    value, (expected, whole) = in_pieces._backward(chosen), in_one_piece(loss, chosen)
    assert value == pytest.approx(expected.item(), rel=1e-5)
    for ours, theirs in zip(in_pieces.network.parameters(), whole.network.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-3, atol=1e-5)


def test_embeddings_do_not_depend_on_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = embed(trained().encoder, tensors(), root_sets(9))
    monkeypatch.setattr(module, "_MOST_ENTRIES", 1)
    torch.testing.assert_close(embed(trained().encoder, tensors(), root_sets(9)), whole, rtol=1e-4, atol=1e-5)


def test_samples_are_found_once_where_there_is_room_and_learning_is_the_same_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = replace(SETTINGS, epochs=3)
    kept = train_encoder(tensors(), samples(), settings)
    found: list[int] = []

    def counted(graph: GraphTensors, sets: torch.Tensor) -> Any:
        found.append(len(sets))
        return induce(graph, sets)

    monkeypatch.setattr(module, "induce", counted)
    train_encoder(tensors(), samples(), settings)
    assert found.count(1) == len(samples().roots)
    monkeypatch.setattr(module, "_MOST_KEPT", 1)
    anew = train_encoder(tensors(), samples(), settings)
    assert same_weights(kept.encoder, anew.encoder)
    assert torch.equal(kept.embeddings, anew.embeddings)


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_the_number_of_threads_changes_no_bit(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = replace(SETTINGS, epochs=3)
    expected = train_encoder(tensors(), samples(), settings)
    monkeypatch.setenv("LENSE_THREADS", threads)
    found = train_encoder(tensors(), samples(), settings)
    assert same_weights(found.encoder, expected.encoder)
    assert torch.equal(found.embeddings, expected.embeddings)
    assert len(run(settings)._pieces(np.arange(48))) > 1


def test_the_seed_decides_everything_and_nothing_else_is_drawn() -> None:
    before = torch.get_rng_state()
    one, _ = uninterrupted(SETTINGS)
    again, other = (train_encoder(tensors(), samples(), SETTINGS, seed=seed) for seed in (0, 1))
    assert torch.equal(before, torch.get_rng_state())
    assert same_weights(one.encoder, again.encoder)
    assert torch.equal(one.goal, again.goal)
    assert one.report == again.report
    assert not same_weights(one.encoder, other.encoder)


@pytest.mark.parametrize(("loss", "epochs"), [("infonce", 1), ("ordinal", 2), ("infonce", 8)])
def test_an_interrupted_run_goes_on_from_its_checkpoint_to_the_same_weights(
    loss: str, epochs: int, tmp_path: Path
) -> None:
    """It is interrupted while the given epoch is reported, before that epoch is kept."""
    settings = replace(SETTINGS, loss=loss)
    whole, losses = uninterrupted(settings)

    def stop(_stage: str, epoch: int, **_figures: float) -> None:
        if epoch == epochs:
            raise Stopped

    checkpoint = tmp_path / "encoder.safetensors"
    with pytest.raises(Stopped):
        train_encoder(tensors(), samples(), settings, checkpoint=checkpoint, report=stop)
    assert checkpoint.exists() == (epochs > 1)
    resumed, later_losses = history(settings, checkpoint=checkpoint)
    assert later_losses == losses[epochs - 1 :]
    assert same_weights(resumed.encoder, whole.encoder)
    assert torch.equal(resumed.goal, whole.goal)
    assert resumed.report == whole.report


@pytest.mark.usefixtures("fast_steps")
def test_a_finished_run_is_not_run_again(tmp_path: Path) -> None:
    settings = replace(SETTINGS, epochs=60, patience=2)
    whole, _ = history(settings, checkpoint=tmp_path / "encoder")
    again, losses = history(settings, checkpoint=tmp_path / "encoder")
    assert losses == []
    assert same_weights(again.encoder, whole.encoder)
    assert again.report == whole.report


def test_a_checkpoint_of_another_network_is_reported(tmp_path: Path) -> None:
    train_encoder(tensors(), samples(), replace(SETTINGS, epochs=1), checkpoint=tmp_path / "encoder")
    with pytest.raises(LenseError, match="does not belong to this model"):
        train_encoder(tensors(), samples(), replace(SETTINGS, vertex_dim=9), checkpoint=tmp_path / "encoder")


def test_the_losses_that_may_be_named_are_those_there_are() -> None:
    assert tuple(LOSSES) == LOSS_NAMES
    with pytest.raises(LenseError, match=r"no loss called 'ordnial': choose from infonce, .*did you mean 'ordinal'"):
        EncoderSettings(loss="ordnial")


def test_a_loss_that_is_no_number_is_reported() -> None:
    broken = replace(tensors(), features=torch.full_like(tensors().features, torch.nan))
    with pytest.raises(LenseError, match="no longer a number"):
        train_encoder(broken, samples(), SETTINGS)


@needs_gpu
def test_a_gpu_learns_the_same_map() -> None:
    settings = replace(SETTINGS, epochs=3)
    here, there = (train_encoder(tensors(device), samples(), settings) for device in ("cpu", "cuda"))
    assert there.report.held_out_loss == pytest.approx(here.report.held_out_loss, rel=0.01)
    torch.testing.assert_close(here.goal, there.goal.cpu(), rtol=0.05, atol=0.02)
