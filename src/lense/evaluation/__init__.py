"""How good a pruner is: ratios, shares pruned and times, between a ceiling and baselines."""

from lense.evaluation.evaluating import BASELINES, Evaluation, Figures, Measured, Yardstick, evaluate, find_test_side

__all__ = ["BASELINES", "Evaluation", "Figures", "Measured", "Yardstick", "evaluate", "find_test_side"]
