"""Requests to the page whose fields have another meaning: the server does not fail and touches nothing outside."""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette

from lense.app.server import FILES
from tests.app.pages import SMALL, SOLVE
from tests.fuzz.graphs import SUFFIXES, seeds
from tests.fuzz.meaning.outside import nothing_outside
from tests.fuzz.meaning.values import CODE, NAMES, UNSAFE_NAMES, odd_json, one
from tests.fuzz.mutations import Rng, inside
from tests.fuzz.requests import LIMITS, OWN, Answer, asked, do, visited

_DONE = 0.1
"""The share of jobs that are also done."""
_READING = {"directed": True, "columns": "1,2", "ids": "str", "weights": False}
_QUESTIONS: tuple[dict[str, Any], ...] = (
    SOLVE,
    {**SOLVE, "problem": "bmc", "solver": "local-search", "way": "whole", "reading": _READING, "seed": 1},
    {**SOLVE, "problem": "im", "solver": "imm", "way": "core", "seconds": 5},
    {**SOLVE, "way": "exact", "seconds": 5},
    {**{k: v for k, v in SOLVE.items() if k != "target"}, "kind": "compare", "pruners": ["top-degree", "random"]},
    {"kind": "look", "graph": SMALL, "reading": _READING},
)


def run_case(folder: Path, rng: Rng) -> None:
    """A file, questions, and paths and queries that name what there is not."""
    os.chdir(folder)
    with nothing_outside(folder):
        visited(lambda app: _visit(app, rng, str(folder)))


async def _visit(app: Starlette, rng: Rng, folder: str) -> None:
    suffix = one(SUFFIXES, rng)
    name = one((f"graph{suffix}", _text(rng, folder), f"{_text(rng, folder)}{suffix}"), rng)
    answer = await _sent(app, "POST", "/api/uploads", query={"name": name}, body=one(seeds(suffix), rng))
    upload = json.loads(answer.body)["upload"] if answer.status == 201 else "x"
    answer = await _sent(app, "POST", "/api/jobs", body=_question(upload, rng, folder))
    job = json.loads(answer.body)["id"] if answer.status == 201 else "x"
    query = {"problem": "mvc", "budget": "5", "target": "0.9"}
    query[one(tuple(query), rng)] = _text(rng, folder)
    await _sent(app, "GET", "/api/expected", query=query)
    other = one((job, _text(rng, folder)), rng)
    file = one((*FILES, "task.json", "result.json", _text(rng, folder)), rng)
    path = one(
        (f"/api/jobs/{other}", f"/api/jobs/{other}/result", f"/job/{other}", f"/api/jobs/{other}/files/{file}"), rng
    )
    await _sent(app, "GET", path)
    await _sent(app, "GET", one(("/static/", "/shared/"), rng) + _text(rng, folder))
    if answer.status == 201 and rng.random() < _DONE:
        do(app.state.jobs, job)


async def _sent(
    app: Starlette, method: str, path: str, *, query: dict[str, str] | None = None, body: bytes = b""
) -> Answer:
    """The answer to a request, which is not a fault of the server."""
    text = urlencode(query or {}, errors="surrogatepass").encode()
    answer = await asked(app, method, path.encode(errors="replace").decode(), query=text, headers=OWN, pieces=[body])
    assert answer is not None
    answer.check()
    return answer


def _text(rng: Rng, folder: str) -> str:
    found = one((one(CODE, rng), one(NAMES, rng), one(UNSAFE_NAMES, rng), str(odd_json(rng, folder))), rng)
    return found.replace("FOLDER", folder)


def _question(upload: str, rng: Rng, folder: str) -> bytes:
    """A question that the page could ask, in which one to three fields are others, missing or new."""
    question = json.loads(json.dumps(one(_QUESTIONS, rng)))
    if rng.random() < 0.5:
        graphs = ({"kind": "upload", "upload": upload}, {"kind": "named", "name": "wiki"}, {"kind": "given"})
        question["graph"] = dict(one(graphs, rng))
    for _ in range(int(rng.integers(0, 4))):
        holder, key = inside(question, rng)
        if holder is None:
            break
        if rng.random() < 0.15 and isinstance(holder, dict):
            holder[_text(rng, folder)] = odd_json(rng, folder)
        elif rng.random() < 0.15:
            del holder[key]
        else:
            holder[key] = odd_json(rng, folder)
    return json.dumps(question).encode()[: LIMITS.body_bytes]


def warm_up() -> None:
    """Compile what good questions need."""
    visited(_ask_all)


async def _ask_all(app: Starlette) -> None:
    for question in _QUESTIONS:
        answer = await _sent(app, "POST", "/api/jobs", body=json.dumps(question).encode())
        job = json.loads(answer.body)["id"]
        do(app.state.jobs, job)
        await _sent(app, "POST", f"/api/jobs/{job}/stop")
