"""The options that commands share: the same everywhere, in panels, handed to a command as one object."""

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer

from lense.cli.options import Reading, Running, grouped
from tests.conftest import Command


def test_flags_of_reading_reach_the_reader(lense: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def opened(name: str, **options: Any) -> None:
        given.update(options)
        raise typer.Exit

    monkeypatch.setattr("lense.streaming.converting.open_graph", opened)
    flags = ("--columns", "from,to,cost", "--undirected", "--format", "csv", "--no-weights", "--no-header")
    lense("graph", "info", "g.csv", *flags)
    assert given == {"columns": "from,to,cost", "directed": False, "format": "csv", "header": False, "weights": False}


def test_the_file_decides_where_nothing_is_asked() -> None:
    assert Reading().options() == {}


@dataclass(frozen=True)
class Size:
    """How large a thing is."""

    width: Annotated[int, typer.Option(help="From left to right.")] = 3
    height: Annotated[int, typer.Option(help="From top to bottom.")] = 4


def test_a_group_is_handed_over_as_one_object_less_what_is_left_out() -> None:
    seen: list[object] = []

    @grouped(without=("seed",))
    def command(name: str, *, size: Size, running: Running) -> None:
        """Show
        a thing.

        Or two."""
        seen.extend((name, size, running))

    assert list(inspect.signature(command).parameters)[:4] == ["name", "width", "height", "threads"]
    assert command.__doc__ == "Show a thing.\n\nOr two."
    command(name="a", width=5, height=4, threads=2, as_json=True, quiet=False, verbose=False)
    assert seen == ["a", Size(5, 4), Running(threads=2, as_json=True)]
