"""The state of a training in a file, and modules from tensors whose names, shapes and types must fit."""

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
Groups = dict[str, dict[str, Tensor]]


def arrays_of(tensors: Mapping[Any, Any]) -> dict[str, AnyArray]:
    """Tensors by name in numpy; those of a group within have names such as ``group:name``."""
    found: dict[str, AnyArray] = {}
    for name, one in tensors.items():
        if isinstance(one, Mapping):
            found |= {f"{name}:{inner}": array for inner, array in arrays_of(one).items()}
        else:
            found[str(name)] = one.detach().cpu().numpy() if isinstance(one, Tensor) else one
    return found


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    arrays, facts = read_with_facts(path)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}, facts


def save_checkpoint(
    path: Path, groups: Mapping[str, Mapping[str, Any]], optimiser: torch.optim.Optimizer, facts: Mapping[str, Any]
) -> None:
    """The state of a training: named groups of tensors, an optimiser, and facts that JSON knows."""
    write_arrays(path, arrays_of({**groups, "optimiser": optimiser.state_dict()["state"]}), facts)


def restore_checkpoint(
    path: Path, network: nn.Module, optimiser: torch.optim.Optimizer
) -> tuple[Groups, dict[str, Any]]:
    """All groups of :func:`save_checkpoint` and the facts; "network" and the optimiser are put back already."""
    tensors, facts = load_tensors(path)
    groups: Groups = defaultdict(dict)
    for flat, tensor in tensors.items():
        group, _, name = flat.partition(":")
        groups[group][name] = tensor
    load_weights(network, groups["network"], path)
    state: dict[int, dict[str, Tensor]] = defaultdict(dict)
    for flat, tensor in groups["optimiser"].items():
        index, _, name = flat.partition(":")
        state[int(index)][name] = tensor
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
    return groups, facts


def loaded(make: Callable[[], Module], tensors: Mapping[str, Tensor], path: Path) -> Module:
    """The module that ``make`` makes, with ``tensors`` in it; one whose sizes are wrong takes no memory."""
    with torch.device("meta"):
        module = make()
    load_weights(module, tensors, path, assign=True)
    return module.requires_grad_(False)


def load_weights(module: nn.Module, tensors: Mapping[str, Tensor], path: Path, *, assign: bool = False) -> None:
    """Put ``tensors`` in place of the state of ``module``, or with ``assign`` its values into that state."""
    kinds, wanted = ({name: (t.shape, t.dtype) for name, t in some.items()} for some in (tensors, module.state_dict()))
    if kinds != wanted:
        raise LenseError(f"{path} does not belong to this model: its tensors have other names, shapes or types.")
    module.load_state_dict(dict(tensors), assign=assign)
