"""``python -m tests.faults [KILLS] [SEED] [COMMAND …]``: kill each command at random moments, then let it finish."""

import sys
import time
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

import numpy as np

from tests.faults.commands import COMMANDS, contents, kill_at, prepare, run


def trial(command: str, folder: Path, kills: int, rng: np.random.Generator) -> list[str]:
    """What is wrong after ``kills`` kills of a command, each followed by the same command to its end."""
    run(command, folder, "warm")
    begun = time.monotonic()
    expected_end = run(command, folder, "expected")
    lasts = time.monotonic() - begun
    expected = contents(folder / "expected")
    wrong = [] if expected_end.status == 0 and expected else [f"{command} fails without a kill: {expected_end.said}"]
    for number in range(kills):
        out = f"killed-{number}"
        moments = sorted(rng.uniform(0.3 * lasts, lasts, int(rng.integers(1, 3))))
        killed = [kill_at(command, folder, out, moment) for moment in moments]
        ended = run(command, folder, out)
        found = contents(folder / out)
        if ended.status != 0 or found != expected:
            names = {name for name in {*found, *expected} if found.get(name) != expected.get(name)}
            where = ", ".join(f"{moment:.2f}" for moment in moments)
            wrong.append(f"{command} killed after {where} s: status {ended.status}, {sorted(names)} {ended.said}")
        print(f"{command} {number + 1}/{kills}: killed {sum(killed)} times", flush=True)
        rmtree(folder / out)
    return wrong


def main(words: list[str]) -> int:
    kills, seed = (int(word) for word in [*words[:2], *("30", "0")[len(words[:2]) :]])
    wrong = []
    for command in words[2:] or COMMANDS:
        with TemporaryDirectory() as folder:
            prepare(Path(folder))
            wrong += trial(command, Path(folder), kills, np.random.default_rng(seed))
    print("\n".join(wrong) or "every run that was killed went on to the result of one that was not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
