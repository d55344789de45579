"""Problems: what is maximised, by which heuristics, and how far from the optimum they can be."""

from lense.problems.base import Found, Problem, Solution, get_problem, heuristic, seeded_problem

__all__ = ["Found", "Problem", "Solution", "get_problem", "heuristic", "seeded_problem"]
