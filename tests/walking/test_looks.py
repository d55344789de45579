"""Looks at policies: which of them is kept, where walks stop, and the feature that tells a solution."""

import numpy as np
import pytest
import torch

from lense.walking.looks import Judgement, Look, first_enough, kept_look, telling_feature
from lense.walking.q_network import FeatureGain
from lense.walking.settings import Settings


def kept(looks: list[tuple[float, float, float]], keep: str, prior: str = "never") -> tuple[float, float, float]:
    """Distance, ratio and share of edges of the look that is kept of several."""
    given = [Look(9, distance, Judgement(ratio, edges), FeatureGain()) for distance, ratio, edges in looks]
    chosen = kept_look(given, Settings(keep=keep, prior=prior, enough=0.985))
    return chosen.distance, *chosen.judged


def test_of_judged_policies_the_one_with_the_smallest_subgraphs_of_those_that_are_good_enough_is_kept() -> None:
    looks = [(0.4, 0.999, 0.6), (0.3, 0.986, 0.4), (0.2, 0.991, 0.5), (0.05, 0.984, 0.1)]
    assert kept(looks, "ratio") == (0.3, 0.986, 0.4)
    assert kept(looks, "distance") == (0.05, 0.984, 0.1)


def test_where_none_is_good_enough_it_is_one_within_half_a_per_cent_of_the_best() -> None:
    assert kept([(0.4, 0.97, 0.3), (0.3, 0.976, 0.4), (0.2, 0.98, 0.5)], "ratio") == (0.3, 0.976, 0.4)
    assert kept([(0.4, 0.97, 0.3), (0.3, 0.974, 0.4), (0.2, 0.98, 0.5)], "ratio") == (0.2, 0.98, 0.5)


def test_a_prior_that_is_preferred_is_kept_if_it_is_enough_or_within_one_per_cent_of_the_best() -> None:
    prior, good, better = (0.4, 0.91, 0.6), (0.3, 0.919, 0.4), (0.2, 0.93, 0.5)
    assert kept([prior, good], "ratio", "preferred") == prior
    assert kept([prior, good], "ratio", "equal") == good
    assert kept([prior, good, better], "ratio", "preferred") == better
    enough = (0.4, 0.986, 0.6)
    assert kept([enough, (0.1, 1.0, 0.1)], "ratio", "preferred") == enough


def test_the_feature_that_tells_the_solution_is_the_one_it_exceeds_the_others_in_by_most_deviations() -> None:
    features = torch.tensor([[0.0, 0.0, 9.0], [0.1, 50.0, 0.0], [0.0, 90.0, 9.0], [0.8, 60.0, 0.0], [0.9, 70.0, 0.0]])
    assert telling_feature(features, np.array([3, 4])) == 0
    assert telling_feature(features, np.array([0, 2])) == 2


@pytest.mark.parametrize("first", range(7))
def test_walks_stop_at_the_first_place_from_which_on_their_ratio_is_enough(first: int) -> None:
    ratios = [0.9] * first + [0.97] * (7 - first)
    asked: list[int] = []

    def judged(place: int) -> Judgement:
        asked.append(place)
        return Judgement(ratios[place], 0.1 * place)

    assert first_enough(judged, 7, 0.97) == first
    assert len(asked) <= 4
    assert first_enough(judged, 7, 0.98) == 6
