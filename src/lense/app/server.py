"""The page and what it asks for, over HTTP."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from lense._util.files import temporary_name
from lense.app.asking import Own, parsed, suffix_of
from lense.app.choices import choices, expectations
from lense.app.guard import LOOPBACK, Guard
from lense.app.jobs import DONE, Job, Jobs, Missing
from lense.app.limits import Limits
from lense.errors import LenseError

FILES = {
    "pruned.txt.gz": "application/gzip",
    "pruned.npz": "application/octet-stream",
    "answer.csv": "text/csv",
    "answer.json": "application/json",
    "table.csv": "text/csv",
    "front.png": "image/png",
    "report.html": "text/html",
}
"""What can be downloaded, by name; nothing else in a job's folder can."""
SHARED = {"page.css": "text/css", "charts.js": "text/javascript", "page.js": "text/javascript"}
"""What this page has from the report."""
_TEMPLATES = Environment(loader=PackageLoader("lense.app"), autoescape=True)
_SOME_BYTES = 1 << 20


class _TooMuch(LenseError):
    """A request that holds more than it may."""


def make_app(
    *,
    token: str,
    given: str | None = None,
    own: Own | None = None,
    limits: Limits | None = None,
    names: tuple[str, ...] = LOOPBACK,
    any_address: bool = False,
    port: int = 0,
) -> Starlette:
    """Return the page as an ASGI application.

    Requests need the ``token``. ``given`` is the graph that the page opens with; ``own`` names the user's classes that
    requests may use besides the registered ones.
    """
    allowed = Limits() if limits is None else limits
    classes = Own() if own is None else own
    classes.load()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        folder = temporary_name(Path(tempfile.gettempdir()) / "app")
        folder.mkdir(mode=0o700)
        app.state.jobs = Jobs(folder, allowed, given, classes)
        try:
            yield
        finally:
            app.state.jobs.close()
            shutil.rmtree(folder, ignore_errors=True)

    routes = [
        Route("/", _page),
        Route("/job/{number}", _page),
        Route("/api/jobs", _jobs),
        Route("/api/jobs", _start, methods=["POST"]),
        Route("/api/jobs/{number}", _state),
        Route("/api/jobs/{number}/stop", _stop, methods=["POST"]),
        Route("/api/jobs/{number}/result", _result),
        Route("/api/jobs/{number}/files/{name}", _file),
        Route("/api/uploads", _upload, methods=["POST"]),
        Route("/api/expected", _expected),
        Route("/shared/{name}", _shared),
        Mount("/static", StaticFiles(packages=[("lense.app", "static")])),
    ]
    guard = Middleware(Guard, names=names, token=token, any_address=any_address, port=port)
    handlers: dict[Any, Any] = {
        LenseError: _bad,
        _TooMuch: _too_much,
        Missing: _missing,
        HTTPException: _plain,
        ClientDisconnect: _gone,
    }
    return Starlette(routes=routes, middleware=[guard], exception_handlers=handlers, lifespan=lifespan)


def _page(request: Request) -> Response:
    number = request.path_params.get("number")
    if number is not None:
        _own(request, number)
    jobs: Jobs = request.app.state.jobs
    known = choices()
    text = _TEMPLATES.get_template("page.html").render(
        job=number or "", given=jobs.given and Path(jobs.given).name, version=version("lense"), **known
    )
    return HTMLResponse(text)


def _jobs(request: Request) -> Response:
    jobs: Jobs = request.app.state.jobs
    return JSONResponse(jobs.of(request.state.session))


async def _start(request: Request) -> Response:
    jobs: Jobs = request.app.state.jobs
    body = await _body(request, jobs.limits.body_bytes)

    def start() -> Job:
        return jobs.start(request.state.session, parsed(body, jobs.limits))

    job = await run_in_threadpool(start)
    return JSONResponse({"id": job.id}, status_code=201)


def _state(request: Request) -> Response:
    jobs: Jobs = request.app.state.jobs
    return JSONResponse(jobs.described(_own(request, request.path_params["number"])))


def _stop(request: Request) -> Response:
    jobs: Jobs = request.app.state.jobs
    jobs.stop(request.state.session, request.path_params["number"])
    return Response(status_code=204)


