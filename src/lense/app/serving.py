"""The page on a port of this machine, until it is interrupted."""

import secrets
import socket
from collections.abc import Callable
from ipaddress import ip_address

import uvicorn

from lense.app.asking import Own
from lense.app.guard import LOOPBACK
from lense.app.limits import Limits
from lense.app.server import address, make_app
from lense.errors import LenseError

DEFAULT_PORT = 8642
_SHUTDOWN_SECONDS = 2


def serve(
    given: str | None = None,
    *,
    own: Own | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    limits: Limits | None = None,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve until interrupted. ``ready`` is called with the address once the page answers there.

    The address contains a token, without which nothing answers. The default port is 8642, or any free one if that is
    taken.
    """
    listening = _socket(host, port)
    chosen = int(listening.getsockname()[1])
    is_local = _is_loopback(host)
    token = secrets.token_urlsafe(24)
    names = LOOPBACK if is_local else (*LOOPBACK, host, socket.gethostname(), socket.getfqdn())
    app = make_app(token=token, given=given, own=own, limits=limits, names=names, any_address=not is_local, port=chosen)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        ws="none",
        h11_max_incomplete_event_size=1 << 15,
    )
    server = _Server(config, lambda: ready(address(_shown(host), chosen, token)))
    with listening:
        server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """Says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def _socket(host: str, port: int | None) -> socket.socket:
    ports = [port] if port is not None else [DEFAULT_PORT, 0]
    for one in ports:
        try:
            family = socket.getaddrinfo(host, one, type=socket.SOCK_STREAM)[0][0]
            return socket.create_server((host, one), family=family)
        except socket.gaierror:
            raise LenseError(f"There is no address called '{host}' here: leave --host out, or give a number.") from None
        except OSError as error:
            refused = error.strerror or str(error)
    raise LenseError(f"The page cannot be served at {host}, port {port}: {refused}. Choose another --port.")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shown(host: str) -> str:
    """An address that can be opened: that of all networks cannot."""
    return socket.gethostname() if host in ("0.0.0.0", "::") else host  # noqa: S104 (shown, not listened on)
