"""How good a pruner is: ratios, shares pruned and times, between a ceiling and floors."""

from lense.evaluation.evaluating import Evaluation, evaluate
from lense.evaluation.yardstick import Figures, Measured, Yardstick

__all__ = ["Evaluation", "Figures", "Measured", "Yardstick", "evaluate"]
