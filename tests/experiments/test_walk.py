"""The picture of walks."""

from pathlib import Path

import numpy as np
import pytest

from lense.experiments.reproduce import reproduce
from lense.experiments.study import Cell, make_source
from lense.experiments.walk import WalkPicture, draw
from lense.pruners import load
from tests.experiments import tiny_paper


def test_the_walks_are_those_of_the_first_seeds_model(results: Path) -> None:
    study, source = tiny_paper.study(results, 0, 1), make_source("tiny", "mvc")
    made = reproduce(WalkPicture(), study)
    assert {file.name for file in made.files} >= {"walk-tiny-mvc.pdf", "walk-tiny-mvc.png", "walk.csv"}
    record = WalkPicture().record(study, Cell(source, 0))
    assert record is not None
    assert WalkPicture().record(study, Cell(source, 1)) is None
    model, case = load(results / "models" / "tiny-mvc-0"), source.case(0)
    walked = model.walk(case.test, episodes=2, seed=0)
    assert np.array(record["distances"]) == pytest.approx(walked.distances.numpy(), abs=1e-4)
    assert np.array(record["paths"]) == pytest.approx(model.picture_(walked.embeddings).numpy(), abs=1e-4)
    assert np.array(record["points"]) == pytest.approx(model.samples_.points, abs=1e-4)
    _, distances = draw(record).axes
    mean = np.asarray(distances.lines[0].get_ydata(), dtype=float)
    assert mean == pytest.approx(walked.distances.numpy().mean(axis=1), abs=1e-4)
