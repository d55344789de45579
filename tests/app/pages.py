"""What the tests of the page share: asking it, and waiting for it."""

from time import monotonic, sleep
from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient

TOKEN = "the-token-of-the-tests"
HOST = "127.0.0.1:8642"
ORIGIN = f"http://{HOST}"
SMALL = {"kind": "generated", "generator": "power-law", "settings": {"n": 300, "average_degree": 6, "exponent": 2.3}}
LONG = {"kind": "generated", "generator": "power-law", "settings": {"n": 200_000, "average_degree": 12}}
QUESTION: dict[str, Any] = {"graph": SMALL, "problem": "mvc", "budget": 5, "solver": "greedy"}
SOLVE: dict[str, Any] = {"kind": "solve", **QUESTION, "target": 0.99}
SLOW: dict[str, Any] = {**SOLVE, "graph": LONG, "problem": "im", "budget": 500, "solver": "celf", "way": "whole"}
"""A question that takes minutes, to be stopped."""


def user(app: Starlette) -> TestClient:
    """A browser that has opened the address with the token."""
    return TestClient(app, base_url=ORIGIN, cookies={"lense-token-0": TOKEN})


def ask(client: TestClient, question: dict[str, Any]) -> str:
    """Start a job; its number."""
    response = client.post("/api/jobs", json=question, headers={"origin": ORIGIN})
    assert response.status_code == 201, response.text
    number: str = response.json()["id"]
    return number


def refusal(client: TestClient, question: dict[str, Any]) -> str:
    """The sentence with which a question is refused."""
    response = client.post("/api/jobs", json=question, headers={"origin": ORIGIN})
    assert response.status_code == 400, response.text
    sentence: str = response.json()["error"]
    return sentence


def waited(client: TestClient, number: str, *states: str, seconds: float = 120) -> dict[str, Any]:
    """What is known of a job once it is over, or in one of the ``states``."""
    end = monotonic() + seconds
    while monotonic() < end:
        job: dict[str, Any] = client.get(f"/api/jobs/{number}").json()
        if job["state"] in (states or ("done", "failed", "stopped")):
            return job
        sleep(0.05)
    raise AssertionError(f"{number} is not over after {seconds} s")
