"""Strings from files and requests never become code, paths or connections.

Every field of every file and request is replaced, one at a time, by names that an attacker would try. An audit hook of
the interpreter records what is imported, opened, started and connected to; nothing of it may carry the attacker's mark.
"""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph, barabasi_albert
from lense.pruners import load
from lense.pruners.model_files import SHIPPED

MARK = "c4n4ry"
"""Part of every hostile string, so that its use can be recognized."""
EVENTS = {"import", "open", "os.listdir", "os.scandir", "os.mkdir", "os.rename", "os.remove", "socket.connect"}
EVENTS |= {"socket.getaddrinfo", "subprocess.Popen", "os.system", "urllib.Request", "ctypes.dlopen", "compile"}


class Watch:
    """Records audit events that carry the mark while it is on. Hooks cannot be removed, so all tests share one."""

    def __init__(self) -> None:
        self.is_on, self.seen = False, list[str]()
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self.is_on and event in EVENTS:
            said = ascii(args)
            if MARK in said:
                self.seen.append(f"{event}{said}")


WATCH = Watch()


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Strings that name code, files and addresses; fails if one of them was followed."""
    folder = tmp_path / "away"
    folder.mkdir()
    ran = folder / "ran"
    (folder / f"{MARK}.py").write_text(
        f"import pathlib\nfrom lense import Problem, Pruner\npathlib.Path({str(ran)!r}).touch()\n"
        "class X(Problem): name = 'mvc'\nclass Y(Pruner): name = 'core'\n"
    )
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    WATCH.seen.clear()
    yield [
        f"{folder}/{MARK}.py:X",
        f"{MARK}.py:X",
        f"./{MARK}.py:Y",
        f"{MARK}:X",
        f"../{MARK}.txt",
        f"{folder}/{MARK}",
        f"http://127.0.0.1:9/{MARK}",
        f"{{0.__class__}}%s%(name)n${{{MARK}}}",
    ]
    assert not ran.exists()
    assert MARK not in sys.modules
    assert WATCH.seen == []


def followed(work: Callable[[], object]) -> None:
    """Do ``work`` under watch; it may end in a one-sentence error."""
    WATCH.is_on = True
    try:
        with suppress(LenseError):
            work()
    finally:
        WATCH.is_on = False


def leaves(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a JSON document that contain no others, and of the first few entries of long lists."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from leaves(value, (*path, key))
    elif isinstance(document, list):
        for i, value in enumerate(document[:2]):
            yield from leaves(value, (*path, i))
    else:
        yield path


def replaced(document: Any, path: tuple[Any, ...], value: str) -> Any:
    """A copy of a JSON document with another value in one place."""
    if not path:
        return value
    copy = document.copy()
    copy[path[0]] = replaced(document[path[0]], path[1:], value)
    return copy


def changes(document: Any, hostile: list[str]) -> Iterator[Any]:
    """The document with each of its values replaced, and with each hostile string as a key."""
    for path in leaves(document):
        for text in hostile:
            yield replaced(document, path, text)
    if isinstance(document, dict):
        yield from ({**document, text: text} for text in hostile)


def used(folder: Path, graph: Graph) -> None:
    model = load(folder)
    model.set_params(budget=2).prune(graph)


@pytest.mark.parametrize(
    ("model", "file"),
    [("core-mvc", "config.json"), ("facebook-mvc", "config.json"), ("facebook-mvc", "report.json")],
)
def test_no_field_of_a_model_is_followed(model: str, file: str, tmp_path: Path, hostile: list[str]) -> None:
    folder = tmp_path / "model"
    shutil.copytree(SHIPPED / model, folder)
    config, graph = json.loads((folder / file).read_text()), barabasi_albert(30, 2, rng=np.random.default_rng(0))
    for changed in changes(config, hostile):
        (folder / file).write_text(json.dumps(changed))
        followed(lambda: used(folder, graph))


def test_the_watch_sees_what_it_watches_for(tmp_path: Path, hostile: list[str]) -> None:
    from lense.problems import get_problem

    script = tmp_path / f"{MARK}_typed.py"
    script.write_text("from lense import Problem\nclass X(Problem): name = 'typed'\n")
    with pytest.raises(TypeError, match="abstract"):
        followed(lambda: get_problem(f"{script}:X"))
    assert any(one.startswith("open") for one in WATCH.seen)
    WATCH.seen.clear()