def _result(request: Request) -> Response:
    job = _own(request, request.path_params["number"])
    if job.state != DONE:
        raise Missing(job.id)
    return FileResponse(job.folder / "result.json", media_type="application/json")


def _file(request: Request) -> Response:
    job, name = _own(request, request.path_params["number"]), request.path_params["name"]
    path = job.folder / name
    if name not in FILES or job.state != DONE or not path.is_file():
        raise Missing(name)
    return FileResponse(path, media_type=FILES[name], filename=name, content_disposition_type="attachment")


async def _upload(request: Request) -> Response:
    """Keep the body of the request as a file; of its name nothing counts but how it ends."""
    jobs: Jobs = request.app.state.jobs
    name = request.query_params.get("name", "")[:200]
    jobs.check_room()
    folder = jobs.folder / "uploads"
    folder.mkdir(exist_ok=True)
    file = tempfile.NamedTemporaryFile(dir=folder, suffix=suffix_of(name), delete=False)  # noqa: SIM115
    try:
        with file:
            async with asyncio.timeout(jobs.limits.upload_seconds):
                size = await _copied(request, file, jobs.limits.upload_bytes)
        if not size:
            raise LenseError(f"{name} is empty.")
        number = jobs.add_upload(request.state.session, Path(file.name), name)
    except TimeoutError:
        Path(file.name).unlink()
        raise LenseError(
            f"{name} took more than {jobs.limits.upload_seconds:g} s to arrive: open it with 'lense app FILE' instead."
        ) from None
    except BaseException:
        Path(file.name).unlink()
        raise
    return JSONResponse({"upload": number, "name": name, "bytes": size}, status_code=201)


async def _copied(request: Request, file: Any, most: int) -> int:
    """Write the body to a file; the number of its bytes."""
    _check_length(request, most)
    size, waiting = 0, bytearray()
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise _TooMuch(_too_large(most))
        waiting += piece
        if len(waiting) >= _SOME_BYTES:
            await run_in_threadpool(file.write, bytes(waiting))
            waiting.clear()
    file.write(waiting)
    return size


async def _body(request: Request, most: int) -> bytes:
    _check_length(request, most)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise _TooMuch(_too_large(most))
    return bytes(body)


def _check_length(request: Request, most: int) -> None:
    """Refuse at once what says of itself that it is too large."""
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 18 or int(length) > most:
        raise _TooMuch(_too_large(most))


def _too_large(most: int) -> str:
    size = f"{most / 2**20:,.0f} MiB" if most >= 2**20 else f"{most:,} bytes"
    return f"That is more than the {size} that the page takes: open the file with 'lense app FILE' instead."


def _expected(request: Request) -> Response:
    given = request.query_params
    try:
        budget, target = float(given["budget"]), float(given["target"])
    except (KeyError, ValueError):
        raise LenseError("The budget and the target are numbers.") from None
    if not (isfinite(budget) and 1 <= budget <= 1e9 and 0 < target <= 1):
        raise LenseError("The budget is a number from 1 on, and the target a share above 0 and at most 1.")
    return JSONResponse(expectations(given.get("problem", ""), budget, target))


@cache
def _shared_text(name: str) -> str:
    return files("lense.report").joinpath(name).read_text(encoding="utf-8")


def _shared(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in SHARED:
        raise Missing(name)
    return Response(_shared_text(name), media_type=SHARED[name])


def _own(request: Request, number: str) -> Job:
    jobs: Jobs = request.app.state.jobs
    return jobs.get(request.state.session, number)


def _bad(request: Request, error: Exception) -> Response:
    return _sentence(400, str(error))


def _too_much(request: Request, error: Exception) -> Response:
    return _sentence(413, str(error), {"connection": "close"})


def _missing(request: Request, error: Exception) -> Response:
    if request.url.path.startswith("/job/"):
        return HTMLResponse(_TEMPLATES.get_template("missing.html").render(), status_code=404)
    return _sentence(404, "There is nothing here that is yours.")


def _plain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return PlainTextResponse(f"{error.detail}\n", status_code=error.status_code, headers=error.headers)


def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=400)


def _sentence(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": " ".join(sentence.split())}, status_code=status, headers=headers)


def address(host: str, port: int, token: str) -> str:
    """Return the address that opens the page."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/?token={quote(token)}"
