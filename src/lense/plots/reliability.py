"""Whether what was said to be likely happened as often."""

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from lense.plots import STYLE, new_figure
from lense.types import AnyArray

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_MARKERS = ("o", "s", "^", "D")
_EDGES = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0001])


def draw_reliability(said: Mapping[str, Sequence[tuple[float, bool]]]) -> Figure:
    """The share of targets that were met against how sure it was said to be, for each problem.

    ``said`` has, by the name of a problem, how sure each case was and whether its target was met. Cases about as sure
    as one another share a mark, which names their number; its bar is the 95 % interval of Wilson.
    """
    with matplotlib.rc_context(STYLE):
        figure = new_figure(5.2, 4.4)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--", label="as often as said")
        for (name, cases), colour, marker in zip(said.items(), _COLOURS * 2, _MARKERS * 2, strict=False):
            sure, met = np.array([one[0] for one in cases]), np.array([one[1] for one in cases], np.float64)
            places = np.digitize(sure, _EDGES)
            groups = [places == place for place in np.unique(places)]
            x = np.array([sure[group].mean() for group in groups])
            y = np.array([met[group].mean() for group in groups])
            counts = np.array([group.sum() for group in groups])
            low, high = _wilson(y, counts)
            axes.errorbar(
                x, y, [y - low, high - y], color=colour, marker=marker, linestyle="none", capsize=2, label=name
            )
            for place, height, count in zip(x, y, counts, strict=True):
                axes.annotate(
                    f"{count}", (place, height), (5, -9), textcoords="offset points", fontsize=7, color=colour
                )
        axes.set(xlim=(0, 1.03), ylim=(0, 1.03))
        axes.set_xlabel("how sure the core said it was")
        axes.set_ylabel("share of targets that were met")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(said) + 1, frameon=False)
    return figure


def _wilson(share: AnyArray, count: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The 95 % interval of a share of so many cases."""
    z = 1.96
    middle = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2)) / (1 + z**2 / count)
    return np.minimum(middle - half, share), np.maximum(middle + half, share)
