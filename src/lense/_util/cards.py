"""Small cards for notebooks: a title, a few facts, and perhaps a line as inline SVG in the colour of the page."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from lense._util.types import AnyArray

_WIDTH, _HEIGHT, _EDGE = 200, 80, 4
_ACCENT = "#3b7dd8"
Point = tuple[float, float]


def card(title: str, facts: Mapping[str, str], picture: str = "", caption: str = "") -> str:
    """A table of facts beside a picture with a line below it."""
    rows = "".join(
        f"<tr><td style='text-align:left'>{escape(name)}</td><td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in facts.items()
    )
    drawn = f"<div>{picture}<div style='font-size:85%;opacity:.7'>{escape(caption)}</div></div>" if picture else ""
    return (
        "<div style='display:flex;gap:2em;align-items:flex-start;flex-wrap:wrap'>"
        f"<div><b>{escape(title)}</b><table>{rows}</table></div>{drawn}</div>"
    )


def line(points: Sequence[Point], what: str) -> str:
    """A line through points, scaled to fill the picture; ``what`` it shows is for those who cannot see it."""
    if not points:
        return ""
    xs, ys = np.array(points, float).T
    x = np.interp(xs, (xs.min(), xs.max()), (_EDGE, _WIDTH - _EDGE))
    y = np.interp(-ys, (-ys.max(), -ys.min()), (_EDGE, _HEIGHT - _EDGE))
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return (
        f"<svg role='img' aria-label='{escape(what, quote=True)}' width='{_WIDTH}' height='{_HEIGHT}'>"
        f"<polyline points='{path}' fill='none' stroke='{_ACCENT}' stroke-width='1.5'/></svg>"
    )


def degree_line(out_degrees: AnyArray) -> str:
    """How many vertices have at least each degree, both on a log scale."""
    counts = np.bincount(out_degrees) if out_degrees.size else np.zeros(1, np.int64)
    at_least = np.cumsum(counts[::-1])[::-1]
    degrees = np.flatnonzero(counts[1:]) + 1
    if degrees.size > 100:
        degrees = degrees[np.unique(np.geomspace(1, degrees.size, 100).astype(int) - 1)]
    points = np.log10(np.column_stack((degrees, at_least[degrees])))
    return line(points.tolist(), "vertices of at least each degree, on log scales")
