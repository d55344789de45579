"""The look that all pictures share, and how they become files. Nothing here needs a display."""

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from lense._util.files import replacing, system_errors
from lense.errors import LenseError

LINES = ("#225EA8", "#D55E00")
"""Colours of the first and the second line of a panel."""
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#9A7D0A", "#56B4E9", "#555555")
"""Colours that people of any colour vision tell apart, in the order of use."""
MARKERS = "os^Dvphd8"
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.labelsize": 10,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "figure.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "0.4",
    "axes.linewidth": 0.8,
    "xtick.color": "0.4",
    "ytick.color": "0.4",
    "xtick.labelcolor": "0.15",
    "ytick.labelcolor": "0.15",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "legend.title_fontsize": 9,
    "legend.handletextpad": 0.5,
    "legend.handlelength": 1.5,
    "svg.hashsalt": "lense",
    "pdf.fonttype": 42,  # whole fonts, since publishers refuse Type 3
}
styled = matplotlib.rc_context(STYLE)
"""Decorates functions that draw, which then have the style."""
_FORMATS: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""The formats, and the metadata that each leaves out, so that the same figure gives the same bytes."""


def new_figure(width: float, height: float) -> Figure:
    """Make an empty figure; draw in it under ``matplotlib.rc_context(STYLE)``.

    Parameters
    ----------
    width, height
        Its size in inches.
    """
    margins = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)
    figure = Figure(figsize=(width, height), dpi=120, layout=margins)
    FigureCanvasAgg(figure)
    return figure


def check_picture(path: Path) -> str:
    """How the name of a picture ends; raises for what no figure is written as."""
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        raise LenseError(f"{path} cannot be drawn: give the picture a name that ends in {' or '.join(_FORMATS)}.")
    return suffix


def save_figure(figure: Figure, path: Path) -> Path:
    """Write a figure; the same figure gives the same bytes.

    Parameters
    ----------
    figure
        What a function of :mod:`lense.plots` drew.
    path
        A name that ends in .png, .svg or .pdf.

    Returns
    -------
    Path
        The path again.

    Raises
    ------
    LenseError
        If the name ends otherwise, or the file cannot be written.
    """
    suffix = check_picture(path)
    with system_errors(path.parent, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with matplotlib.rc_context(STYLE), replacing(path) as part:
            figure.savefig(part, format=suffix.removeprefix("."), dpi=200, metadata=_FORMATS[suffix])
    return path


def whole_numbers(axes: Axes) -> None:
    """Few ticks along the horizontal axis, with commas between thousands."""
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    axes.xaxis.set_major_formatter("{x:,.0f}")
