"""Runs seeded cases in forked processes with limits of memory and time, and collects what escapes."""

import contextlib
import os
import resource
import shutil
import signal
import struct
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from lense.errors import LenseError
from tests.fuzz import commands, graphs, models, requests, stores

MEMORY = 1 << 30
"""Bytes that a case may take beyond what was there before."""
SECONDS = 5.0
"""Processor time that a case may take."""
_SILENCE = 120.0
_CASES_A_CHILD = 500
"""What a library keeps from one case to the next does not add up."""
_SHARES: tuple[tuple[float, str, Callable[[Path, np.random.Generator], None]], ...] = (
    (0.69, "graph", graphs.run_case),
    (0.12, "model", models.run_case),
    (0.10, "store", stores.run_case),
    (0.06, "command", commands.run_case),
    (0.03, "request", requests.run_case),
)
_DONE = struct.Struct("<qqi")
_FINE, _REFUSED, _ESCAPED = range(3)
_TOO_LONG, _AGAIN = "it took more than", 2


@dataclass(frozen=True)
class Escape:
    """A case that ended in another way than it may."""

    case: int
    kind: str
    what: str


@dataclass
class Outcome:
    fine: int = 0
    refused: int = 0
    escapes: tuple[Escape, ...] = ()

    @property
    def cases(self) -> int:
        return self.fine + self.refused + len(self.escapes)


def prepare() -> None:
    """Import and compile all that cases need, before processes are forked."""
    os.environ["LENSE_THREADS"] = "1"
    with TemporaryDirectory() as folder:
        graphs.warm_up(Path(folder))
        models.warm_up()
        stores.warm_up(Path(folder))
        requests.warm_up(Path(folder))


def fuzz(seed: int, cases: Sequence[int]) -> Outcome:
    """Run the cases one after another in forked processes; a process that a case ends is replaced.

    A case that takes too long is run again: the first time, it may have compiled what :func:`prepare` did not think of.
    """
    found, at, escapes = Outcome(), 0, []
    late = Counter[int]()
    while at < len(cases):
        for case, state, what in _in_child(seed, cases[at : at + _CASES_A_CHILD]):
            if state == _ESCAPED and _TOO_LONG in what and late[case] < _AGAIN:
                late[case] += 1
                break
            at += 1
            found.fine += state == _FINE
            found.refused += state == _REFUSED
            if state == _ESCAPED:
                escapes.append(Escape(case, kind_of(seed, case), what))
    found.escapes = tuple(escapes)
    return found


def kind_of(seed: int, case: int) -> str:
    return _chosen(np.random.default_rng([seed, case]))[0]


def _chosen(rng: np.random.Generator) -> tuple[str, Callable[[Path, np.random.Generator], None]]:
    point = rng.random()
    for share, kind, run in _SHARES:
        point -= share
        if point < 0:
            return kind, run
    return _SHARES[0][1:]


def _in_child(seed: int, cases: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """What the cases came to, up to the first that ended the process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with contextlib.suppress(BaseException):
            _serve(writing, seed, cases)
        os._exit(0)
    os.close(writing)
    ended = 0
    with os.fdopen(reading, "rb") as answers:
        while ended < len(cases) and (answer := _answer(answers, child)) is not None:
            yield answer
            ended += 1
    _, status = os.waitpid(child, 0)
    if ended < len(cases):
        yield cases[ended], _ESCAPED, f"the process ended ({_why(status)})"


def _answer(answers: object, child: int) -> tuple[int, int, str] | None:
    watch = _Alarm(_SILENCE, child)
    with watch:
        head = answers.read(_DONE.size)  # type: ignore[attr-defined]
        if len(head) < _DONE.size:
            return None
        case, state, length = _DONE.unpack(head)
        return case, state, answers.read(length).decode(errors="replace")  # type: ignore[attr-defined]


class _Alarm:
    """Kills a process that is silent for too long without using processor time."""

    def __init__(self, seconds: float, child: int) -> None:
        self.seconds, self.child = seconds, child

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, lambda *_: os.kill(self.child, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_error: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _why(status: int) -> str:
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return f"{_TOO_LONG} {SECONDS:g} s" if name == "SIGPROF" else name
    return f"status {os.WEXITSTATUS(status)}"


def _serve(answers: int, seed: int, cases: Sequence[int]) -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(quiet, stream)
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (until the process ends)
    home = Path(os.getcwd())
    for case in cases:
        folder = Path(f"/tmp/lense-fuzz-{os.getpid()}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        state, what = _tried(seed, case, folder)
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.chdir(home)
        shutil.rmtree(folder, ignore_errors=True)
        said = what.encode(errors="replace")
        os.write(answers, _DONE.pack(case, state, len(said)) + said)


def _tried(seed: int, case: int, folder: Path) -> tuple[int, str]:
    rng = np.random.default_rng([seed, case])
    _, run = _chosen(rng)
    try:
        run(folder, rng)
    except LenseError as error:
        sentence = str(error)
        return (_ESCAPED, f"not one sentence: {sentence!r}") if "\n" in sentence.strip() else (_REFUSED, "")
    except BaseException:
        return _ESCAPED, traceback.format_exc(limit=-6)[-1500:]
    return _FINE, ""


def run_all(seed: int, count: int, jobs: int, first: int = 0) -> Outcome:
    """``count`` cases from ``first`` on, shared among forked processes."""
    prepare()
    shares = [range(first + job, first + count, jobs) for job in range(jobs)]
    if jobs == 1:
        return fuzz(seed, shares[0])
    import pickle  # between our own processes

    pipes = []
    for share in shares:
        reading, writing = os.pipe()
        if os.fork() == 0:
            with os.fdopen(writing, "wb") as out:
                pickle.dump(fuzz(seed, share), out)
            os._exit(0)
        os.close(writing)
        pipes.append(reading)
    found = []
    for pipe in pipes:
        with os.fdopen(pipe, "rb") as answer:
            found.append(pickle.load(answer))
    escapes = tuple(sorted((e for one in found for e in one.escapes), key=lambda escape: escape.case))
    return Outcome(sum(one.fine for one in found), sum(one.refused for one in found), escapes)


def main(words: Sequence[str]) -> int:
    count, seed, jobs = (int(word) for word in [*words, *("100000", "0", "2")[len(words) :]])
    begun = time.monotonic()
    found = run_all(seed, count, jobs)
    for escape in found.escapes:
        print(f"--- case {escape.case} of seed {seed}, {escape.kind}:\n{escape.what}")
    print(
        f"{found.cases:,} cases in {time.monotonic() - begun:,.0f} s: {found.fine:,} read, {found.refused:,} refused "
        f"in a sentence, {len(found.escapes)} escapes"
    )
    return 1 if found.escapes else 0
