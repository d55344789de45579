"""Pruners: from a big graph to the small part of it that the heuristic runs on."""

from typing import TYPE_CHECKING, Any

from lense.pruners.base import Pruner
from lense.pruners.bounds import Bounds
from lense.pruners.core import Core
from lense.pruners.registry import get_pruner, load, pruner_class

if TYPE_CHECKING:
    from lense.pruners.lense import LeNSE

__all__ = ["Bounds", "Core", "LeNSE", "Pruner", "get_pruner", "load", "pruner_class"]


def __getattr__(name: str) -> Any:
    # on first use, since LeNSE needs torch, which takes seconds to import
    if name != "LeNSE":
        raise AttributeError(f"module 'lense.pruners' has no attribute '{name}'")
    from lense.pruners.lense import LeNSE

    return LeNSE
