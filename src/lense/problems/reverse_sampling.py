"""How many reverse-reachable sets IMM and OPIM-C draw, and what such sets say about a spread."""

from math import lgamma, log, sqrt

import numpy as np

from lense._util.types import Bools, Float64s
from lense.kernels.hitting import Cover
from lense.kernels.reverse_sets import ReverseSets, count_hits
from lense.kernels.rows import Adjacency
from lense.kernels.spread import SpreadSample, arrival_rates, reachable
from lense.problems.base import Found

_ONE_MINUS_1_E = 1.0 - 1.0 / np.e
_OPIM_HITS, _OPIM_HITS_PER_CHOICE = 500, 15
"""How many sets a choice of opim-c hits in the end, about, of each of its two collections."""
POSSIBLE = float(np.finfo(np.float32).smallest_subnormal)
"""The least probability of an arc that can be live."""
_RARE = 3
"""What fewer worlds show is unknown: none may show an event of probability 3 / w, by the rule of three."""
_FIRST_SETS, _SETS_PER_VERTEX, _MOST_SETS, _MOST_MEMBERS = 1024, 32, 1 << 20, 1 << 21
_HITS_TO_SEE = 30


def imm_sets(n: int, budget: int, epsilon: float, ell: float, spread: float) -> float:
    """About how many sets IMM draws, if the best ``budget`` of n vertices reach ``spread``."""
    log_choices = log_choose(n, budget)
    certainty = corrected_ell(n, log_choices, epsilon, ell)
    return imm_lambda(n, log_choices, epsilon, certainty) * (1 + sqrt(2) * epsilon) / spread


def opim_sets(n: int, budget: int, spread: float) -> float:
    """About how many sets OPIM-C draws, if the best ``budget`` of n vertices reach ``spread``."""
    return 2 * (_OPIM_HITS + _OPIM_HITS_PER_CHOICE * budget) * n / spread


