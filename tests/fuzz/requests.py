"""Requests to the page: odd methods, paths, headers, questions and files. What is let through is also done."""

import asyncio
import contextlib
import io
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.types import Message

from lense.app.guard import LOOPBACK
from lense.app.jobs import Jobs
from lense.app.requests import JobSpec, Limits, choices
from lense.app.server import FILES, make_app
from lense.app.worker import _NO_MEMORY as NO_MEMORY
from lense.app.worker import Events, done
from lense.errors import LenseError
from lense.solving.options import pruners_for, ways
from tests.app.pages import HOST, ORIGIN, SMALL, SOLVE, TOKEN
from tests.fuzz.graphs import SUFFIXES, seeds
from tests.fuzz.harness import wrong_with
from tests.fuzz.mutations import changed_json, damaged, json_text
from tests.fuzz.outside import nothing_outside
from tests.fuzz.values import Rng, odd_json, one

LIMITS = Limits(running=0, waiting=3, uploads=2, upload_bytes=1 << 20, vertices=400, edges=4000)
"""Jobs are put in line and no process is started, since what they ask is done here."""
SESSION = "s" * 32
OWN = [
    (b"host", HOST.encode()),
    (b"origin", ORIGIN.encode()),
    (b"cookie", f"lense-session-0={SESSION}; lense-token-0={TOKEN}".encode()),
]
"""What the page itself sends with each request."""
_PROBLEMS = ("mvc", "bmc", "im", "domination")
_SLOW = ("lense", "combhelper", "gcn", "gcomb-p", "gnn-r", "gnn-t")
"""They take seconds, and read models, which have cases of their own."""
_METHODS = ("GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "x", "")
_PATHS = (
    *("/", "/job/x", "/api/jobs", "/api/jobs/x", "/api/jobs/x/stop", "/api/jobs/x/result", "/api/expected"),
    *("/api/jobs/NUMBER", "/api/jobs/NUMBER/stop", "/api/jobs/NUMBER/result", "/job/NUMBER", "/api/uploads"),
    *(f"/api/jobs/NUMBER/files/{name}" for name in (*FILES, "..", "task.json", "../../../../etc/passwd")),
    *("/static/page.js", "/static", "/static/", "/static/../server.py", "/static/../../../../../../etc/passwd"),
    *("/shared/page.css", "/shared/../html.py", "/shared/%00", "", "//", "/\x00", "/\ufffd"),
)
_HEADERS = (
    *((b"host", value) for value in (b"", b"evil.example", b"[::1", b"127.0.0.1.evil", b"localhost:x", b"\xff")),
    *((b"origin", value) for value in (b"null", b"http://evil.example", b"", b"http://127.0.0.1:1", b"\xff\xfe")),
    *((b"content-length", value) for value in (b"-1", b"9" * 5000, "²".encode(), b"1e3", b"", b"0", b"99999999")),
    *((b"cookie", value) for value in (b"lense-session-0=x", b"a" * 5000, b"\x00", b"=;=;", b"lense-session-0=" * 99)),
    *((b"range", value) for value in (b"bytes=0-", b"bytes=5-1", b"bytes=" + b"0-0," * 500, b"lines=1", b"bytes=-9")),
    (b"sec-fetch-site", b"cross-site"),
    (b"if-none-match", b"*"),
    (b"if-modified-since", b"never"),
    (b"transfer-encoding", b"chunked"),
)
_READING = {"directed": True, "columns": "1,2", "ids": "str", "weights": False}
_QUERIES = (
    *(b"problem=mvc&budget=5&target=0.9", b"problem=x&budget=nan&target=1e999", b"budget=-1&target=2", b"name=g.txt"),
    *(b"name=../../x.txt", b"name=", b"name=%00.txt", b"name=" + b"a" * 5000 + b".txt", b"%ff=%fe", b"&&&===", b""),
    *(b"name=x.npz", b"name=x.parquet.gz", b"name=<script>.txt", b"problem=im&budget=9e99&target=0.5"),
)


@dataclass(frozen=True)
class Answer:
    """What the page says to a request."""

    status: int
    headers: dict[str, str]
    body: bytes

    def check(self) -> None:
        """Nothing of the machine gets out, and whatever goes wrong is a sentence."""
        assert 200 <= self.status < 500, self
        assert "content-security-policy" in self.headers, self
        assert b"root:x:" not in self.body, self
        assert b"Traceback" not in self.body, self
        if self.status >= 400 and self.headers.get("content-type") == "application/json":
            assert not (wrong := wrong_with(LenseError(json.loads(self.body)["error"]))), wrong


async def _asked(
    app: Starlette,
    method: str,
    path: str,
    *,
    query: bytes = b"",
    headers: Sequence[tuple[bytes, bytes]] = (),
    pieces: Sequence[bytes] = (b"",),
    goes: bool = False,
) -> Answer | None:
    """The answer to a request whose body comes in pieces; None if who asks ``goes`` before it is heard."""
    waiting = list(pieces)
    sent: list[Message] = []

    async def receive() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting) or goes}
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path.encode(errors="replace").decode(),
        "raw_path": path.encode(errors="replace"),
        "root_path": "",
        "query_string": query,
        "headers": list(headers),
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8642),
    }
    await app(scope, receive, send)
    if not sent and goes:
        return None
    first, *rest = sent
    named = {name.decode("latin-1"): value.decode("latin-1") for name, value in first["headers"]}
    return Answer(first["status"], named, b"".join(message.get("body", b"") for message in rest))


