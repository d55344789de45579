"""Solving any graph by any heuristic, on the whole of it or on a part: whichever takes less time for the target."""

from lense.solving.advice import Advice
from lense.solving.answers import score_answer
from lense.solving.deciding import Way, solve_prepared
from lense.solving.own import advise, prune, score, solve

__all__ = ["Advice", "Way", "advise", "prune", "score", "score_answer", "solve", "solve_prepared"]
