"""One job in its own process: it sends its stages and what becomes of it, and writes results to its folder."""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import Any, NoReturn

import numpy as np

from lense._util.files import replacing, to_json
from lense._util.progress import Advance, reporting_to
from lense.app.requests import JobSpec, LookRequest, SolveRequest
from lense.errors import LenseError

_FAULT = "Something went wrong that should not have; the terminal that the page was started from says more."
_NO_MEMORY = "There is not enough memory for this: take a smaller graph, or a smaller budget."
_POINTS = 60
_LEAST_SECONDS = 0.1
"""Between two events about how far a stage is."""


@dataclass(eq=False)
class Stage:
    """One stage of a job, within another one if its depth is above 0; times are those of ``monotonic``."""

    name: str
    depth: int
    total: float | None
    begun: float = field(default_factory=monotonic)
    done: float = 0.0
    note: str = ""
    ended: float | None = None


class Events:
    """Sends what becomes of a job by a function; ``task`` is a ``lense._util.progress.Reporter``."""

    def __init__(self, sent: Callable[[dict[str, Any]], object]) -> None:
        self._sent, self._lock = sent, Lock()
        self._stages, self._depth, self._latest = list[Stage](), 0, 0.0

    def send(self, **event: Any) -> None:
        with self._lock:
            self._sent(event)

    @contextmanager
    def task(self, description: str, total: float | None) -> Iterator[Advance]:
        """A stage: where it begins, how far it is, where it ends."""
        stage = Stage(description, self._depth, total)

        def advance(amount: float, /, note: str = "") -> None:
            stage.done, stage.note = stage.done + amount, note or stage.note
            if monotonic() - self._latest >= _LEAST_SECONDS:
                self._send_stages()

        self._stages.append(stage)
        self._depth += 1
        self._send_stages()
        try:
            yield advance
        finally:
            self._depth -= 1
            stage.ended = monotonic()
            if stage.depth:  # of small pieces only those that run are worth showing
                self._stages.remove(stage)
            self._send_stages()

    def _send_stages(self) -> None:
        self._latest = monotonic()
        self.send(stages=[asdict(one) for one in self._stages])

    def stage(self, name: str) -> AbstractContextManager[Advance]:
        """A stage that does not count."""
        return self.task(name, None)


def main(spec: str, said: Connection, threads: int) -> NoReturn:
    """Do the job and end; the exit status is 2 where the user can do something about what went wrong."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends its processes
    Thread(target=_end_with_server, daemon=True).start()
    os.environ |= dict.fromkeys(("LENSE_THREADS", "OMP_NUM_THREADS"), str(threads))
    events = Events(lambda event: said.send_bytes(json.dumps(event, allow_nan=False).encode()))
    status = done(JobSpec.model_validate_json(spec, strict=False), events)
    sys.stderr.flush()
    # at once: threads of libraries have nothing to finish
    os._exit(status)


def done(spec: JobSpec, events: Events) -> int:
    """Do the job and say how it ended: the exit status."""
    try:
        with reporting_to(events.task):
            spec.own.load()
            result = _result(spec, events)
        with replacing(Path(spec.folder) / "result.json") as path:
            path.write_text(to_json(result), encoding="utf-8")
    except LenseError as error:
        # about the user's file by the name that the user gave it
        events.send(error=str(error).replace(spec.source, spec.title) if spec.source else str(error))
        return 2
    except MemoryError:
        events.send(error=_NO_MEMORY)
        return 2
    except Exception:
        traceback.print_exc()
        events.send(error=_FAULT)
        return 1
    events.send(is_done=True)
    return 0


def _result(spec: JobSpec, events: Events) -> dict[str, Any]:
    if isinstance(spec.ask, LookRequest):
        return look(spec, events)
    from lense.app import answers  # not above: its modules take seconds to load, and a look needs none of them

    return (answers.answer if isinstance(spec.ask, SolveRequest) else answers.compare)(spec, events)


def look(spec: JobSpec, events: Events) -> dict[str, Any]:
    """The size of the graph, and at most which share of its edges a part of so many roots has."""
    with events.stage("Reading the graph"):
        graph = spec.open_graph()
    n, degrees = graph.num_vertices, np.diff(graph.incident.indptr)
    sums = np.append(np.cumsum(np.sort(degrees)[::-1]), 0)
    counts = np.unique(np.geomspace(1, max(n, 1), _POINTS).round().astype(np.int64))[: max(n, 1)]
    shares = np.minimum(sums[counts - 1] / max(graph.num_edges, 1), 1.0)
    return {
        "title": spec.title,
        "vertices": n,
        "edges": graph.num_edges,
        "directed": graph.directed,
        "weighted": graph.weights is not None,
        "roots": counts.tolist(),
        "shares": np.round(shares, 5).tolist(),
    }


def _end_with_server() -> None:
    server = parent_process()
    assert server is not None
    server.join()
    os._exit(1)
