"""Who may ask, and what every answer says."""

import re

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from lense.app.guard import LOOPBACK, Guard

PORT = 8642
TOKEN = "secret"
ORIGIN = f"http://127.0.0.1:{PORT}"


def stranger(**options: object) -> TestClient:
    """A browser, or another account on the machine, that does not have the token."""

    def session(request: Request) -> PlainTextResponse:
        return PlainTextResponse(request.state.session)

    routes = [Route(path, session, methods=["GET", "POST"]) for path in ("/", "/api/jobs")]
    settings: dict[str, object] = {"names": LOOPBACK, "port": PORT, "token": TOKEN, **options}
    guarded = Guard(Starlette(routes=routes), **settings)  # type: ignore[arg-type]
    return TestClient(guarded, base_url=ORIGIN, follow_redirects=False)


def page(**options: object) -> TestClient:
    """A browser that has the token."""
    client = stranger(**options)
    client.cookies.set(f"lense-token-{PORT}", TOKEN)
    return client


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example:8642", "localhost.", "", "10.0.0.1", "[::1", "127.0.0.1@evil.example"],
)
def test_other_names_are_refused_so_that_no_name_server_can_lead_here(host: str) -> None:
    for own in ("127.0.0.1", "localhost", "[::1]"):
        assert page().get("/", headers={"host": f"{own}:{PORT}"}).status_code == 200
    response = page().get("/", headers={"host": host})
    assert response.status_code == 421
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:8642", "http://127.0.0.1:9999", "http://localhost:8642"],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_requests_from_another_origin_are_refused(method: str, origin: str) -> None:
    assert page().request(method, "/api/jobs", headers={"origin": origin}).status_code == 403
    assert page().request(method, "/api/jobs", headers={"origin": ORIGIN}).status_code == 200
    assert page().request(method, "/api/jobs").status_code == (403 if method == "POST" else 200)


def test_another_site_can_link_to_the_page_and_ask_nothing() -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert page().get("/", headers=link).status_code == 200
    assert page().get("/api/jobs", headers=link).status_code == 403
    assert page().get("/", headers={"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"}).status_code == 403


def test_each_browser_has_a_session_that_scripts_and_other_sites_do_not_see() -> None:
    client = page()
    first = client.get("/")
    assert re.search(r"lense-session-8642=\S{32}; Path=/; .*HttpOnly; SameSite=Lax", first.headers["set-cookie"])
    second = client.get("/")
    assert second.text == first.text
    assert "set-cookie" not in second.headers
    assert page().get("/").text != first.text


def test_every_answer_forbids_what_the_page_does_not_do() -> None:
    for response in (page().get("/"), page().get("/nothing"), page().get("/", headers={"host": "evil.example"})):
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'self';")
        assert "unsafe" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["x-frame-options"] == "DENY"
        assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("any_address", [False, True])
def test_nothing_answers_without_the_token_which_vanishes_from_the_address(any_address: bool) -> None:
    client = stranger(any_address=any_address)
    for address in ("/", "/?token=wrong", "/?token=", "/api/jobs?token=secre", "/static/app.js", "/nothing"):
        assert client.get(address).status_code == 403
    assert client.post("/api/jobs?token=secret", headers={"origin": ORIGIN}).status_code == 403
    entered = client.get("/?token=secret")
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    assert client.get("/").status_code == 200


def test_at_all_addresses_numbers_are_names_and_other_names_are_not() -> None:
    client = stranger(any_address=True)
    assert client.get("/?token=secret", headers={"host": "192.0.2.7:8642"}).status_code == 303
    assert client.get("/?token=secret", headers={"host": "evil.example:8642"}).status_code == 421


def test_nothing_speaks_websocket() -> None:
    with pytest.raises(WebSocketDisconnect), page().websocket_connect("/"):
        pass
