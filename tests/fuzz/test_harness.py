"""2,000 damaged inputs of every kind; ``make fuzz`` runs 100,000."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lense.errors import LenseError
from tests.fuzz import harness

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cases run in forked processes with Linux's limits")


def test_damaged_inputs_give_a_result_or_a_sentence() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "2000", "--jobs", "1"],
        cwd=Path(__file__).parents[2],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "2,000 cases" in found.stdout


def refuse(_folder: Path, _rng: object) -> None:
    raise LenseError("No.")


def trip(_folder: Path, _rng: object) -> None:
    raise KeyError("a traceback")


def swell(_folder: Path, _rng: object) -> None:
    bytearray(3 << 30)


def linger(_folder: Path, _rng: object) -> None:
    while True:
        pass


def vanish(_folder: Path, _rng: object) -> None:
    os.kill(os.getpid(), 9)


@pytest.mark.parametrize(
    ("run", "said"),
    [(trip, "KeyError"), (swell, "MemoryError"), (linger, "it took more than 1.5 s"), (vanish, "SIGKILL")],
)
def test_what_escapes_is_seen(run: harness.Run, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "SECONDS", 1.5)  # of CPU time, also where coverage is measured
    monkeypatch.setattr(harness, "PATIENCE", 1.0)
    suite = harness.Suite(((0.5, "bad", run), (0.5, "good", refuse)), prepare=lambda: None)
    found = harness.fuzz(suite, 0, range(6))
    assert found.cases == 6
    assert found.refused > 0
    assert {escape.kind for escape in found.escapes} == {"bad"}
    assert all(said in escape.what for escape in found.escapes)
