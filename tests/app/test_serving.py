"""The page on a port."""

import socket

import pytest

from lense.app.server import address
from lense.app.serving import serve
from lense.errors import LenseError


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LenseError, match=f"port {port}.*another --port"):
            serve(port=port)


def test_a_host_that_is_not_there_is_named() -> None:
    with pytest.raises(LenseError, match=r"no address called 'no\.such\.host\.invalid'"):
        serve(host="no.such.host.invalid")


def test_addresses_can_be_opened() -> None:
    assert address("127.0.0.1", 80, "a") == "http://127.0.0.1:80/?token=a"
    assert address("::1", 80, "a-b") == "http://[::1]:80/?token=a-b"
