"""Pruners: from a big graph to the small part of it on which the heuristic shall run."""

from lense.pruners.base import Pruner
from lense.pruners.lense import LeNSE
from lense.pruners.registry import get_pruner, load, pruner_class

__all__ = ["LeNSE", "Pruner", "get_pruner", "load", "pruner_class"]
