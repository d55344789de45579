"""Tensors in files: safetensors, written under a temporary name and renamed, never pickled."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from lense._util.files import parse_json
from lense.errors import LenseError
from lense.pruners.model_files import damaged, not_finite, replacing_safetensors

Module = TypeVar("Module", bound=nn.Module)


def save_tensors(path: Path, tensors: Mapping[str, Tensor], facts: Mapping[str, Any] | None = None) -> None:
    """``tensors`` and a few ``facts`` that JSON knows, as one file."""
    plain = {name: tensor.detach().contiguous().cpu().clone() for name, tensor in tensors.items()}
    with replacing_safetensors(path) as temporary:
        save_file(plain, temporary, metadata={"facts": json.dumps(facts or {})})


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the facts of a file; no code in it is run."""
    if not path.is_file():
        raise LenseError(f"There is no file {path}, which a model needs.")
    try:
        with safe_open(path, framework="pt") as file:
            facts = parse_json((file.metadata() or {}).get("facts", "{}"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise damaged(path) from error
    if not isinstance(facts, dict):
        raise damaged(path)
    return tensors, facts


def check_finite(tensors: Mapping[str, Tensor], path: Path) -> None:
    if not all(torch.isfinite(tensor).all() for tensor in tensors.values()):
        raise not_finite(path)


def loaded(make: Callable[[], Module], tensors: Mapping[str, Tensor], path: Path) -> Module:
    """The module that ``make`` makes, with ``tensors`` in it; no memory is taken before their shapes are known to fit.

    Its random weights are overwritten, and must not change the user's random numbers.
    """
    with torch.random.fork_rng(devices=[]):
        with torch.device("meta"):
            _check_fits(make(), tensors, path)
        module = make()
    load_module(module, tensors, path)
    return module


def load_module(module: nn.Module, tensors: Mapping[str, Tensor], path: Path) -> None:
    """Put ``tensors`` into ``module``, once names and shapes are known to fit."""
    _check_fits(module, tensors, path)
    check_finite(tensors, path)
    module.load_state_dict(dict(tensors))


def _check_fits(module: nn.Module, tensors: Mapping[str, Tensor], path: Path) -> None:
    wanted = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    if wanted != {name: tuple(tensor.shape) for name, tensor in tensors.items()}:
        raise LenseError(f"{path} does not belong to this model: its tensors have other names or shapes.")
    kinds = {name: tensor.dtype for name, tensor in module.state_dict().items()}
    if any(tensor.dtype != kinds[name] for name, tensor in tensors.items()):
        raise LenseError(f"{path} does not belong to this model: its tensors hold numbers of another kind.")


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The state of an optimiser under flat names."""
    state = optimiser.state_dict()["state"]
    return {f"{index}.{name}": tensor for index, entry in state.items() for name, tensor in entry.items()}


def restore_optimiser(optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Undo :func:`optimiser_tensors`."""
    state: dict[int, dict[str, Tensor]] = {}
    for flat, tensor in tensors.items():
        index, name = flat.split(".", 1)
        state.setdefault(int(index), {})[name] = tensor
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})


def prefixed(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {f"{prefix}:{name}": tensor for name, tensor in tensors.items()}


def without_prefix(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    start = f"{prefix}:"
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}
