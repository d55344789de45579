"""What a page is made of, in types that JSON knows: sections of blocks, which ``page.js`` draws each by its kind."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np

from lense._util.types import AnyArray
from lense.experiments.tables import is_text
from lense.plots import STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Block = dict[str, Any]
Cell = str | tuple[str, float | None]
"""The text of a cell, and what its column is sorted by if that is a number."""

_DIGITS = 4
_SMALLEST = 1e-9
_UNITS = {"ms": 1e-3, "s": 1.0, "KiB": 2.0**10, "MiB": 2.0**20}
_FIRST_NUMBER = re.compile(r"(?:at most )?(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\w+)?", re.ASCII)


def section(title: str, *blocks: Block, lead: str = "") -> Block:
    return {"title": title, "lead": lead, "blocks": list(blocks)}


def facts(title: str, values: Mapping[str, Any], *, is_open: bool = True) -> Block:
    """Names and values; those that are themselves names and values stand below one another."""
    return {"kind": "facts", "title": title, "open": is_open, "facts": list(_flat(values))}


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, note: str = "", folded: bool = False
) -> Block:
    """A table that a click on a heading sorts; columns of words stand left, as the first always does.

    A ``folded`` one shows its title alone until it is opened.
    """
    cells = [[[cell, sort_key(cell)] if isinstance(cell, str) else list(cell) for cell in row] for row in rows]
    words = [i for i, name in enumerate(columns) if i == 0 or is_text(name)]
    shown = {"title": title, "columns": list(columns), "words": words, "rows": cells, "note": note, "folded": folded}
    return {"kind": "table", **shown}


def text(*lines: str) -> Block:
    return {"kind": "text", "lines": list(lines)}


def image(file: Path, title: str = "") -> Block:
    """A PNG as it is, within the page."""
    return _image(file.read_bytes(), file.stem, title)


def figure(drawn: "Figure", name: str, title: str = "") -> Block:
    """A figure as a PNG within the page."""
    data = BytesIO()
    with matplotlib.rc_context(STYLE):
        drawn.savefig(data, format="png", metadata={"Software": None})
    return _image(data.getvalue(), name, title)


def _image(data: bytes, name: str, title: str) -> Block:
    source = f"data:image/png;base64,{b64encode(data).decode()}"
    return {"kind": "image", "title": title, "name": f"figure {name}", "source": source}


def sort_key(cell: str) -> float | None:
    """The first number of a cell such as "0.975 ± 0.008 *", "43.0 %" or "692 KiB" in its smallest unit, if any."""
    found = _FIRST_NUMBER.match(cell.strip())
    if found is None:
        return None
    return float(found[1].replace(",", "")) * _UNITS.get(found[2], 1.0)


def rounded(values: AnyArray) -> list[Any]:
    """Numbers for a drawing, to four digits of the largest; None where there is none."""
    array = np.asarray(values, dtype=np.float64)
    known = np.isfinite(array)
    largest = np.abs(array[known]).max(initial=0.0)
    decimals = _DIGITS - 1 - int(np.floor(np.log10(max(largest, _SMALLEST))))
    short = np.round(array, decimals).astype(object)
    short[~known] = None
    listed: list[Any] = short.tolist()
    return listed


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, str]]:
    for name, value in values.items():
        label = f"{prefix}{name}".replace("_", " ")
        if isinstance(value, Mapping):
            yield from _flat(value, f"{label}: ")
        else:
            yield label, _text(value)


def _text(value: Any) -> str:
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.4g}"
        case list() | tuple():
            return ", ".join(map(_text, value)) or "–"
        case _:
            return str(value)
