"""``python -m tests.fuzz.meaning [CASES] [--seed SEED] [--jobs JOBS] [--case CASE]``: break what files mean."""

import logging
import os
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.harness import Suite, main
from tests.fuzz.meaning import graphs, models, requests


def prepare() -> None:
    os.environ["LENSE_THREADS"] = "1"
    os.environ.pop("LENSE_DATA", None)  # a request may name a data set there, which is outside the case's folder
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    home = Path.cwd()
    with TemporaryDirectory() as folder:
        graphs.warm_up(Path(folder))
        os.chdir(home)
        models.warm_up()
        requests.warm_up()


SUITE = Suite(
    (
        (0.82, "graph", graphs.run_case),
        (0.08, "model", models.run_case),
        (0.10, "request", requests.run_case),
    ),
    prepare,
)

if __name__ == "__main__":
    sys.exit(main(SUITE, 60_000))
