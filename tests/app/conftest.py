"""The page without a network: its application, and users of it."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from starlette.testclient import TestClient

from lense.app.requests import Limits
from lense.app.server import make_app
from tests.app.pages import TOKEN, user

LIMITS = Limits(running=1, waiting=3, kept=20, uploads=2, upload_bytes=100_000, vertices=1_000_000)


@pytest.fixture(scope="module")
def users() -> Iterator[list[TestClient]]:
    """Two users of one page, each in a browser of their own."""
    with ExitStack() as stack:
        app = make_app(token=TOKEN, limits=LIMITS)
        first = stack.enter_context(user(app))
        second = user(app)
        for client in (first, second):
            client.get("/api/jobs")  # which gives each a session
        yield [first, second]


@pytest.fixture(scope="module")
def client(users: list[TestClient]) -> TestClient:
    return users[0]
