"""Maps and the picture of walks."""

from pathlib import Path

import numpy as np

from lense.experiments import reproduce
from lense.experiments.maps import Maps, WalkPicture
from lense.experiments.study import SharedModel
from tests.experiments import tiny_paper


def test_the_map_of_the_first_seed_is_kept_and_drawn(results: Path) -> None:
    study = tiny_paper.study(results, 0, 1)
    made = reproduce(Maps(), study)
    assert [file.name for file in made.files] == ["maps.pdf", "maps.png", "maps.csv", "maps.md", "maps.tex"]
    (figures,) = Maps().done(study, tiny_paper.SOURCE)
    model = SharedModel(study, tiny_paper.SOURCE, 0).load()
    np.testing.assert_allclose(figures.map.points, model.map_.samples.points, atol=1e-4)
    assert figures.map.labels == model.map_.samples.labels.tolist()


def test_a_walk_is_followed_from_its_start_to_its_end(results: Path) -> None:
    study = tiny_paper.study(results)
    made = reproduce(WalkPicture(), study)
    (figures,) = WalkPicture().done(study, tiny_paper.SOURCE)
    walked = SharedModel(study, tiny_paper.SOURCE, 0).load().walk(tiny_paper.SOURCE.case(0).test, episodes=2, seed=0)
    np.testing.assert_allclose(figures.distances, walked.distances.numpy(), atol=1e-4)
    assert np.array(figures.paths).shape == (7, 2, 2)
    ((_, _, (line,)),) = made.tables
    assert line[:4] == ("mvc", "tiny", "6", "2")
    assert (results / "walk-tiny-mvc.png").is_file()
