import numpy as np

from benchmarks.bounds import exactly
from lense.graph import barabasi_albert
from lense.problems import get_problem


def test_the_optimum_that_is_timed_is_proven() -> None:
    graph = barabasi_albert(200, 3, np.random.default_rng(0))
    assert exactly(get_problem("mvc"), graph, 5).optimal
