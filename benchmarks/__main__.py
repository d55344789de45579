"""``make bench``: measure everything beside its rivals, print the ratios, and write the table of a full run."""

import argparse
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks import bounds, busy, cover, domination, growth, influence, pruning, reading, walking
from benchmarks.measure import SEED
from benchmarks.table import HEADINGS, Row, keep
from lense._util.threads import available_cores, num_threads

PAGE = Path(__file__).with_name("README.md")
PACKAGES = (
    "lense",
    "numpy",
    "numba",
    "torch",
    "pynetim",
    "cynetdiff",
    "networkx",
    "pandas",
    "networkit",
    "submodlib-py",
    "apricot-select",
)
WIDTHS = (46, 27, 23, 11, 12, 3, 0)
BENCHMARKS: dict[str, Callable[[bool], Iterator[Row]]] = {
    "imm": influence.imm,
    "opim-c": influence.opim_c,
    "spread": influence.spread,
    "mvc": cover.mvc,
    "domination": domination.domination,
    "bounds": bounds.bounds,
    "reading": reading.reading,
    "walking": walking.walking,
    "busy": busy.busy,
    "pruning": pruning.pruning,
    "growth": growth.growth,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks named; the exit status is 1 if a target was missed."""
    options = _options(arguments)
    _print_line(HEADINGS)
    rows = []
    for name in options.names or BENCHMARKS:
        for row in BENCHMARKS[name](options.quick):
            _print_line(row.cells())
            rows.append(row)
    if options.names or options.quick:
        print(f"{PAGE.name} still shows the last run of everything at full size.")
    else:
        keep(PAGE, rows, _environment())
    return int(any(row.missed for row in rows))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"what to run: {', '.join(BENCHMARKS)}; all by default"
    )
    parser.add_argument("--quick", action="store_true", help="smaller graphs and fewer repeats, to try things out")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"there is no benchmark called {', '.join(sorted(unknown))}: choose from {', '.join(BENCHMARKS)}")
    return options


def _print_line(cells: tuple[str, ...]) -> None:
    print("  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)).rstrip(), flush=True)


def _environment() -> str:
    """When and where the ratios were measured, in one paragraph."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d}, {platform.system()} on {platform.machine()}, "
        f"{available_cores()} cores, {num_threads()} threads for lense, seed {SEED}; "
        f"Python {platform.python_version()}, {packages}."
    )


if __name__ == "__main__":
    sys.exit(main())
