"""A first command says that it compiles, where somebody looks; a later one has nothing to say."""

from collections.abc import Iterator

import pytest
from numba.core import event

from lense import compiling
from lense.compiling import say_when_compiling


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(compiling, "_PATIENCE", 0.0)
    yield
    say_when_compiling(False)


def compile_something() -> None:
    import lense.kernels  # noqa: F401 (which watches)

    with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
        pass


def test_it_is_said_once_where_it_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    say_when_compiling(True)
    compile_something()
    compile_something()
    assert capsys.readouterr().err == "lense: compiling for this machine, which is done once\n"


def test_else_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    compile_something()
    assert capsys.readouterr().err == ""


def test_little_compiling_is_not_worth_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "_PATIENCE", 1e6)
    say_when_compiling(True)
    compile_something()
    assert capsys.readouterr().err == ""
