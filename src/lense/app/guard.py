"""Let in requests that carry the token and come from the page itself; set security headers on every response."""

import secrets
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_HEADERS = {
    "content-security-policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_YEAR = 365 * 24 * 3600


class Guard:
    """Lets through what comes from the page itself, and gives each browser a session.

    Nothing answers without the ``token``, on this machine too: other accounts can reach its loopback address. A browser
    brings the token once, in the address, and has it as a cookie from then on. ``names`` are the host names that the
    page may be opened by; with ``any_address`` also numeric addresses.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        names: tuple[str, ...],
        token: str,
        any_address: bool = False,
        port: int = 0,
    ) -> None:
        self.app, self.names, self.token, self.any_address = app, names, token, any_address
        self.session_cookie, self.token_cookie = f"lense-session-{port}", f"lense-token-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks WebSocket
            await send({"type": "websocket.close", "code": 1008})
            return
        request = Request(scope)
        refusal = self._refusal(request)
        known = request.cookies.get(self.session_cookie)
        session = known or secrets.token_urlsafe(24)
        scope.setdefault("state", {})["session"] = session

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    answer.setdefault(name, value)
                answer.setdefault("cache-control", "no-store")
                if not known and refusal is None:
                    answer.append("set-cookie", _cookie(self.session_cookie, session))
            await send(message)

        await (self.app if refusal is None else refusal)(scope, receive, guarded)

    def _refusal(self, request: Request) -> Response | None:
        """Why a request is not let through; None where it is."""
        host = request.headers.get("host", "")
        if not self._is_own(host):
            return _no(421, "Unknown host name: open the address that 'lense app' printed.")
        if not _is_same_origin(request, host):
            return _no(403, "Requests from other pages are rejected.")
        if self._is_token(request.cookies.get(self.token_cookie, "")):
            return None
        if request.method == "GET" and self._is_token(request.query_params.get("token", "")):
            entered = RedirectResponse(request.scope["path"] or "/", status_code=303)
            entered.headers.append("set-cookie", _cookie(self.token_cookie, self.token))
            return entered
        return _no(403, "Missing or wrong token: open the whole address that 'lense app' printed.")

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(errors="replace"), self.token.encode())

    def _is_own(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name in self.names or (self.any_address and _is_address(name))


def _is_same_origin(request: Request, host: str) -> bool:
    """Browsers say where a request comes from; whatever changes something must say it."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
    if origin is not None:
        return origin == f"{request.scope['scheme']}://{host}"
    if request.method not in ("GET", "HEAD"):
        return False
    is_opened = request.headers.get("sec-fetch-mode") == "navigate" and not request.scope["path"].startswith("/api/")
    return site in ("none", "same-origin") or is_opened


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _cookie(name: str, value: str) -> str:
    # Lax, not Strict: a link to the page from a file or another site must find the session; requests that could change
    # or read something are checked by their origin
    return f"{name}={value}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Lax"


def _no(status: int, sentence: str) -> Response:
    return PlainTextResponse(sentence + "\n", status_code=status)