def run_case(folder: Path, rng: Rng) -> None:
    """A file, a question about it, and an odd request; a question that is let through is done."""
    with nothing_outside(folder):
        _visited(lambda app: _visit(app, rng, str(folder)))


def _visited(visit: Callable[[Starlette], Awaitable[None]]) -> None:
    """Open the page, visit it and close it; nothing may be printed that only a fault prints."""

    async def open_and_visit() -> None:
        app = make_app(token=TOKEN, limits=LIMITS, names=LOOPBACK)
        async with app.router.lifespan_context(app):
            await visit(app)

    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        asyncio.run(open_and_visit())
    assert "Traceback" not in errors.getvalue(), errors.getvalue()[-1500:]


async def _visit(app: Starlette, rng: Rng, folder: str) -> None:
    upload = await _uploaded(app, rng, folder)
    body = _question(upload, rng, folder)
    answer = await _asked(app, "POST", "/api/jobs", headers=OWN, pieces=_pieces(body, rng))
    assert answer is not None
    answer.check()
    number = json.loads(answer.body)["id"] if answer.status == 201 else "x"
    await _odd(app, number, rng, folder)
    if answer.status == 201:
        _do(app.state.jobs, number)


def _text(rng: Rng, folder: str) -> str:
    return str(odd_json(rng, folder))


def _query(**values: str) -> bytes:
    return urlencode(values, errors="surrogatepass").encode()


async def _uploaded(app: Starlette, rng: Rng, folder: str) -> str:
    suffix = one(SUFFIXES, rng)
    good = seeds(suffix)
    data = one(good, rng)
    if rng.random() < 0.3:
        data = damaged(data, rng, good)[: LIMITS.upload_bytes]
    query = _query(name=_text(rng, folder) + suffix if rng.random() < 0.2 else f"g{suffix}")
    answer = await _asked(app, "POST", "/api/uploads", query=query, headers=OWN, pieces=_pieces(data, rng))
    assert answer is not None
    answer.check()
    return json.loads(answer.body)["upload"] if answer.status == 201 else "x"


def _pieces(data: bytes, rng: Rng) -> list[bytes]:
    at = sorted(int(point) for point in rng.integers(0, len(data) + 1, int(rng.integers(0, 3))))
    return [data[start:stop] for start, stop in zip([0, *at], [*at, len(data)], strict=True)]


