"""Small cards for notebooks."""

from collections.abc import Mapping
from html import escape


def card(title: str, facts: Mapping[str, str]) -> str:
    """A title and a table of facts as HTML."""
    rows = "".join(
        f"<tr><td style='text-align:left'>{escape(name)}</td><td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in facts.items()
    )
    return f"<div><b>{escape(title)}</b><table>{rows}</table></div>"
