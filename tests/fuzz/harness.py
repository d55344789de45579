"""Runs seeded cases in forked processes with limits of memory and time, and collects what escapes."""

import argparse
import contextlib
import gc
import os
import re
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lense._util.measuring import PeakMemory
from lense.errors import LenseError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ADDRESSES, MEMORY = 1 << 30, 500 << 20
"""Bytes that a case may reserve beyond what was there before, and bytes that it may use."""
SECONDS = 5.0
"""CPU time that a case may take."""
PATIENCE = 20.0
"""How many times as long it may take to compile."""
_SILENCE = 120.0
_CASES_A_CHILD = 500
"""What a library keeps from one case to the next does not add up."""
_FINE, _REFUSED, _ESCAPED = range(3)
_TOO_LONG = "it took more than"
_UNSHOWABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What controls a terminal, turns text round, or cannot be printed."""

Run = Callable[[Path, np.random.Generator], None]


@dataclass(frozen=True)
class Suite:
    """Kinds of cases with their shares, which add up to 1; ``prepare`` imports and compiles what all of them need."""

    shares: tuple[tuple[float, str, Run], ...]
    prepare: Callable[[], None]

    def chosen(self, rng: np.random.Generator) -> tuple[str, Run]:
        point = rng.random()
        for share, kind, run in self.shares:
            point -= share
            if point < 0:
                return kind, run
        return self.shares[0][1:]


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


def fuzz(suite: Suite, seed: int, cases: Sequence[int], keep: Path | None = None, *, shows: bool = False) -> Outcome:
    """Run the cases one after another in forked processes; a process that a case ends is replaced.

    A case that takes too long is run without haste, to compile what ``prepare`` did not think of, and then again.
    ``keep`` is the folder for the files of the case; without it they are deleted.
    """
    found, at, escapes = Outcome(), 0, []
    late, begun = set[int](), time.monotonic()
    while at < len(cases):
        for case, state, what in _in_child(suite, seed, cases[at : at + _CASES_A_CHILD], keep):
            if state == _ESCAPED and _TOO_LONG in what and case not in late:
                late.add(case)
                list(_in_child(suite, seed, [case], None, PATIENCE))
                break
            at += 1
            found.fine += state == _FINE
            found.refused += state == _REFUSED
            if state == _ESCAPED:
                escapes.append(Escape(case, suite.chosen(np.random.default_rng([seed, case]))[0], what))
        if shows:
            print(f"\r{at / len(cases):.0%}, {time.monotonic() - begun:.0f} s", end="", file=sys.stderr, flush=True)
    found.escapes = tuple(escapes)
    return found


def _in_child(
    suite: Suite, seed: int, cases: Sequence[int], keep: Path | None, patience: float = 1
) -> Iterator[tuple[int, int, str]]:
    """What the cases came to, up to the first that ended the process."""
    fork = get_context("fork")
    answers, ours = fork.Pipe(duplex=False)
    child = fork.Process(target=_serve, args=(ours, suite, seed, cases, keep, patience))
    child.start()
    ours.close()
    ended = 0
    with answers, contextlib.suppress(EOFError, OSError):
        while ended < len(cases):
            if not answers.poll(_SILENCE):  # it waits for something, and uses no CPU time
                child.kill()
            yield answers.recv()
            ended += 1
    child.join()
    shutil.rmtree(_folder_of(child.pid), ignore_errors=True)
    if ended < len(cases):
        yield cases[ended], _ESCAPED, f"the process ended ({_why(child.exitcode or 0)})"


def _why(status: int) -> str:
    if status < 0:
        name = signal.Signals(-status).name
        return f"{_TOO_LONG} {SECONDS:g} s" if name == "SIGPROF" else name
    return f"status {status}"


def _folder_of(process: int | None) -> Path:
    return Path(f"/tmp/lense-fuzz-{process}")


def _serve(
    answers: "Connection", suite: Suite, seed: int, cases: Sequence[int], keep: Path | None, patience: float
) -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ADDRESSES, used + ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(quiet, stream)
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (until the process ends)
    start = Path(os.getcwd())
    for case in cases:
        home = keep or _folder_of(os.getpid())
        shutil.rmtree(home, ignore_errors=True)
        folder = home / "case"
        folder.mkdir(parents=True)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, patience * SECONDS)
        state, what = _tried(suite, seed, case, folder)
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.chdir(start)
        answers.send((case, state, what))
        if keep is None:
            shutil.rmtree(home, ignore_errors=True)


def _tried(suite: Suite, seed: int, case: int, folder: Path) -> tuple[int, str]:
    rng = np.random.default_rng([seed, case])
    _, run = suite.chosen(rng)
    state, what, others = _FINE, "", _seconds_of_children()
    with PeakMemory() as peak:
        try:
            run(folder, rng)
        except LenseError as error:
            state, what = _REFUSED, wrong_with(error)
        except BaseException:
            what = traceback.format_exc(limit=-6)[-1500:]
    if not what and (peak.bytes or 0) > MEMORY:
        what = f"it used more than {MEMORY >> 20} MB"
    if not what and _seconds_of_children() - others > SECONDS:
        what = f"{_TOO_LONG} {SECONDS:g} s in other processes"
    return (_ESCAPED if what else state), what


def _seconds_of_children() -> float:
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def wrong_with(error: LenseError) -> str:
    """What is wrong with an error; nothing if it is one sentence that any terminal can show."""
    sentence = str(error)
    if isinstance(error.__cause__, MemoryError):
        return f"memory was reserved before a size was checked: {sentence!r}"
    if _UNSHOWABLE.search(sentence) or not sentence.strip() or "Traceback (" in sentence:
        return f"not one sentence: {sentence!r}"
    return ""


def run_all(suite: Suite, seed: int, cases: range, jobs: int) -> Outcome:
    """The cases, shared among forked processes."""
    suite.prepare()
    gc.collect()
    gc.freeze()
    if jobs == 1:
        return fuzz(suite, seed, cases, shows=True)
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        running = [pool.submit(fuzz, suite, seed, cases[job::jobs], shows=job == 0) for job in range(jobs)]
        found = [one.result() for one in running]
    escapes = tuple(sorted((e for one in found for e in one.escapes), key=lambda escape: escape.case))
    return Outcome(sum(one.fine for one in found), sum(one.refused for one in found), escapes)


def main(suite: Suite, count: int) -> int:
    """Parse the command line, run the cases and print what escaped, each kind once."""
    parser = argparse.ArgumentParser(description="Try to make lense fail.")
    parser.add_argument("cases", type=int, nargs="?", default=count, help="the number of cases")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--case", type=int, help="run this case alone and keep its files")
    asked, begun = parser.parse_args(), time.monotonic()
    if asked.case is None:
        found = run_all(suite, asked.seed, range(asked.cases), asked.jobs)
    else:
        keep = Path(f"/tmp/lense-fuzz-case-{asked.seed}-{asked.case}")
        suite.prepare()
        found = fuzz(suite, asked.seed, [asked.case], keep)
        print(f"files: {keep}")
    alike: dict[str, list[Escape]] = {}
    for escape in found.escapes:
        alike.setdefault(_signature(escape), []).append(escape)
    for same in alike.values():
        print(f"\n--- {len(same)} × {same[0].kind}, first --seed {asked.seed} --case {same[0].case}:\n{same[0].what}")
    print(
        f"\n{found.cases:,} cases in {time.monotonic() - begun:,.0f} s: {found.fine:,} accepted, "
        f"{found.refused:,} rejected in a sentence, {len(found.escapes)} escapes"
    )
    return 1 if found.escapes else 0


def _signature(escape: Escape) -> str:
    """The same for escapes of the same kind: the place, the error and the note, without what varies."""
    lines = escape.what.strip().splitlines()
    where = [line for line in lines if line.lstrip().startswith("File ")][-1:]
    error = next((line for line in lines if re.match(r"[\w.]+(Error|Exception): ", line)), lines[0])
    return re.sub(r"\d+|'[^']*'", "", f"{escape.kind} {where} {error[:70]} {lines[-1][:40]}")
