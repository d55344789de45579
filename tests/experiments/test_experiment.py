"""Cells are run once each; what fails is told, and the others go on."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lense.errors import LenseError
from lense.experiments.experiment import Experiment, Made
from lense.experiments.store import Record
from lense.experiments.study import Cell, Study, make_source
from tests.experiments import tiny_paper

pytestmark = pytest.mark.usefixtures("tiny")


class Squares(Experiment):
    """The square of the seed; odd seeds fail."""

    name = "squares"
    pairs = (("tiny", "mvc"), ("absent", "mvc"))
    ran: list[str]

    def __init__(self, *odd_ones: type[BaseException]) -> None:
        self.ran, self.odd = [], odd_ones

    def figures(self, study: Study, cell: Cell) -> Record:
        self.ran.append(cell.name)
        if cell.seed % 2 and self.odd:
            raise self.odd[0]("by two it cannot be divided")
        return {"square": cell.seed**2}

    def make(self, study: Study) -> Made:
        return Made()


def squares(study: Study) -> list[int]:
    return [record["square"] for record in Squares().done(study, study.sources[0])]


def test_every_cell_is_run_once_and_kept(tmp_path: Path) -> None:
    study, first, second = tiny_paper.study(tmp_path, 2, 3), Squares(), Squares()
    first.run(study)
    second.run(replace(study, seeds=(2, 3, 4)))
    assert (first.ran, second.ran) == (["tiny-mvc-2", "tiny-mvc-3"], ["tiny-mvc-4"])
    assert squares(replace(study, seeds=(2, 3, 4))) == [4, 9, 16]


def test_a_record_tells_config_time_versions_and_machine(tmp_path: Path) -> None:
    Squares().run(tiny_paper.study(tmp_path, 2))
    record = json.loads((tmp_path / "squares" / "pieces" / "tiny-mvc-2.json").read_text())
    assert record["config"] == Cell(make_source("tiny", "mvc"), 2).config()
    assert record["cell_seconds"] >= 0
    assert {"versions", "machine", "device"} <= set(record)


def test_a_cell_is_run_again_when_its_model_is_another_one(tmp_path: Path) -> None:
    study, first, second, third = tiny_paper.study(tmp_path, 2), Squares(), Squares(), Squares()
    model = tmp_path / "models" / "tiny-mvc-2" / "config.json"
    model.parent.mkdir(parents=True)
    model.write_text("{}")
    first.run(study)
    second.run(study)
    model.write_text('{"trained": "anew"}')
    assert first.state(study, Cell(study.sources[0], 2)).text == "not run: the model is another one"
    third.run(study)
    assert (first.ran, second.ran, third.ran) == (["tiny-mvc-2"], [], ["tiny-mvc-2"])


def test_a_cell_is_run_again_when_its_graph_is_another_one(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    path.write_text("0 1\n1 2\n")
    study, first, second = (
        tiny_paper.study(tmp_path / "results", 2, sources=(make_source(str(path), "mvc"),)),
        Squares(),
        Squares(),
    )
    first.run(study)
    path.write_text("0 1\n1 2\n2 3\n")
    assert first.state(study, Cell(study.sources[0], 2)).text == "not run: the graph is another one"
    second.run(study)
    assert first.ran == second.ran == ["graph-mvc-2"]


def test_those_seeds_that_are_asked_for_come_first(tmp_path: Path) -> None:
    Squares().run(tiny_paper.study(tmp_path, 0, 2))
    assert Squares().shown(tiny_paper.study(tmp_path, 1)).seeds == (1, 0, 2)


def test_a_cell_that_fails_says_why_and_is_tried_again(tmp_path: Path) -> None:
    study, failing, mended = tiny_paper.study(tmp_path, 1, 2), Squares(ZeroDivisionError), Squares()
    failing.run(study)
    assert squares(study) == [4]
    state = failing.state(study, Cell(study.sources[0], 1))
    assert state.text == "failed: ZeroDivisionError: by two it cannot be divided"
    assert failing.why_empty(study, study.sources[0]) == f"1 of 2 seeds: {state.text}"
    assert failing.why_empty(replace(study, seeds=(1,)), study.sources[0]) == state.text
    mended.run(study)
    assert mended.ran == ["tiny-mvc-1"]
    assert squares(study) == [1, 4]


def test_what_an_interruption_left_out_is_all_that_is_run(tmp_path: Path) -> None:
    study, stopped, again = tiny_paper.study(tmp_path, 2, 3, 4), Squares(KeyboardInterrupt), Squares()
    with pytest.raises(KeyboardInterrupt):
        stopped.run(study)
    again.run(study)
    assert again.ran == ["tiny-mvc-3", "tiny-mvc-4"]


def test_a_graph_that_is_not_at_hand_is_left_out_and_told(tmp_path: Path) -> None:
    sources = (make_source("absent", "mvc"), make_source("tiny", "mvc"))
    study, experiment = replace(tiny_paper.study(tmp_path, 2), sources=sources), Squares()
    experiment.run(study)
    assert experiment.ran == ["tiny-mvc-2"]
    assert experiment.state(study, Cell(sources[0], 2)).text == "data not at hand: lense data get absent"


def test_results_of_two_machines_merge_by_copying_files(tmp_path: Path) -> None:
    here, there = (tiny_paper.study(tmp_path / name, seed) for name, seed in (("here", 2), ("there", 3)))
    for study in (here, there):
        Squares().run(study)
    for file in (there.out / "squares" / "pieces").iterdir():
        file.rename(here.out / "squares" / "pieces" / file.name)
    everything = Squares().shown(here)
    assert everything.seeds == (2, 3)
    assert squares(everything) == [4, 9]


def test_tables_show_the_papers_rows_and_all_that_the_store_knows(tmp_path: Path) -> None:
    Squares().run(replace(tiny_paper.study(tmp_path, 7), sources=(make_source("tiny", "im"),)))
    everything = Squares().shown(replace(tiny_paper.study(tmp_path), sources=()))
    assert [(source.graph, source.problem) for source in everything.sources] == [
        ("tiny", "mvc"),
        ("absent", "mvc"),
        ("tiny", "im"),
    ]
    assert everything.seeds == (0, 7)


def test_cells_side_by_side_find_the_same(tmp_path: Path) -> None:
    study = tiny_paper.study(tmp_path, 0, 1, 2, jobs=2)
    Squares().run(study)
    assert squares(study) == [0, 1, 4]


def test_a_cell_that_takes_its_process_down_is_told_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_pieces(work: Any, pieces: Sequence[Any], _jobs: int, died: Any) -> Iterator[str]:
        for piece in pieces:
            yield died(piece) if piece[-1].seed == 1 else work(*piece)

    monkeypatch.setattr("lense.experiments.experiment.run_pieces", run_pieces)
    study = tiny_paper.study(tmp_path, 0, 1, 2)
    Squares().run(study)
    assert squares(study) == [0, 4]
    assert Squares().state(study, Cell(study.sources[0], 1)).text == "failed: Its process died."


@pytest.mark.parametrize("text", ["{}", '{"status": "done"}'])
def test_a_record_that_lacks_what_it_must_have_is_told(tmp_path: Path, text: str) -> None:
    study = tiny_paper.study(tmp_path, 2)
    Squares().run(study)
    (tmp_path / "squares" / "pieces" / "tiny-mvc-2.json").write_text(text)
    with pytest.raises(LenseError, match=r"tiny-mvc-2.json is damaged, since it lacks .*: delete it"):
        Squares().run(study)


def test_results_of_other_settings_are_not_mixed_in(tmp_path: Path) -> None:
    Squares().run(tiny_paper.study(tmp_path, 2))
    with pytest.raises(LenseError, match=r"an experiment with another episodes"):
        Squares().run(tiny_paper.study(tmp_path, 2, episodes=3))


def test_nothing_is_written_to_tell_a_state(tmp_path: Path) -> None:
    study = tiny_paper.study(tmp_path / "none")
    assert Squares().state(study, Cell(study.sources[0], 0)).text == "not run"
    assert not (tmp_path / "none").exists()
