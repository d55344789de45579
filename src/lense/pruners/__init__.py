"""Pruners: from a big graph to the small part of it on which the heuristic shall run."""

from lense.pruners.base import Pruner
from lense.pruners.lense import LeNSE, load

__all__ = ["LeNSE", "Pruner", "load"]
