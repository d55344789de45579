"""Writing parts: all of them or nothing."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lense._util.types import AnyArray, Int32s
from lense.errors import LenseError
from lense.graph import scan
from lense.graph.formats.parquet import Metadata
from lense.streaming.writing import check_target, is_folder, write_shards

SIMPLE = Metadata(simple=True, vertices=10)


def pieces(count: int, fail: bool = False) -> Iterator[tuple[Int32s, Int32s]]:
    for i in range(count):
        yield np.array([i], np.int32), np.array([i + 1], np.int32)
    if fail:
        raise LenseError("The disk is gone.")


def test_a_part_is_begun_when_the_last_is_full(tmp_path: Path) -> None:
    assert write_shards(tmp_path / "g", pieces(7), SIMPLE, part=3) == 7
    names = [path.name for path in sorted((tmp_path / "g").iterdir())]
    assert names == ["_manifest.json", *(f"part-0000{i}.parquet" for i in range(3))]
    assert scan(tmp_path / "g").num_edges == 7


@pytest.mark.parametrize("name", ["g", "g.parquet"])
def test_a_graph_without_edges_is_one(name: str, tmp_path: Path) -> None:
    assert write_shards(tmp_path / name, pieces(0), SIMPLE) == 0
    assert (scan(tmp_path / name).num_vertices, scan(tmp_path / name).num_edges) == (10, 0)


@pytest.mark.parametrize("name", ["g", "g.parquet"])
def test_nothing_is_left_of_a_graph_that_could_not_be_finished(name: str, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match="The disk is gone"):
        write_shards(tmp_path / name, pieces(5, fail=True), SIMPLE, part=2)
    assert not list(tmp_path.iterdir())


def test_a_kill_leaves_the_old_graph_or_the_new_one_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_shards(tmp_path / "g", pieces(5), SIMPLE, part=2)

    def never(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr("lense._util.files._put", never)
        with pytest.raises(KeyboardInterrupt):
            write_shards(tmp_path / "g", pieces(3), SIMPLE)
    assert scan(tmp_path / "g").num_edges == 5
    write_shards(tmp_path / "g", pieces(3), SIMPLE)
    assert sorted(path.name for path in (tmp_path / "g").iterdir()) == ["_manifest.json", "part-00000.parquet"]
    assert [path.name for path in tmp_path.iterdir()] == ["g"]


@pytest.mark.parametrize("name", ["g", "g.parquet"])
def test_more_vertices_than_anybody_would_believe_are_not_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match=rf"{name} would announce 300,000,000 vertices"):
        write_shards(tmp_path / name, pieces(5), Metadata(simple=True, vertices=300_000_000))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("labels", "names"),
    [(np.arange(10) - 5, ["g.parquet"]), (np.array([f"{i:300}" for i in range(10)]), ["g", "g.parquet"])],
    ids=["negative", "long"],
)
def test_ids_that_could_not_be_read_are_not_written(labels: AnyArray, names: list[str], tmp_path: Path) -> None:
    for name in names:
        with pytest.raises(LenseError, match=r"write \.npz"):
            write_shards(tmp_path / name, pieces(5), SIMPLE, labels)
    assert not list(tmp_path.iterdir())


def test_where_a_graph_can_go(tmp_path: Path) -> None:
    assert is_folder(tmp_path)
    assert is_folder(tmp_path / "new")
    assert not is_folder(tmp_path / "one.parquet")
    with pytest.raises(LenseError, match="there is no folder"):
        check_target(tmp_path / "nowhere" / "g")
    with pytest.raises(LenseError, match=r"to a folder or a \.parquet file, not to g\.txt"):
        check_target(tmp_path / "g.txt")
    (tmp_path / "notes.txt").touch()
    with pytest.raises(LenseError, match=r"holds notes\.txt, which is no part of a graph"):
        check_target(tmp_path)
