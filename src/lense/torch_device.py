"""Where tensors live."""

import torch
from torch import Tensor

from lense.errors import LenseError, choose
from lense.types import AnyArray


def torch_device(name: str) -> torch.device:
    """The device called "cpu" or "cuda", or "auto" for a GPU if there is one."""
    choose(name, dict.fromkeys(("cpu", "cuda", "auto")), "device")
    if name == "cuda" and not torch.cuda.is_available():
        raise LenseError("There is no CUDA device here: take the device cpu, or auto.")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


def on_device(array: AnyArray, device: torch.device | str) -> Tensor:
    """The array as a tensor there; the host goes on before a GPU has it, as it may with memory that cannot move."""
    tensor = torch.from_numpy(array)
    if torch.device(device).type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)