def _question(upload: str, rng: Rng, folder: str) -> bytes:
    """A good question, most of the time with something changed."""
    problem = one(_PROBLEMS, rng)
    uploaded, named = {"kind": "upload", "upload": upload}, {"kind": "named", "name": "wiki"}
    graph = one((uploaded, uploaded, uploaded, SMALL, SMALL, named), rng)
    solver = one(_solvers()[problem], rng)
    question: dict[str, Any] = {**SOLVE, "graph": graph, "problem": problem, "solver": solver, "budget": 3}
    kind = rng.random()
    if kind < 0.4:
        question["way"] = one(["auto", "whole", "exact", *_quick(ways(problem))], rng)
    elif kind < 0.6:
        question = {name: value for name, value in question.items() if name != "target"}
        question |= {"kind": "compare", "pruners": [one(_quick(pruners_for(problem)), rng) for _ in range(2)]}
    elif kind < 0.8:
        question = {"kind": "look", "graph": graph, "reading": _READING}
    changed = changed_json(question, rng, folder) if rng.random() < 0.7 else question
    return json_text(changed, rng)[: LIMITS.body_bytes]


def _solvers() -> dict[str, list[str]]:
    return {problem["name"]: problem["solvers"] for problem in choices()["problems"]}


def _quick(names: Iterable[str]) -> list[str]:
    return [name for name in names if name not in _SLOW]


async def _odd(app: Starlette, number: str, rng: Rng, folder: str) -> None:
    """A request that no page would make; one from elsewhere changes nothing."""
    path = one(_PATHS, rng).replace("NUMBER", one((number, number, _text(rng, folder)), rng))
    path += _text(rng, folder) if rng.random() < 0.2 else ""
    about = {"problem": "mvc", "budget": "5", "target": "0.9"}
    about[one(tuple(about), rng)] = _text(rng, folder)
    method, query = one(_METHODS, rng), one((*_QUERIES, _query(**about)), rng)
    extra = [one(_HEADERS, rng) for _ in range(int(rng.integers(0, 3)))]
    kept = [header for header in OWN if rng.random() < 0.9 and header[0] not in {name for name, _ in extra}]
    body = rng.bytes(int(rng.integers(0, 200)))
    goes = rng.random() < 0.1
    answer = await _asked(app, method, path, query=query, headers=kept + extra, pieces=_pieces(body, rng), goes=goes)
    if answer is not None:
        answer.check()
        is_own = {header for header in OWN if header[0] == b"host"} <= set(kept)
        assert is_own or answer.status == 421 or any(name == b"host" for name, _ in extra), answer


def _do(jobs: Jobs, number: str) -> None:
    """The job in this process: a result, or a sentence."""
    said = list[dict[str, Any]]()
    status = done(jobs.get(SESSION, number).spec, Events(said.append))
    last = said[-1]
    assert (status, "is_done" in last) in ((0, True), (2, False)), (status, last)
    if status == 2:
        assert not (wrong := wrong_with(LenseError(last["error"]))), wrong
        assert last["error"] != NO_MEMORY, last


def warm_up(folder: Path) -> None:
    """Load and compile what questions need, on graphs without weights and with them."""
    path = folder / "weighted.txt"
    path.write_bytes(seeds(".txt")[2])
    sources = ((SMALL, ""), ({"kind": "upload", "upload": "x"}, str(path)))
    for problem in _PROBLEMS:
        asked = [{"solver": solver} for solver in _solvers()[problem]]
        asked += [{"solver": _solvers()[problem][0], "way": way} for way in _quick(ways(problem))]
        for (graph, source), more in product(sources, asked):
            ask = {**SOLVE, "graph": graph, "problem": problem, "budget": 3, **more}
            task = JobSpec.model_validate(
                {"ask": ask, "source": source, "title": "", "folder": str(folder)}, strict=False
            )
            assert done(task, Events(list[Any]().append)) in (0, 2)
