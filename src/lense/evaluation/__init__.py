"""Measure a pruner: ratios, shares pruned and times, with a ceiling and baselines."""

from lense.evaluation.evaluating import BASELINES, Evaluation, Figures, Measured, Yardstick, evaluate, find_test_side

__all__ = ["BASELINES", "Evaluation", "Figures", "Measured", "Yardstick", "evaluate", "find_test_side"]
