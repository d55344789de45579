"""How good a pruner is: ratios, shares pruned, times, and the ceiling and floors that frame them."""

from lense.evaluation.evaluating import Evaluation, evaluate
from lense.evaluation.yardstick import Figures, Measured, Yardstick

__all__ = ["Evaluation", "Figures", "Measured", "Yardstick", "evaluate"]
