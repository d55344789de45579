"""Pruners: from a big graph to the small part of it that the heuristic runs on."""

from lense.pruners.base import Pruner
from lense.pruners.bounds import Bounds
from lense.pruners.core import Core
from lense.pruners.registry import get_pruner, load, pruner_class

__all__ = ["Bounds", "Core", "Pruner", "get_pruner", "load", "pruner_class"]