def log_choose(n: int, k: int) -> float:
    """ln of n over k."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def imm_lambda(n: int, log_choices: float, epsilon: float, ell: float) -> float:
    """lambda* of IMM: that many sets, divided by a lower bound on the optimum, suffice."""
    alpha = sqrt(ell * log(n) + log(2))
    beta = sqrt(_ONE_MINUS_1_E * (log_choices + ell * log(n) + log(2)))
    return 2 * n * (_ONE_MINUS_1_E * alpha + beta) ** 2 / epsilon**2


def corrected_ell(n: int, log_choices: float, epsilon: float, ell: float) -> float:
    """L = ell + gamma + ln 2 / ln n, gamma being the least with lambda*(L) <= n^gamma."""
    log_n = log(max(n, 2))
    base = ell + log(2) / log_n
    gamma, last = 0.0, -1.0
    while gamma - last > 1e-9:  # rises to the fixed point, since lambda* grows with gamma and ever more slowly
        last, gamma = gamma, log(imm_lambda(n, log_choices, epsilon, base + gamma)) / log_n
    return base + gamma + 1e-9


def imm_lower_bound(
    sets: ReverseSets, k: int, log_choices: float, epsilon: float, ell: float
) -> tuple[float, Cover | None]:
    """IMM's first phase: a lower bound on the optimum, at least 1, and the cover that showed it.

    Guesses fall by the root of 2, not by 2, so that fewer sets are drawn in vain. All are in the union bound.
    """
    n = sets.reverse.vertices.size
    wide = np.sqrt(2) * epsilon
    log_n = np.log(n)
    guesses = n / 2 ** np.arange(1, max(1.0, int(np.log2(n)) - 0.5), 0.5)
    needed = (2 + 2 / 3 * wide) * (log_choices + ell * log_n + np.log(max(guesses.size, 1))) * n / wide**2
    estimate = float(n)
    for guess in guesses.tolist():
        if estimate < (1 + wide) * guess:
            continue  # fewer sets flatter their cover, so it would not do here either
        sets.extend_to(int(np.ceil(needed / guess)))
        cover = sets.cover(k)
        estimate = n * cover.covered / len(sets)
        if estimate >= (1 + wide) * guess:
            return estimate / (1 + wide), cover
    return float(k), None


def run_opim_c(choosing: ReverseSets, checking: np.uint64, budget: int, epsilon: float, delta: float) -> Found:
    """OPIM-C with R1 ``choosing`` and R2 the sets of the key ``checking``, of which none is kept."""
    n = choosing.reverse.vertices.size
    alpha = np.sqrt(np.log(6 / delta))
    beta = np.sqrt(_ONE_MINUS_1_E * (log_choose(choosing.candidates.size, budget) + np.log(6 / delta)))
    most = 2 * n * (_ONE_MINUS_1_E * alpha + beta) ** 2 / (epsilon**2 * budget)
    theta = max(1, int(np.ceil(most * epsilon**2 * budget / n)))
    rounds = max(1, int(np.ceil(np.log2(most / theta))) + 1)  # the last one has at least `most` sets
    a, wanted, guarantee = np.log(3 * rounds / delta), _ONE_MINUS_1_E - epsilon, 0.0
    for number in range(1, rounds + 1):
        choosing.extend_to(theta)
        cover = choosing.cover(budget, bounded=True)
        upper = spread_above(cover.upper_bound, a, theta, n)
        # the sets that chose the vertices flatter them: where even their hits would not do, none are checked
        if number == rounds or spread_below(cover.covered, a, theta, n) >= wanted * upper:
            hits = count_hits(choosing.reverse, checking, theta, cover.vertices)
            guarantee = spread_below(hits, a, theta, n) / upper
            if guarantee >= wanted:
                break
        theta *= 2
    drawn = {"reverse_sets": 2 * len(choosing), "set_members": 2 * choosing.num_members}
    return Found(cover.vertices, details={**drawn, "guarantee": guarantee})


def spread_below(hits: int, a: float, theta: int, n: int) -> float:
    """A lower bound on the spread of a fixed set that hits ``hits`` of theta sets, wrong with probability e^-a."""
    return float(max(0.0, (np.sqrt(hits + 2 * a / 9) - np.sqrt(a / 2)) ** 2 - a / 18) * n / theta)


def spread_above(hits: float, a: float, theta: int, n: int) -> float:
    """An upper bound on the spread of a fixed set that hits at most ``hits`` of theta sets, never above n."""
    return float(min(n, (np.sqrt(hits + a / 2) + np.sqrt(a / 2)) ** 2 * n / theta))


def unseen_variance(out: Adjacency, sample: SpreadSample, sure: Bools, sets: ReverseSets) -> float:
    """About how much the variance of a spread exceeds that of a ``sample``, by cascades too rare to be in it.

    Such a cascade passes a vertex v that fewer than three worlds reach. Live arcs enter v from vertices that the sample
    knows at the mean rate r(v), and v adds D(v) vertices in the mean, which the ``sets`` say: those that hold v and no
    vertex that is reached for ``sure`` (n). What it adds is at most about D = max D(v), so that the variance is at
    most the sum of r(v) D(v) D. Only vertices with D(v) D > w s^2 count, with s^2 the variance of w worlds: others
    would change the mean by less than its standard error. In most graphs there are none, and few sets show it.
    """
    worlds, n = sample.sizes.size, sure.size
    rare = sample.visits < min(_RARE, worlds)
    harmless = worlds * float(sample.sizes.var(ddof=1))
    sets.extend_to(max(len(sets), _FIRST_SETS))
    most = min(_SETS_PER_VERTEX * n, _MOST_SETS, len(sets) * _MOST_MEMBERS // max(1, sets.num_members))

    def added(least: float) -> Float64s:
        """D (n), so precise that ``least`` is seen if enough sets may be drawn."""
        sets.extend_to(int(min(most, _HITS_TO_SEE * n / least)) if least else most)
        return _added(sets, sure)

    largest = added(sqrt(harmless)).max(initial=0.0, where=rare)
    if largest**2 <= harmless:
        return 0.0
    adds = added(harmless / largest)
    rare &= reachable(out, sample.seeds, POSSIBLE)
    squares = adds * adds.max(initial=0.0, where=rare)
    counted = rare & (squares > harmless)
    rates = arrival_rates(out, np.where(rare, 0.0, sample.visits / worlds))
    return float(rates[counted] @ squares[counted])


def _added(sets: ReverseSets, sure: Bools) -> Float64s:
    """(n): at most how many vertices each adds to the spread of those reached for ``sure``, by the rule of three."""
    offsets, members = sets.all_arrays()
    is_open = ~np.logical_or.reduceat(sure[members], offsets[:-1])
    counts = np.bincount(members[np.repeat(is_open, np.diff(offsets))], minlength=sure.size)
    return (counts + _RARE).astype(np.float64) * (sure.size / len(sets))
