"""Results are written whole, belong to one plan, and say where they came from."""

import pickle
from pathlib import Path

import pytest

from lense.circumstances import circumstances
from lense.errors import LenseError
from lense.experiments.store import DamagedError, Store, damages, finite, sentence

PLAN = {"experiment": "models", "graph": "a", "budget": 3}
RECORD = {"status": "done", "config": {}}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    Store(tmp_path / "new", PLAN).write("random.0", {**RECORD, "ratio": 0.5})
    assert Store(tmp_path / "new", PLAN).read("random.0") == {**RECORD, "ratio": 0.5}
    assert Store.of(tmp_path / "new").plan == PLAN


def test_what_is_missing_is_none(tmp_path: Path) -> None:
    assert Store(tmp_path, PLAN).read("random.0") is None


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    store = Store(tmp_path, PLAN)
    with pytest.raises(ValueError, match="JSON"):
        store.write("random.0", {"ratio": float("nan")})
    assert not list((tmp_path / "pieces").iterdir())


def test_a_folder_belongs_to_one_plan(tmp_path: Path) -> None:
    Store(tmp_path, PLAN).write("random.0", {})
    with pytest.raises(LenseError, match=r"an experiment with another budget, seed"):
        Store(tmp_path, {**PLAN, "budget": 4, "seed": 0})


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"{", "it is not JSON"),
        (b"\xff", "it is not JSON"),
        (b'{"status": "done", "config": {}, "ratio": NaN}', "it is not JSON"),
        (b"[]", "it is no record"),
        (b'{"config": {}}', "it lacks status"),
        (b'{"status": 1, "config": {}}', "status is no text"),
    ],
)
def test_a_damaged_piece_is_told(content: bytes, fault: str, tmp_path: Path) -> None:
    store, path = Store(tmp_path, PLAN), tmp_path / "pieces" / "random.0.json"
    store.write("random.0", RECORD)
    store.write("random.1", RECORD)
    path.write_bytes(content)
    told = f"{path} is damaged, since {fault}: delete it and run the command again that made it."
    with pytest.raises(DamagedError) as raised:
        store.read("random.0")
    assert str(raised.value) == str(pickle.loads(pickle.dumps(raised.value))) == told
    assert [str(error) for error in damages(tmp_path)] == [told]
    assert list(store.sound_records()) == [RECORD]


def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LenseError, match="cannot be the name"):
        Store(tmp_path, PLAN).write("../x", {})


def test_circumstances_tell_versions_and_machine_but_no_names_of_hosts() -> None:
    found = circumstances()
    assert set(found["versions"]) >= {"python", "lense", "torch", "numpy"}
    assert set(found["machine"]) == {"platform", "cores", "threads", "gpu"}


def test_a_store_that_is_only_read_leaves_no_trace(tmp_path: Path) -> None:
    store = Store(tmp_path / "none", PLAN)
    assert store.read("random.0") is None
    assert store.pieces() == []
    assert not (tmp_path / "none").exists()
    Store(tmp_path, PLAN).write("a.0", {})
    with pytest.raises(LenseError, match="an experiment with another"):
        Store(tmp_path, {**PLAN, "graph": "b"})


def test_a_stray_file_among_the_pieces_is_none_of_them(tmp_path: Path) -> None:
    store = Store(tmp_path, PLAN)
    store.write("random.0", {})
    (tmp_path / "pieces" / "random.0 (copy).json").write_text("{}")
    assert store.pieces() == ["random.0"]


def test_pieces_are_known_by_name(tmp_path: Path) -> None:
    store = Store(tmp_path, PLAN)
    for name in ("b.0", "a.1"):
        store.write(name, {})
    assert store.pieces() == ["a.1", "b.0"]


def test_what_json_does_not_know_becomes_none() -> None:
    assert finite({"a": 1.5, "b": float("nan"), "c": float("inf")}) == {"a": 1.5, "b": None, "c": None}


def test_errors_are_told_in_a_line_faults_with_their_kind() -> None:
    assert sentence(LenseError("No such\nthing.")) == "No such thing."
    assert sentence(ZeroDivisionError("by nought")) == "ZeroDivisionError: by nought"
    assert sentence(KeyError()) == "KeyError"


def test_lists_of_numbers_take_one_line_and_texts_stay_as_they_are(tmp_path: Path) -> None:
    store = Store(tmp_path, PLAN)
    record = {
        **RECORD,
        "places": [[1, -2.5], [3e-07, 4.0]],
        "names": ["[ 1, 2 ]", "[\n1\n]"],
        "none": [],
        "some": [True, None],
    }
    store.write("piece", record)
    lines = (tmp_path / "pieces" / "piece.json").read_text().splitlines()
    assert "  [1, -2.5]," in lines
    assert store.read("piece") == record
