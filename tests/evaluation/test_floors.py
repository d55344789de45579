"""What needs no learning."""

from lense.evaluation.floors import untrained_network
from lense.pruners import LeNSE
from tests import learning


def test_an_untrained_network_is_told_by_its_seed_and_is_not_the_trained_one(trained: LeNSE) -> None:
    def ends(**options: object) -> list[list[int]]:
        roots: list[list[int]] = trained.walk(learning.graph(), episodes=2, steps=30, **options).roots.tolist()  # type: ignore[arg-type]
        return roots

    untrained = ends(policy=untrained_network(trained, 0))
    assert untrained == ends(policy=untrained_network(trained, 0))
    # the model's own training began with the network of seed 0
    assert ends(policy=untrained_network(trained, 1)) not in (untrained, ends())
