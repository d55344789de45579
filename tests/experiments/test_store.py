"""Results are written whole, belong to one plan, and say where they came from."""

from pathlib import Path

import pytest

from lense.errors import LenseError
from lense.experiments.store import Store, circumstances

PLAN = {"graph": "a", "budget": 3}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    Store(tmp_path / "new", PLAN).write("random.0", {"ratio": 0.5})
    assert Store(tmp_path / "new", PLAN).read("random.0") == {"ratio": 0.5}


def test_what_is_missing_is_none(tmp_path: Path) -> None:
    assert Store(tmp_path, PLAN).read("random.0") is None


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    store = Store(tmp_path, PLAN)
    with pytest.raises(ValueError, match="JSON"):
        store.write("random.0", {"ratio": float("nan")})
    assert not list((tmp_path / "pieces").iterdir())


def test_a_folder_belongs_to_one_plan(tmp_path: Path) -> None:
    Store(tmp_path, PLAN)
    with pytest.raises(LenseError, match=r"another experiment \(its budget, seed differ\)"):
        Store(tmp_path, {"graph": "a", "budget": 4, "seed": 0})


@pytest.mark.parametrize(("text", "sentence"), [("{", "is damaged"), ("[]", "holds no record")])
def test_a_damaged_piece_is_told(text: str, sentence: str, tmp_path: Path) -> None:
    store = Store(tmp_path, PLAN)
    (tmp_path / "pieces" / "random.0.json").write_text(text)
    with pytest.raises(LenseError, match=rf"random.0.json {sentence}.*delete it"):
        store.read("random.0")


def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LenseError, match="cannot be the name"):
        Store(tmp_path, PLAN).write("../x", {})


def test_circumstances_tell_versions_and_machine_but_no_names_of_hosts() -> None:
    found = circumstances()
    assert set(found["versions"]) >= {"python", "lense", "torch", "numpy"}
    assert set(found["machine"]) == {"platform", "cores", "threads", "gpu"}
