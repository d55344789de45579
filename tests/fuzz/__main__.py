"""``python -m tests.fuzz [CASES] [--seed SEED] [--jobs JOBS] [--case CASE]``: damage bytes."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz import commands, graphs, models, requests, stores
from tests.fuzz.harness import Suite, main


def prepare() -> None:
    os.environ["LENSE_THREADS"] = "1"
    with TemporaryDirectory() as folder:
        graphs.warm_up(Path(folder))
        models.warm_up()
        stores.warm_up(Path(folder))
        requests.warm_up(Path(folder))


SUITE = Suite(
    (
        (0.69, "graph", graphs.run_case),
        (0.12, "model", models.run_case),
        (0.10, "store", stores.run_case),
        (0.06, "command", commands.run_case),
        (0.03, "request", requests.run_case),
    ),
    prepare,
)

if __name__ == "__main__":
    sys.exit(main(SUITE, 100_000))
