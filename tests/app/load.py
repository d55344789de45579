"""``python -m tests.app.load [SECONDS] [USERS]``: users of one page at once. None may fail, and memory stays steady."""

import os
import random
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean
from threading import Event
from time import monotonic
from typing import Any

import httpx2
import psutil

from tests.app.pages import SLOW, SOLVE
from tests.browsing import served

MOST_ROUNDS = 10_000
"""Of each user, so that this ends whatever the clock says."""
GROWTH = 1.1
"""How much more memory the page may take in the last quarter than in the second, once all is loaded."""
_WAIT_SECONDS = 300.0
_GRAPH = b"".join(b"%d %d\n" % (i * i % 97, i * 7 % 89) for i in range(400))


class User:
    """Somebody who asks, looks, stops and tries what is not allowed, as a browser would do it."""

    def __init__(self, address: str, seed: int, over: Event) -> None:
        base = address.partition("/?")[0]
        self.client = httpx2.Client(base_url=base, headers={"origin": base}, timeout=60)
        self.address, self.random, self.over = address, random.Random(seed), over
        self.done = Counter[str]()

    def ask(self, method: str, path: str, status: int = 200, **body: Any) -> Any:
        self.done["requests"] += 1
        response = self.client.request(method, path, **body)
        assert response.status_code == status, f"{path}: {response.status_code}, not {status}: {response.text[:200]}"
        return response

    def live(self) -> Counter[str]:
        """One thing after another until all is over."""
        with self.client:
            self.ask("GET", self.address, 303)  # which gives it the token
            for _ in range(MOST_ROUNDS):
                if self.over.is_set():
                    break
                self.ask("GET", "/")
                self.random.choice((self.solve, self.solve, self.upload, self.stop, self.trespass))()
        return self.done

    def solve(self) -> None:
        problem, solver = self.random.choice([("mvc", "greedy"), ("bmc", "local-search")])
        question = {**SOLVE, "problem": problem, "solver": solver, "budget": self.random.randint(1, 20)}
        self.ask("GET", f"/api/expected?problem={problem}&budget={question['budget']}&target=0.99")
        if number := self.waited(question):
            self.ask("GET", f"/api/jobs/{number}/files/answer.json")
            self.done["solved"] += 1

    def upload(self) -> None:
        number = self.ask("POST", "/api/uploads?name=graph.txt", 201, content=_GRAPH).json()["upload"]
        if self.waited({"kind": "look", "graph": {"kind": "upload", "upload": number}}):
            self.done["looked at"] += 1

    def stop(self) -> None:
        number = self.ask("POST", "/api/jobs", 201, json=SLOW).json()["id"]
        self.over.wait(self.random.uniform(0, 3))
        self.ask("POST", f"/api/jobs/{number}/stop", 204)
        assert self.ask("GET", f"/api/jobs/{number}").json()["state"] == "stopped"
        self.done["stopped"] += 1

    def trespass(self) -> None:
        self.ask("GET", "/api/jobs/of-somebody-else", 404)
        self.ask("POST", "/api/jobs", 403, json=SOLVE, headers={"origin": "http://elsewhere.example"})
        self.ask("POST", "/api/jobs", 400, content=b'{"kind": "solve", "graph": ')
        self.ask("POST", "/api/jobs", 413, content=b" " * 70_000)
        self.done["refused"] += 4

    def waited(self, question: dict[str, Any]) -> str:
        """The number of a job that is done; nothing where all is over before, and it must not fail."""
        number: str = self.ask("POST", "/api/jobs", 201, json=question).json()["id"]
        end = monotonic() + _WAIT_SECONDS
        while not self.over.wait(0.3):
            job = self.ask("GET", f"/api/jobs/{number}").json()
            if job["state"] == "done":
                self.ask("GET", f"/api/jobs/{number}/result")
                return number
            assert job["state"] in ("waiting", "running"), f"a job ended as {job['state']}: {job['error']}"
            assert monotonic() < end, f"a job was not done after {_WAIT_SECONDS:g} s"
        return ""


def load(seconds: float, users: int, temporary: Path) -> list[str]:
    """What is wrong after so many seconds with so many users at once."""
    with served(TMPDIR=str(temporary), PYTHONPATH=os.pathsep.join(sys.path)) as (address, page):
        over, sizes = Event(), list[int]()
        with ThreadPoolExecutor(users) as pool:
            lives = [pool.submit(User(address, seed, over).live) for seed in range(users)]
            end = monotonic() + seconds
            while monotonic() < end and not any(life.done() for life in lives):
                over.wait(min(5, seconds / 20))
                sizes.append(psutil.Process(page.pid).memory_info().rss)
            over.set()
    wrong = [str(error) for life in lives if (error := life.exception()) is not None]
    done = sum((life.result() for life in lives if life.exception() is None), Counter())
    quarter = max(1, len(sizes) // 4)
    growth = mean(sizes[-quarter:]) / mean(sizes[quarter : 2 * quarter] or sizes[:1])
    print(f"{users} users, {seconds:g} s: " + ", ".join(f"{count:,} {what}" for what, count in done.items()))
    print(f"memory of the page: {sizes[-1] / 1e6:.0f} MB in the end, {growth:.3f} times by quarters")
    if growth > GROWTH:
        wrong.append(f"memory grew {growth:.2f} times")
    return wrong + [f"{path.name} is left behind" for path in temporary.glob(".lense-*")]


def main(words: list[str]) -> int:
    seconds, users = (int(word) for word in [*words[:2], *("600", "8")[len(words[:2]) :]])
    with tempfile.TemporaryDirectory() as temporary:
        wrong = load(seconds, users, Path(temporary))
    print("\n".join(wrong) or "nobody failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
