"""What mkdocstrings shows of docstrings: names in code type, where they refer to other parts of the package."""

import re
from typing import Any

from griffe import Extension, Object

_ROLE = re.compile(r":\w+:`~?([\w.]+)`")


class References(Extension):
    """Makes ``:class:`lense.Graph``` a name in code type."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(lambda role: f"`{role[1].removeprefix('lense.')}`", obj.docstring.value)
