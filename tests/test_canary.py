"""Strings from files and requests never become code, paths or connections.

Every field of every file and request is replaced, one at a time, by names that an attacker would try. An audit hook of
the interpreter records what is imported, opened, started and connected to; nothing of it may carry the attacker's mark.
"""

import ast
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow.parquet as pq
import pytest

import lense
from lense import scan
from lense.app.requests import Limits
from lense.app.server import make_app
from lense.app.worker import Events, done
from lense.errors import LenseError
from lense.experiments import EXPERIMENTS, Study
from lense.graph import Graph, barabasi_albert, read_graph, write_graph
from lense.pruners import load
from lense.pruners.model_files import SHIPPED
from lense.report import results_page
from tests.app.pages import ORIGIN, QUESTION, SMALL, SOLVE, TOKEN, user

RESULTS = Path(__file__).parents[1] / "results"

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
    (folder / f"{MARK}.txt").write_text("1 2\n2 3\n")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    WATCH.seen.clear()
    yield [
        f"{folder}/{MARK}.py:X",
        f"{MARK}.py:X",
        f"./{MARK}.py:Y",
        f"{MARK}:X",
        f"../{MARK}.txt",
        f"{folder}/{MARK}.txt",
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
    ("model", "file"), [("core-mvc", "config.json"), ("facebook-mvc", "config.json"), ("facebook-mvc", "report.json")]
)
def test_no_field_of_a_model_is_followed(model: str, file: str, tmp_path: Path, hostile: list[str]) -> None:
    folder = tmp_path / "model"
    shutil.copytree(SHIPPED / model, folder)
    config, graph = json.loads((folder / file).read_text()), barabasi_albert(30, 2, rng=np.random.default_rng(0))
    for changed in changes(config, hostile):
        (folder / file).write_text(json.dumps(changed))
        followed(lambda: used(folder, graph))


@pytest.mark.parametrize("name", ["ablation", "core", "rivals", "scalability", "walk"])
def test_no_field_of_a_result_is_followed(name: str, tmp_path: Path, hostile: list[str]) -> None:
    experiment, (first, *_) = EXPERIMENTS[name], (RESULTS / f"{name}.jsonl").read_text().splitlines()
    record, folder = json.loads(first), tmp_path / "results"
    folder.mkdir()
    for changed in changes(record, hostile):
        (folder / f"{name}.jsonl").write_text(json.dumps(changed) + "\n")

        def shown() -> None:
            study = Study(folder, (), (0,), record["budget"], record["episodes"])
            experiment.rows(experiment.everything(study))

        followed(shown)


def test_no_field_of_a_plan_is_followed(tmp_path: Path, hostile: list[str]) -> None:
    for text in hostile:
        (tmp_path / "plan.json").write_text(json.dumps({"graph": text, "problem": text, "pruners": [text]}))
        (tmp_path / "records.jsonl").write_text("")
        followed(lambda: results_page(tmp_path))


GRAPHS = {
    "a.txt": "# {0}\n# vertices {0}\n{0} {1}\n",
    "a.csv": "{0},{1}\n{1},2\n",
    "a.mtx": "%%MatrixMarket matrix coordinate {0} general\n% {0}\n2 2 1\n1 2\n",
    "a.graph": "% {0}\n2 1 {0}\n2\n1\n",
}


@pytest.mark.parametrize("name", GRAPHS)
def test_no_text_of_a_graph_is_followed(name: str, tmp_path: Path, hostile: list[str]) -> None:
    for text in hostile:
        (tmp_path / name).write_text(GRAPHS[name].replace("{0}", text).replace("{1}", f"{text}2"))
        followed(lambda: read_graph(tmp_path / name))


def test_no_metadata_of_parquet_is_followed(tmp_path: Path, hostile: list[str]) -> None:
    path = tmp_path / "a.parquet"
    write_graph(barabasi_albert(30, 2, rng=np.random.default_rng(0)), path)
    table = pq.read_table(path)
    (key,) = (key for key in table.schema.metadata if b"lense" in key)
    known = json.loads(table.schema.metadata[key])
    for changed in changes(known, hostile):
        pq.write_table(table.replace_schema_metadata({key: json.dumps(changed)}), path)
        followed(lambda: read_graph(path))
        followed(lambda: scan(path).read())


def test_no_field_of_a_request_is_followed(tmp_path: Path, hostile: list[str]) -> None:
    questions = [SOLVE, {**QUESTION, "kind": "compare", "pruners": ["core"]}, {"kind": "look", "graph": SMALL}]
    named = {"kind": "look", "graph": {"kind": "named", "name": "wiki"}, "reading": {"columns": "a,b"}}
    limits = Limits(running=0, waiting=10_000)  # what is let through waits, and is seen below
    with user(make_app(token=TOKEN, limits=limits)) as client:
        for question in [*questions, named]:
            for changed in changes(question, hostile):
                followed(partial(client.post, "/api/jobs", json=changed, headers={"origin": ORIGIN}))
        for text in map(quote, hostile):
            for path in (f"/api/jobs/{text}", f"/api/jobs/{text}/files/{text}", f"/shared/{text}", f"/static/{text}"):
                followed(partial(client.get, path))
            followed(partial(client.get, f"/api/expected?problem={text}&budget=5&target=0.9"))
        jobs: Any = client.app.state.jobs  # type: ignore[attr-defined]
        for job in [*jobs._jobs.values()]:
            followed(partial(done, job.spec, Events(list[Any]().append)))


TYPED = {
    "spec_from_file_location": {"_util.classes"},
    "exec_module": {"_util.classes"},
    "typed_class": {"problems.base", "pruners.registry"},
    "problem_class": {"app.requests", "cli.page", "experiments.study", "problems.base", "solving.options"},
    "pruner_class": {"app.requests", "cli.page", "experiments.comparison", "pruners.registry", "solving.options"}
    | {"solving.training"},
    "parse_pruner": {"experiments.comparison", "pruners.registry"},
    "import_module": {
        "__init__",
        "_util.classes",
        "_util.processes",
        "experiments.__init__",
        "graph.convert",
        "streaming.passes",
    },
}
"""The functions that import by name, and the modules that may call them: the name was typed by the user, or is fixed.
Code that reads names from files or requests calls ``known_class``."""


def test_only_these_modules_import_by_name() -> None:
    found: dict[str, set[str]] = {name: set() for name in TYPED}
    source = Path(lense.__file__).parent
    for path in source.rglob("*.py"):
        module = ".".join(path.relative_to(source).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(node, "id", getattr(node, "attr", None)) if isinstance(node, ast.expr) else None
            if name in found:
                found[name].add(module)
    assert found == TYPED


def test_the_watch_sees_what_it_watches_for(tmp_path: Path, hostile: list[str]) -> None:
    from lense.problems import get_problem

    script = tmp_path / f"{MARK}_typed.py"
    script.write_text("from lense import Problem\nclass X(Problem): name = 'typed'\n")
    with pytest.raises(TypeError, match="abstract"):
        followed(lambda: get_problem(f"{script}:X"))
    assert any(one.startswith("open") for one in WATCH.seen)
    WATCH.seen.clear()
