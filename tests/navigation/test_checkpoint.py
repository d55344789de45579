"""Tensors in files: nothing is lost, nothing is run, and damage is reported."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from lense.errors import LenseError
from lense.navigation.checkpoint import (
    load_module,
    load_tensors,
    optimiser_tensors,
    prefixed,
    restore_optimiser,
    save_tensors,
    without_prefix,
)

TENSORS = {
    "weights": torch.randn(3, 4, generator=torch.Generator().manual_seed(0)),
    "a number": torch.tensor(7),
    "truths": torch.tensor([True, False]),
    "nothing": torch.zeros(0, 2),
}
FACTS = {"epoch": 3, "best_loss": 0.1 + 0.2, "since": float("inf"), "name": "wiki"}


def test_what_is_saved_is_loaded_bit_by_bit(tmp_path: Path) -> None:
    save_tensors(tmp_path / "file", TENSORS, FACTS)
    tensors, facts = load_tensors(tmp_path / "file")
    assert facts == FACTS
    assert set(tensors) == set(TENSORS)
    for name, tensor in TENSORS.items():
        assert tensors[name].dtype == tensor.dtype
        assert torch.equal(tensors[name], tensor)


def test_parts_transposes_and_shared_memory_are_saved_as_what_they_show(tmp_path: Path) -> None:
    base = torch.arange(12.0).view(3, 4).requires_grad_()
    save_tensors(tmp_path / "file", {"whole": base, "turned": base.T, "part": base[1:, ::2]})
    tensors, facts = load_tensors(tmp_path / "file")
    assert facts == {}
    assert torch.equal(tensors["turned"], base.T)
    assert torch.equal(tensors["part"], base[1:, ::2])


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    save_tensors(tmp_path / "file", TENSORS)
    with pytest.raises(TypeError):
        save_tensors(tmp_path / "file", {}, {"no JSON": object()})
    assert set(load_tensors(tmp_path / "file")[0]) == set(TENSORS)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def cut_to_nothing(path: Path) -> None:
    path.write_bytes(b"")


def with_another_header(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"dtype"', b'"dtypo"'))


def of_text(path: Path) -> None:
    path.write_text("tensors")


class Bomb:
    """Leaves a file behind wherever it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[Path]]:
        return Path.touch, (self.path,)


def of_pickle(path: Path) -> None:
    path.write_bytes(pickle.dumps(Bomb(path.with_name("exploded"))))


@pytest.mark.parametrize("damage", [cut_short, cut_to_nothing, with_another_header, of_text, of_pickle])
def test_a_damaged_or_foreign_file_is_reported_and_nothing_in_it_is_run(
    damage: Callable[[Path], None], tmp_path: Path
) -> None:
    save_tensors(tmp_path / "file", TENSORS)
    damage(tmp_path / "file")
    with pytest.raises(LenseError, match="file is damaged or no safetensors file"):
        load_tensors(tmp_path / "file")
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_file_that_is_not_there_is_reported(name: str, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match="There is no file"):
        load_tensors(tmp_path / name)


def test_a_module_takes_tensors_of_its_own_names_and_shapes() -> None:
    one, other = nn.Linear(3, 2), nn.Linear(3, 2)
    load_module(other, one.state_dict(), Path("file"))
    assert torch.equal(one.weight, other.weight)


@pytest.mark.parametrize("tensors", [{}, nn.Linear(2, 2).state_dict(), nn.Linear(3, 2, bias=False).state_dict()])
def test_a_module_refuses_any_others_and_stays_as_it_is(tensors: dict[str, Tensor]) -> None:
    module = nn.Linear(3, 2)
    before = copy.deepcopy(module.state_dict())
    with pytest.raises(LenseError, match="file does not belong to this model"):
        load_module(module, tensors, Path("file"))
    assert all(torch.equal(tensor, before[name]) for name, tensor in module.state_dict().items())


def step(module: nn.Module, optimiser: torch.optim.Optimizer) -> None:
    optimiser.zero_grad()
    module(torch.ones(5, 3)).square().sum().backward()
    optimiser.step()


def test_an_optimiser_goes_on_from_its_tensors_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    module = nn.Sequential(*(nn.Linear(3, 3) for _ in range(6)))  # more than ten weights: names of two digits
    optimiser = torch.optim.Adam(module.parameters(), lr=0.01)
    for _ in range(3):
        step(module, optimiser)
    save_tensors(tmp_path / "file", optimiser_tensors(optimiser))
    twin = copy.deepcopy(module)
    restored = torch.optim.Adam(twin.parameters(), lr=0.01)
    restore_optimiser(restored, load_tensors(tmp_path / "file")[0])
    for _ in range(3):
        step(module, optimiser)
        step(twin, restored)
    assert all(torch.equal(a, b) for a, b in zip(module.parameters(), twin.parameters(), strict=True))


def test_prefixes_keep_the_tensors_of_several_modules_apart() -> None:
    together = {**prefixed("best", {"a": torch.tensor(1)}), **prefixed("best of all", {"a": torch.tensor(2)})}
    assert without_prefix("best", together) == {"a": torch.tensor(1)}
    assert without_prefix("best of all", together) == {"a": torch.tensor(2)}
