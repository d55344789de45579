"""Where tensors live."""

import torch

from lense.errors import LenseError, choose


def torch_device(name: str) -> torch.device:
    """The device called "cpu" or "cuda", or "auto" for a GPU if there is one."""
    choose(name, dict.fromkeys(("cpu", "cuda", "auto")), "device")
    if name == "cuda" and not torch.cuda.is_available():
        raise LenseError("There is no CUDA device here: take the device cpu, or auto.")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")
