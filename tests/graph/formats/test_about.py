"""What a Parquet file of ours says about its graph."""

import json

import pytest

from lense.errors import LenseError
from lense.graph.formats.parquet import KEY, Metadata, read_metadata


@pytest.mark.parametrize(
    "about",
    [
        Metadata(),
        Metadata(directed=True, isolated=["a"], simple=True),
        Metadata(simple=True, vertices=7),
        Metadata(vertices=0, labels="_labels.parquet"),
    ],
)
def test_what_is_noted_is_read(about: Metadata) -> None:
    metadata = {key: value.encode() for key, value in about.encoded().items()}
    assert read_metadata(metadata, "x.parquet") == about


def test_a_file_from_elsewhere_says_nothing() -> None:
    assert read_metadata(None, "x") == read_metadata({b"pandas": b"{}"}, "x") == Metadata()


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
        read_metadata({KEY: json.dumps(noted).encode()}, "x.parquet")
