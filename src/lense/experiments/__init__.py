"""Experiments: many runs under one plan, kept as they come, and the tables and figures made of them."""

from lense.experiments.cases import Source
from lense.experiments.compare import Comparison, compare

__all__ = ["Comparison", "Source", "compare"]
