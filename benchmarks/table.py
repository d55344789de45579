"""One row for each thing measured, and the table of them in README.md."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from lense._util.files import replacing

BEGIN, END = "<!-- table: written by `make bench` -->", "<!-- end of table -->"
HEADINGS = ("What", "Rival", "Ratio of", "Ratio", "Target", "Met", "Also")


@dataclass(frozen=True)
class Target:
    """A ratio on the good side of ``bound``."""

    bound: float
    at_least: bool

    def __str__(self) -> str:
        return f"at {'least' if self.at_least else 'most'} {self.bound:g}"

    def is_met_by(self, ratio: float) -> bool:
        return ratio >= self.bound if self.at_least else ratio <= self.bound


def at_least(bound: float) -> Target:
    return Target(bound, at_least=True)


def at_most(bound: float) -> Target:
    return Target(bound, at_least=False)


@dataclass(frozen=True)
class Row:
    """A ratio and its target; there is no ratio if a graph is missing.

    ``comparable`` says whether both sides did equally well, which ``also`` shows. A ratio of times means nothing if the
    faster side found less.
    """

    what: str
    rival: str
    ratio_of: str
    target: Target
    ratio: float | None = None
    comparable: bool = True
    also: str = ""

    def measured(self, ratio: float, *, comparable: bool = True, also: str = "") -> Self:
        return replace(self, ratio=ratio, comparable=comparable, also=also)

    @property
    def missed(self) -> bool:
        return self.ratio is not None and not (self.comparable and self.target.is_met_by(self.ratio))

    def cells(self) -> tuple[str, ...]:
        """One text for each of ``HEADINGS``."""
        shown = "not at hand" if self.ratio is None else significant(self.ratio)
        met = "" if self.ratio is None else "no" if self.missed else "yes"
        return self.what, self.rival, self.ratio_of, shown, str(self.target), met, self.also


def significant(ratio: float) -> str:
    """``ratio`` with three digits, or all those before the point."""
    return f"{ratio:,.0f}" if abs(ratio) >= 100 else f"{ratio:.3g}"


def markdown(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *(row.cells() for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def keep(page: Path, rows: Sequence[Row], environment: str) -> None:
    """Put the table and the environment of the run between the two marks on ``page``."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"{page} has no place for the table: it needs the lines {BEGIN} and {END}")
    with replacing(page) as part:
        part.write_text(f"{before}{BEGIN}\n{environment}\n\n{markdown(rows)}{END}{after}")
