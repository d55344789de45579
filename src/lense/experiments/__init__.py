"""Experiments: many runs under one plan, kept as they come, and the tables and figures made of them."""

from lense.experiments.cases import Source
from lense.experiments.compare import compare
from lense.experiments.plan import Comparison

__all__ = ["Comparison", "Source", "compare"]
