"""Random numbers as a hash of their coordinates, on any device: the draws of an episode depend on its key alone.

They are the words of :mod:`lense.counter`, computed on tensors.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from lense.torch_device import on_device


def _signed(word: int) -> int:
    return word - (1 << 64) if word >= 1 << 63 else word


_GOLDEN = _signed(0x9E3779B97F4A7C15)
_SILVER = _signed(0xD1B54A32D192ED03)
_M1 = _signed(0xBF58476D1CE4E5B9)
_M2 = _signed(0x94D049BB133111EB)


def _shifted(x: Tensor, bits: int) -> Tensor:
    """The logical shift that torch's integers lack."""
    return (x >> bits) & ((1 << (64 - bits)) - 1)


def _mixed(x: Tensor) -> Tensor:
    x = (x ^ _shifted(x, 30)) * _M1
    x = (x ^ _shifted(x, 27)) * _M2
    return x ^ _shifted(x, 31)


def uniforms(keys: Tensor, step: int, count: int) -> Tensor:
    """Numbers (B, count) in [0, 1), float64: those of ``step`` in the streams of ``keys`` (B), int64."""
    streams = _mixed(keys + _signed((step + 1) * (_GOLDEN & (1 << 64) - 1) & (1 << 64) - 1))
    words = _mixed(streams.unsqueeze(1) + torch.arange(1, count + 1, device=keys.device) * _SILVER)
    return _shifted(words, 11).to(torch.float64) * 2.0**-53


def keys_from(seeds: Sequence[int], device: torch.device | str = "cpu") -> Tensor:
    """Stream keys (B), int64, of whole-number seeds."""
    words = [np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] for seed in seeds]
    return on_device(np.array(words, np.uint64).view(np.int64), device)
