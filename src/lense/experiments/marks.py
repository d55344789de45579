"""Ours beside the paper's: means over seeds, and whether ours is better, equal within error, or worse."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

import numpy as np

MARKS = {"better": "▲", "equal": "≈", "worse": "▼"}
LEGEND = "▲ better than the paper's, ▼ worse, ≈ equal within two standard errors of both and the paper's rounding."


@dataclass(frozen=True)
class Mean:
    """A mean over ``seeds`` of means over starts, with its standard error where there is one."""

    value: float
    stderr: float | None
    seeds: int

    @classmethod
    def of(cls, by_seed: Sequence[Sequence[float]]) -> "Mean":
        """The standard error is that over the seeds, or over the starts if there is but one seed."""
        means = np.array([np.mean(values) for values in by_seed])
        spread = means if means.size > 1 else np.array(by_seed[0])
        stderr = float(spread.std(ddof=1) / np.sqrt(spread.size)) if spread.size > 1 else None
        return cls(float(means.mean()), stderr, means.size)

    def __str__(self) -> str:
        return with_error(self.value, self.stderr)


def with_error(value: float, stderr: float | None, digits: int = 3) -> str:
    return f"{value:.{digits}f}" if stderr is None else f"{value:.{digits}f} ± {stderr:.{digits}f}"


def mark(
    ours: float, ours_stderr: float | None, theirs: float, theirs_stderr: float | None = None, digits: int = 3
) -> str:
    """ "equal" if |ours - theirs| is at most 2 sqrt(e1^2 + e2^2) + 10^-digits / 2, else "better" or "worse".

    e1 and e2 are the standard errors, 0 where unknown; the last term is what the paper's rounding may hide.
    """
    difference = ours - theirs
    margin = 2 * hypot(ours_stderr or 0.0, theirs_stderr or 0.0) + 0.5 * 10**-digits
    if abs(difference) <= margin + 1e-12:
        return "equal"
    return "better" if difference > 0 else "worse"


def ours_and_theirs(
    names: Sequence[str], ours: Mapping[str, Mean], theirs: Mapping[str, float], digits: int = 3
) -> dict[str, Any]:
    """Columns of a table: our values under their names, then of each the standard error, the paper's, and the mark."""
    columns: dict[str, Any] = {name: ours[name].value if name in ours else None for name in names}
    for name in names:
        own, published = ours.get(name), theirs.get(name)
        stderr = None if own is None else own.stderr
        columns[f"{name}_stderr"] = stderr
        columns[f"{name}_paper"] = published
        if own is None or published is None:
            columns[f"{name}_mark"] = None
        else:
            columns[f"{name}_mark"] = mark(own.value, stderr, published, digits=digits)
    return columns


def marked(text: str, kind: str | None, *, in_front: bool = False) -> str:
    """``text`` with its mark, if any: behind it, or in front where right-aligned figures shall stand in line."""
    parts = [text, *([MARKS[kind]] if kind else [])]
    return " ".join(reversed(parts) if in_front else parts)


def told(columns: Mapping[str, Any], name: str, digits: int = 3) -> str:
    """One of those columns for people: "0.968 ± 0.009 ▲ (0.951)", with the paper's in brackets."""
    ours, theirs = columns[name], columns[f"{name}_paper"]
    shown = "–" if ours is None else with_error(ours, columns[f"{name}_stderr"], digits)
    if theirs is None:
        return shown
    return " ".join(filter(None, [shown, MARKS.get(columns[f"{name}_mark"]), f"({theirs:.{digits}f})"]))
