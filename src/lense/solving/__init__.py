"""The front door: solve any graph by any heuristic, on the whole of it or on a part, whichever is faster."""

from lense.solving.deciding import Advice, solve_prepared
from lense.solving.front import Part, advise, answer_record, find_part, prune, read_answer, score, solve, write_answer
from lense.solving.options import SolveOptions
from lense.solving.training import split, train

__all__ = [
    "Advice",
    "Part",
    "SolveOptions",
    "advise",
    "answer_record",
    "find_part",
    "prune",
    "read_answer",
    "score",
    "solve",
    "solve_prepared",
    "split",
    "train",
    "write_answer",
]
