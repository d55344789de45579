"""``python -m tests.app.load [SECONDS] [USERS]``: users of one page at once. None may fail, and memory stays steady."""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import httpx2

from tests.app.pages import SLOW, SOLVE

MOST_ROUNDS = 10_000
"""Of all users together, so that this ends whatever the clock says."""
GROWTH = 1.1
"""How much more memory the page may take in the last quarter than in the second."""
_WAIT_SECONDS = 300.0
_GRAPH = b"".join(b"%d %d\n" % (i * i % 97, i * 7 % 89) for i in range(400))


class User:
    """Somebody who asks, looks, stops and tries what is not allowed, as a browser would do it."""

    def __init__(self, address: str, seed: int, over: Event) -> None:
        base = address.partition("/?")[0]
        self.client = httpx2.Client(base_url=base, headers={"origin": base}, timeout=60)
        self.address, self.random, self.over = address, random.Random(seed), over
        self.done = Counter[str]()

    def get(self, path: str, status: int = 200) -> Any:
        return self._checked(self.client.get(path), status)

    def post(self, path: str, status: int, **body: Any) -> Any:
        return self._checked(self.client.post(path, **body), status)

    def _checked(self, response: Any, status: int) -> Any:
        self.done["requests"] += 1
        if response.status_code != status:
            raise AssertionError(f"{response.url}: {response.status_code}, not {status}: {response.text[:200]}")
        return response

    def live(self) -> Counter[str]:
        """One thing after another until all is over."""
        deeds = (self.solve, self.solve, self.upload, self.stop, self.trespass)
        with self.client:
            self.get(self.address, 303)  # which gives it the token
            for _ in range(MOST_ROUNDS):
                if self.over.is_set():
                    break
                self.get("/")
                self.random.choice(deeds)()
                self.done["rounds"] += 1
        return self.done

    def solve(self) -> None:
        problem = self.random.choice(["mvc", "bmc"])
        solver = {"mvc": "greedy", "bmc": "local-search"}[problem]
        question = {**SOLVE, "problem": problem, "solver": solver, "budget": self.random.randint(1, 20)}
        self.get(f"/api/expected?problem={problem}&budget={question['budget']}&target=0.99")
        number = self.post("/api/jobs", 201, json=question).json()["id"]
        if self.waited(number):
            self.get(f"/api/jobs/{number}/files/answer.json")
            self.done["solved"] += 1

    def upload(self) -> None:
        number = self.post("/api/uploads?name=graph.txt", 201, content=_GRAPH).json()["upload"]
        look = {"kind": "look", "graph": {"kind": "upload", "upload": number}}
        if self.waited(self.post("/api/jobs", 201, json=look).json()["id"]):
            self.done["looked at"] += 1

    def stop(self) -> None:
        number = self.post("/api/jobs", 201, json=SLOW).json()["id"]
        self.over.wait(self.random.uniform(0, 3))
        self.post(f"/api/jobs/{number}/stop", 204)
        if self.get(f"/api/jobs/{number}").json()["state"] != "stopped":
            raise AssertionError("a job that was stopped goes on")
        self.done["stopped"] += 1

    def trespass(self) -> None:
        self.get("/api/jobs/of-somebody-else", 404)
        self.post("/api/jobs", 403, json=SOLVE, headers={"origin": "http://elsewhere.example"})
        self.post("/api/jobs", 400, content=b'{"kind": "solve", "graph": ')
        self.post("/api/jobs", 413, content=b" " * 70_000)
        self.done["refused"] += 4

    def waited(self, number: str) -> bool:
        """Whether a job was done before all was over; it must not fail."""
        end = monotonic() + _WAIT_SECONDS
        while monotonic() < end and not self.over.wait(0.3):
            job = self.get(f"/api/jobs/{number}").json()
            if job["state"] == "done":
                self.get(f"/api/jobs/{number}/result")
                return True
            if job["state"] not in ("waiting", "running"):
                raise AssertionError(f"a job ended as {job['state']}: {job['error']}")
        if not self.over.is_set():
            raise AssertionError(f"a job was not done after {_WAIT_SECONDS:g} s")
        return False


def memory(process: int) -> int:
    """Bytes that a process takes, without its jobs."""
    (kilobytes,) = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    return 1024 * int(kilobytes)


def growth(sizes: Sequence[int]) -> float:
    """The mean of the last quarter over that of the second, once all is loaded."""
    quarter = max(1, len(sizes) // 4)
    second, last = sizes[quarter : 2 * quarter] or sizes[:1], sizes[-quarter:]
    return (sum(last) / len(last)) / (sum(second) / len(second))


def load(seconds: float, users: int, temporary: Path) -> list[str]:
    """What is wrong after so many seconds with so many users at once."""
    command = [sys.executable, "-m", "lense", "app", "--no-browser"]
    known = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=known) as page:
        assert page.stdout is not None
        (address,) = re.findall(r"http://127\.0\.0\.1:\d+/\?token=\S+", page.stdout.readline())
        over, sizes = Event(), list[int]()
        with ThreadPoolExecutor(users) as pool:
            lives = [pool.submit(User(address, seed, over).live) for seed in range(users)]
            end = monotonic() + seconds
            while monotonic() < end and not any(life.done() for life in lives):
                over.wait(min(5, seconds / 20))
                sizes.append(memory(page.pid))
            over.set()
        page.send_signal(signal.SIGINT)
        page.wait(timeout=60)
    wrong = [str(error) for life in lives if (error := life.exception()) is not None]
    done = sum((life.result() for life in lives if life.exception() is None), Counter())
    print(f"{users} users, {seconds:g} s: " + ", ".join(f"{count:,} {what}" for what, count in done.items()))
    first, last = sizes[0] / 1e6, sizes[-1] / 1e6
    print(f"memory of the page: {first:.0f} MB first, {last:.0f} MB last, {growth(sizes):.3f} times by quarters")
    if growth(sizes) > GROWTH:
        wrong.append(f"memory grew {growth(sizes):.2f} times")
    if left := [path.name for path in temporary.iterdir() if path.name.startswith(".lense-")]:
        wrong.append(f"{left[0]} is left behind")
    return wrong


def main(words: list[str]) -> int:
    seconds, users = (int(word) for word in [*words[:2], *("600", "8")[len(words[:2]) :]])
    with tempfile.TemporaryDirectory() as temporary:
        wrong = load(seconds, users, Path(temporary))
    print("\n".join(wrong) or "nobody failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
