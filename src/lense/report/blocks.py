"""What a page is made of, in types that JSON knows: sections of blocks, which ``page.js`` draws each by its kind."""

import html
import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from lense._util.files import replacing, system_errors
from lense._util.formatting import quantity
from lense._util.types import AnyArray
from lense.experiments.tables import is_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Block = dict[str, Any]
_DIGITS = 4


def write_page(path: Path, page: Block) -> None:
    """Write a page as one HTML file, which needs no network and no other file.

    Parameters
    ----------
    path
        The file to write.
    page
        What :func:`lense.report.model_page`, ``page_of`` or ``results_page`` returned.

    Raises
    ------
    LenseError
        If the file cannot be written.
    """
    asset = files("lense.report").joinpath
    parts = {"style": "page.css", "charts": "charts.js", "script": "page.js"}
    # without "<" no name of a file or vertex can end the script element that holds the data
    data = json.dumps(page, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    text = Template(asset("page.html").read_text(encoding="utf-8")).substitute(
        {name: asset(file).read_text(encoding="utf-8") for name, file in parts.items()},
        title=html.escape(page["title"]),
        data=data,
    )
    with system_errors(path, "written"), replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def section(title: str, *blocks: Block, lead: str = "") -> Block:
    return {"title": title, "lead": lead, "blocks": list(blocks)}


def text(*lines: str) -> Block:
    return {"kind": "text", "lines": list(lines)}


def facts(title: str, values: Mapping[str, Any], *, is_open: bool = True) -> Block:
    """Names and values; nested names and values are flattened."""
    return {"kind": "facts", "title": title, "open": is_open, "facts": list(_flat(values))}


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
        case int() | float():
            return quantity(value)
        case list() | tuple():
            return ", ".join(map(_text, value)) or "–"
        case _:
            return str(value)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, note: str = "") -> Block:
    """A table that a click on a heading sorts; columns of words are aligned to the left, as the first always is."""
    words = [i for i, name in enumerate(columns) if i == 0 or is_text(name)]
    shown = {"title": title, "columns": list(columns), "words": words, "note": note}
    return {"kind": "table", **shown, "rows": [list(row) for row in rows]}


def figure(drawn: "Figure", name: str, title: str = "") -> Block:
    """A figure as a PNG within the page."""
    data = BytesIO()
    drawn.savefig(data, format="png", metadata={"Software": None})
    return image(data.getvalue(), name, title)


def image(data: bytes, name: str, title: str = "") -> Block:
    """A PNG within the page."""
    source = f"data:image/png;base64,{b64encode(data).decode()}"
    return {"kind": "image", "title": title, "name": f"figure {name}", "source": source}


def rounded(values: AnyArray) -> list[Any]:
    """Numbers for a drawing, to four digits of the largest; None where there is none."""
    array = np.asarray(values, dtype=np.float64)
    largest = max(np.abs(array[np.isfinite(array)]).max(initial=0.0), 1e-9)
    short = np.round(array, _DIGITS - 1 - int(np.floor(np.log10(largest)))).astype(object)
    short[~np.isfinite(array)] = None
    listed: list[Any] = short.tolist()
    return listed
