"""``python -m tests.fuzz [CASES] [--seed SEED] [--jobs JOBS] [--case CASE]``: damage bytes and break meanings."""

import logging
import os
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz import commands, graphs, meaning, models, requests, stores
from tests.fuzz.harness import Suite, main


def prepare() -> None:
    os.environ["LENSE_THREADS"] = "1"
    os.environ.pop("LENSE_DATA", None)  # a request may name a data set there, which is outside the case's folder
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    home = Path.cwd()
    with TemporaryDirectory() as folder:
        graphs.warm_up(Path(folder))
        meaning.warm_up(Path(folder))
        os.chdir(home)
        models.warm_up()
        stores.warm_up(Path(folder))
        requests.warm_up(Path(folder))


SUITE = Suite(
    (
        (0.43, "graph", graphs.run_case),
        (0.31, "meaning", meaning.run_case),
        (0.11, "model", models.run_case),
        (0.06, "store", stores.run_case),
        (0.05, "request", requests.run_case),
        (0.04, "command", commands.run_case),
    ),
    prepare,
)

if __name__ == "__main__":
    sys.exit(main(SUITE, 160_000))
