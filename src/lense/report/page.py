"""The page itself: template, style, script and data in one file."""

import html
import json
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from lense._util.files import replacing, system_errors


def write_page(path: Path, page: dict[str, Any]) -> None:
    """Write what :func:`lense.report.model_page` or :func:`lense.report.results_page` made as one HTML file."""
    with system_errors(path, "written"), replacing(path) as temporary:
        temporary.write_text(_rendered(page), encoding="utf-8")


def _rendered(page: dict[str, Any]) -> str:
    return Template(_text("page.html")).substitute(
        title=html.escape(page["title"]),
        style=_text("page.css"),
        charts=_text("charts.js"),
        script=_text("page.js"),
        data=_embedded(page),
    )


def _text(name: str) -> str:
    return files("lense.report").joinpath(name).read_text(encoding="utf-8")


def _embedded(value: Any) -> str:
    """JSON that may stand in a script element: without "<" no name of a file or vertex can end it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
