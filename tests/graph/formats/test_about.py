"""What a Parquet file of ours says about its graph."""

import json

import pytest

from lense.errors import LenseError
from lense.graph.formats.about import KEY, About, read_about


@pytest.mark.parametrize(
    "about",
    [
        About(),
        About(directed=True, isolated=["a"], simple=True),
        About(simple=True, vertices=7),
        About(vertices=0, labels="_labels.parquet"),
    ],
)
def test_what_is_noted_is_read(about: About) -> None:
    metadata = {key: value.encode() for key, value in about.metadata().items()}
    assert read_about(metadata, "x.parquet") == about


def test_a_file_from_elsewhere_says_nothing() -> None:
    assert read_about(None, "x") == read_about({b"pandas": b"{}"}, "x") == About()


@pytest.mark.parametrize(
    "noted",
    [
        [],
        {"directed": 1},
        {"isolated": 3},
        {"simple": "yes"},
        {"vertices": -1},
        {"vertices": True},
        {"labels": "../other.parquet"},
        {"labels": ""},
    ],
)
def test_anything_else_is_damaged(noted: object) -> None:
    with pytest.raises(LenseError, match=r"x\.parquet has damaged metadata of lense"):
        read_about({KEY: json.dumps(noted).encode()}, "x.parquet")
