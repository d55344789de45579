"""Fixtures that several parts of the specification share."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from lense.cli import main


@dataclass(frozen=True)
class Outcome:
    """What one command printed, and how it ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def lense(capfd: pytest.CaptureFixture[str]) -> Command:
    """Run the command line in this process: ``lense("graph", "info", path)``."""

    def run(*arguments: object) -> Outcome:
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Outcome(int(stopped.value.code or 0), out, err)

    return run
