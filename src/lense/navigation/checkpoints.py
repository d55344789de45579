"""The state of a training in files, and tensors from files into modules whose shapes they must fit."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from lense._util.types import AnyArray
from lense.errors import LenseError
from lense.pruners.model_files import read_with_facts, write_arrays

Module = TypeVar("Module", bound=nn.Module)
Tensors = Mapping[str, Tensor]
Group = nn.Module | Mapping[str, Tensor] | Mapping[str, AnyArray]


def arrays_of(group: Group) -> dict[str, AnyArray]:
    """The state of a module, or tensors by name, in numpy."""
    tensors: Mapping[str, Any] = group.state_dict() if isinstance(group, nn.Module) else group
    return {name: one.detach().cpu().numpy() if isinstance(one, Tensor) else one for name, one in tensors.items()}


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    arrays, facts = read_with_facts(path)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}, facts


def save_checkpoint(
    path: Path, groups: Mapping[str, Group], optimiser: torch.optim.Optimizer, facts: Mapping[str, Any]
) -> None:
    """The state of a training: named groups of tensors, an optimiser, and facts that JSON knows."""
    state = optimiser.state_dict()["state"]
    moments = {f"{index}.{name}": tensor for index, entry in state.items() for name, tensor in entry.items()}
    every = {name: arrays_of(group) for name, group in {**groups, "optimiser": moments}.items()}
    write_arrays(path, {f"{group}:{name}": a for group, arrays in every.items() for name, a in arrays.items()}, facts)


def restore_checkpoint(
    path: Path, modules: Mapping[str, nn.Module], optimiser: torch.optim.Optimizer
) -> tuple[dict[str, dict[str, Tensor]], dict[str, Any]]:
    """Put back the modules and the optimiser of :func:`save_checkpoint`; all groups by name, and the facts."""
    tensors, facts = load_tensors(path)
    groups: dict[str, dict[str, Tensor]] = defaultdict(dict)
    for flat, tensor in tensors.items():
        group, _, name = flat.partition(":")
        groups[group][name] = tensor
    for name, module in modules.items():
        load_module(module, groups[name], path)
    state: dict[int, dict[str, Tensor]] = defaultdict(dict)
    for flat, tensor in groups["optimiser"].items():
        index, name = flat.split(".", 1)
        state[int(index)][name] = tensor
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
    return groups, facts


def loaded(make: Callable[[], Module], tensors: Tensors, path: Path) -> Module:
    """The module that ``make`` makes, with ``tensors`` in it; memory is taken once their shapes are known to fit."""
    with torch.random.fork_rng(devices=[]):
        with torch.device("meta"):
            _check_fits(make(), tensors, path)
        module = make()
    load_module(module, tensors, path)
    return module.requires_grad_(False)


def load_module(module: nn.Module, tensors: Tensors, path: Path) -> None:
    _check_fits(module, tensors, path)
    module.load_state_dict(dict(tensors))


def _check_fits(module: nn.Module, tensors: Tensors, path: Path) -> None:
    kinds, wanted = ({name: (t.shape, t.dtype) for name, t in some.items()} for some in (tensors, module.state_dict()))
    if kinds != wanted:
        raise LenseError(f"{path} does not belong to this model: its tensors have other names, shapes or types.")
