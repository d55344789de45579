"""The page and what it asks for, over HTTP, on a port of this machine until it is interrupted."""

import secrets
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn
from jinja2 import Environment, PackageLoader
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from lense._util.files import scratch_folder
from lense._util.formatting import size
from lense.app.guard import LOOPBACK, Guard
from lense.app.jobs import DONE, Job, Jobs, Missing
from lense.app.requests import Limits, OwnClasses, choices, expectations, parsed, suffix_of
from lense.errors import LenseError

DEFAULT_PORT = 8642
FILES = ("pruned.txt.gz", "pruned.npz", "answer.csv", "answer.json", "table.csv", "front.png", "report.html")
"""What can be downloaded, by name; nothing else in a job's folder can."""
SHARED = {"page.css": "text/css", "charts.js": "text/javascript", "page.js": "text/javascript"}
"""What this page has from the report."""
_TEMPLATES = Environment(loader=PackageLoader("lense.app"), autoescape=True)


class _TooMuch(LenseError):
    """A request that holds more than it may."""


def serve(
    given: str | None = None,
    *,
    own: OwnClasses | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve until interrupted. ``ready`` is called with the address once it takes requests.

    The address contains a token, without which nothing answers. The default port is 8642, or any free one if that is
    taken.
    """
    listening = _socket(host, port)
    chosen, is_local, token = int(listening.getsockname()[1]), host in LOOPBACK, secrets.token_urlsafe(24)
    names = LOOPBACK if is_local else (*LOOPBACK, host, socket.gethostname(), socket.getfqdn())
    app = make_app(token=token, given=given, own=own, names=names, any_address=not is_local, port=chosen)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        ws="none",
        h11_max_incomplete_event_size=1 << 15,
    )
    # the address of all networks cannot be opened
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else host  # noqa: S104 (shown, not listened on)
    with listening:
        ready(address(shown, chosen, token))  # requests wait until the server begins
        uvicorn.Server(config).run(sockets=[listening])


def _socket(host: str, port: int | None) -> socket.socket:
    for one in [DEFAULT_PORT, 0] if port is None else [port]:
        try:
            family = socket.getaddrinfo(host, one, type=socket.SOCK_STREAM)[0][0]
            return socket.create_server((host, one), family=family)
        except socket.gaierror:
            raise LenseError(f"There is no address called '{host}' here: leave --host out, or give a number.") from None
        except OSError as error:
            refused = error.strerror or str(error)
    raise LenseError(f"The page cannot be served at {host}, port {port}: {refused}. Choose another --port.")


def address(host: str, port: int, token: str) -> str:
    """Return the address that opens the page."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/?token={quote(token)}"


def make_app(
    *,
    token: str,
    given: str | None = None,
    own: OwnClasses | None = None,
    limits: Limits | None = None,
    names: tuple[str, ...] = LOOPBACK,
    any_address: bool = False,
    port: int = 0,
) -> Starlette:
    """Return the page as an ASGI application.

    Requests need the ``token``. ``given`` is the graph that the page opens with; ``own`` names the user's classes that
    requests may use besides the registered ones.
    """
    classes = own or OwnClasses()
    classes.load()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        folder = scratch_folder()
        app.state.jobs = Jobs(folder, limits or Limits(), given, classes)
        try:
            yield
        finally:
            app.state.jobs.close()
            shutil.rmtree(folder, ignore_errors=True)

    routes = [
        Route("/", _page),
        Route("/job/{number}", _page),
        Route("/api/jobs", lambda request: JSONResponse(_jobs(request).of(request.state.session))),
        Route("/api/jobs", _start, methods=["POST"]),
        Route("/api/jobs/{number}", lambda request: JSONResponse(_jobs(request).described(_job(request)))),
        Route("/api/jobs/{number}/stop", _stop, methods=["POST"]),
        Route("/api/jobs/{number}/result", _result),
        Route("/api/jobs/{number}/files/{name}", _file),
        Route("/api/uploads", _upload, methods=["POST"]),
        Route("/api/expected", lambda request: JSONResponse(expectations(request.query_params))),
        Route("/shared/{name}", _shared),
        Mount("/static", StaticFiles(packages=[("lense.app", "static")])),
    ]
    guard = Middleware(Guard, names=names, token=token, any_address=any_address, port=port)
    handlers: dict[Any, Any] = {
        LenseError: lambda request, error: _sentence(400, str(error)),
        _TooMuch: lambda request, error: _sentence(413, str(error), {"connection": "close"}),
        Missing: _missing,
        ClientDisconnect: lambda request, error: Response(status_code=400),
    }
    return Starlette(routes=routes, middleware=[guard], exception_handlers=handlers, lifespan=lifespan)


def _jobs(request: Request) -> Jobs:
    jobs: Jobs = request.app.state.jobs
    return jobs


def _job(request: Request) -> Job:
    """The job that the path names, which must be the user's own."""
    return _jobs(request).get(request.state.session, request.path_params["number"])


def _page(request: Request) -> Response:
    job = _job(request).id if "number" in request.path_params else ""
    given = _jobs(request).given
    text = _TEMPLATES.get_template("page.html").render(
        job=job, given=given and Path(given).name, version=version("lense"), **choices()
    )
    return HTMLResponse(text)


async def _start(request: Request) -> Response:
    jobs, body = _jobs(request), bytearray()
    async for piece in _pieces(request, jobs.limits.body_bytes):
        body += piece

    def start() -> Job:
        return jobs.start(request.state.session, parsed(bytes(body), jobs.limits))

    job = await run_in_threadpool(start)
    return JSONResponse({"id": job.id}, status_code=201)


def _stop(request: Request) -> Response:
    _jobs(request).stop(request.state.session, request.path_params["number"])
    return Response(status_code=204)


def _result(request: Request) -> Response:
    job = _job(request)
    if job.state != DONE:
        raise Missing(job.id)
    return FileResponse(job.folder / "result.json", media_type="application/json")


def _file(request: Request) -> Response:
    job, name = _job(request), request.path_params["name"]
    path = job.folder / name
    if name not in FILES or job.state != DONE or not path.is_file():
        raise Missing(name)
    return FileResponse(path, media_type="application/octet-stream", filename=name)


async def _upload(request: Request) -> Response:
    """Keep the body of the request as a file; of its name nothing counts but how it ends."""
    jobs = _jobs(request)
    name = request.query_params.get("name", "")[:200]
    folder = jobs.folder / "uploads"
    folder.mkdir(exist_ok=True)
    file = tempfile.NamedTemporaryFile(dir=folder, suffix=suffix_of(name), delete=False)  # noqa: SIM115
    total = 0
    try:
        with file:
            async for piece in _pieces(request, jobs.limits.upload_bytes):
                total += await run_in_threadpool(file.write, piece)
        if not total:
            raise LenseError(f"{name} is empty.")
        number = jobs.add_upload(request.state.session, Path(file.name), name)
    except BaseException:
        Path(file.name).unlink()
        raise
    return JSONResponse({"upload": number, "name": name, "bytes": total}, status_code=201)


async def _pieces(request: Request, most: int) -> AsyncIterator[bytes]:
    """The body of a request; raises at once for one that says that it is too large, else where it becomes so."""
    taken, length = 0, request.headers.get("content-length", "0")
    is_too_large = not length.isdecimal() or len(length) > 18 or int(length) > most
    if not is_too_large:
        async for piece in request.stream():
            taken += len(piece)
            if is_too_large := taken > most:
                break
            yield piece
    if is_too_large:
        raise _TooMuch(
            f"That is more than the {size(most)} that the page takes: open the file with 'lense app FILE' instead."
        )


def _shared(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in SHARED:
        raise Missing(name)
    return Response(files("lense.report").joinpath(name).read_text(encoding="utf-8"), media_type=SHARED[name])


def _missing(request: Request, error: Exception) -> Response:
    if request.url.path.startswith("/job/"):
        return HTMLResponse(_TEMPLATES.get_template("missing.html").render(), status_code=404)
    return _sentence(404, "There is nothing here that is yours.")


def _sentence(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": " ".join(sentence.split())}, status_code=status, headers=headers)
