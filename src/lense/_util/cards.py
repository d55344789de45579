"""Small cards for notebooks: a title, a few facts and a picture as inline SVG, in the colours of the page."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from lense._util.types import AnyArray

_WIDTH, _HEIGHT, _EDGE = 200, 80, 4
_LETTER = 6
"""About how wide a letter of the text in pictures is."""
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
    dots = f"<circle cx='{x[-1]:.1f}' cy='{y[-1]:.1f}' r='2.5' fill='{_ACCENT}'/>"
    return _svg(f"<polyline points='{path}' fill='none' stroke='{_ACCENT}' stroke-width='1.5'/>{dots}", what)


def degree_line(out_degrees: AnyArray) -> str:
    """How many vertices have at least each degree, both on a log scale."""
    counts = np.bincount(out_degrees) if out_degrees.size else np.zeros(1, np.int64)
    at_least = np.cumsum(counts[::-1])[::-1]
    degrees = np.flatnonzero(counts[1:]) + 1
    if degrees.size > 100:
        degrees = degrees[np.unique(np.geomspace(1, degrees.size, 100).astype(int) - 1)]
    points = np.log10(np.column_stack((degrees, at_least[degrees])))
    return line(points.tolist(), "vertices of at least each degree, on log scales")


def shares(parts: Mapping[str, float], what: str) -> str:
    """A bar in stretches as long as the values, each named below it beside its colour."""
    total, at, drawn = sum(parts.values()) or 1.0, float(_EDGE), []
    for i, (name, value) in enumerate(parts.items()):
        width, y = (_WIDTH - 2 * _EDGE) * value / total, 42 + 14 * i
        fill = f"fill='{_ACCENT}' fill-opacity='{1 - 0.75 * i / max(len(parts) - 1, 1):.2f}'"
        drawn.append(
            f"<rect x='{at:.1f}' y='8' width='{width:.1f}' height='20' {fill}/>"
            f"<rect x='{_EDGE}' y='{y - 9}' width='10' height='10' {fill}/>"
            f"<text x='{_EDGE + 15}' y='{y}' font-size='11' fill='currentColor'>{escape(name)}</text>"
        )
        at += width
    return _svg("".join(drawn), what, 36 + 14 * len(parts))


def strip(marks: Mapping[str, Sequence[float]], what: str) -> str:
    """Values as ticks on one scale, a row for each name with its least and largest value."""
    values = [value for row in marks.values() for value in row]
    if not values:
        return ""
    low, high = min(values), max(values)
    spans = [dict.fromkeys(f"{value:.3f}" for value in (min(row), max(row))) if row else {} for row in marks.values()]
    said = [name + (f": {' to '.join(span)}" if span else "") for name, span in zip(marks, spans, strict=True)]
    width = max(_WIDTH, 2 * _EDGE + _LETTER * max(len(text) for text in said))
    rows = []
    for i, (text, row) in enumerate(zip(said, marks.values(), strict=True)):
        y = 26 * i + 4
        ticks = "".join(
            f"<rect x='{_EDGE + (width - 2 * _EDGE) * (v - low) / ((high - low) or 1):.1f}' y='{y}' width='2' "
            f"height='8' fill='{_ACCENT}'/>"
            for v in row
        )
        rows.append(f"{ticks}<text x='{_EDGE}' y='{y + 19}' font-size='11' fill='currentColor'>{escape(text)}</text>")
    return _svg("".join(rows), what, 26 * len(marks) + 8, width)


def _svg(content: str, what: str, height: int = _HEIGHT, width: int = _WIDTH) -> str:
    return (
        f"<svg role='img' aria-label='{escape(what, quote=True)}' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}'>{content}</svg>"
    )
