"""Classes by name: registered by a package, in a Python file of the user's as ``./mine.py:TwoSteps``, or given as such.

A class that was loaded or given once is known by its ``name`` too, for as long as the process lives: a model that was
saved knows no more of its pruner and its problem than that.
"""

import inspect
import os
import re
import sys
from functools import cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from lense.errors import LenseError, choose
from lense.extras import sentence_for

_IN_FILE = re.compile(r"(?P<file>.+\.py):(?P<name>[^:=]+)", re.DOTALL)
_known: dict[tuple[str, str], type] = {}
"""Classes of users, by their group and by what they are called."""


def registered(group: str) -> dict[str, EntryPoint]:
    """What packages registered in an entry-point group, by name."""
    return dict(_registered(group, tuple(sys.path)))


@cache
def _registered(group: str, path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """To look through all packages on the ``path`` takes longer than many a heuristic."""
    return {entry.name: entry for entry in entry_points(group=group)}


def class_named(name: str, group: str, base: type) -> Any:
    """The class called ``name``: one that the user has given or loaded, one in a file, or one that is registered.

    ``group`` is the entry-point group, "lense.pruners", say, and ``base`` what the class must be derived from.
    """
    if (known := _known.get((group, name))) is not None:
        return known
    if is_in_file(name):
        found = _in_file(name, group, base)
        _known[group, name] = _known[group, found.name] = found
        return found
    entry = choose(name, registered(group), group.removeprefix("lense.").removesuffix("s"))
    return _loaded(entry)


def is_in_file(name: str) -> bool:
    """Whether a class is named by the file that holds it."""
    return _IN_FILE.fullmatch(name) is not None


def name_of(given: str | type, group: str, base: type) -> str:
    """What :func:`class_named` knows a class by; a name stays what it is.

    It is the name of one that is registered, else the file that it comes from, so that other processes find it too. A
    class from a notebook is known by its own name, and in this process alone.
    """
    if isinstance(given, str):
        return given
    if not isinstance(given, type) or not issubclass(given, base):
        raise LenseError(f"A {base.__name__.lower()} is given by its name or its class, not as {given!r}.")
    name = str(getattr(given, "name", given.__name__))
    entry = registered(group).get(name)
    if entry is not None and entry.value == f"{given.__module__}:{given.__qualname__}":
        return name
    text = name
    file = _file_of(given)
    if file is not None and "." not in given.__qualname__:
        text = f"{file}:{given.__qualname__}"
    _known[group, text] = _known[group, name] = given
    return text


def _file_of(given: type) -> str | None:
    try:
        file = inspect.getsourcefile(given)
    except (TypeError, OSError):
        return None
    if file is None or not Path(file).is_file():
        return None
    near = os.path.relpath(file) if Path(file).is_relative_to(Path.cwd()) else file
    return Path(near).as_posix()


def _in_file(text: str, group: str, base: type) -> Any:
    found = _IN_FILE.fullmatch(text)
    assert found is not None
    path, name = Path(found["file"]), found["name"]
    if not path.is_file():
        raise LenseError(f"There is no file {path}, which '{text}' names.")
    module = _module(path)
    fitting = {
        key: one
        for key, one in vars(module).items()
        if isinstance(one, type) and issubclass(one, base) and one.__module__ == module.__name__
    }
    if name not in fitting and hasattr(module, name):
        raise LenseError(f"{name} in {path} is no {base.__name__} of lense: derive it from lense.{base.__name__}.")
    if not fitting:
        raise LenseError(f"{path} has no class derived from lense.{base.__name__}.")
    chosen = choose(name, fitting, f"{base.__name__.lower()} in {path}")
    if not isinstance(getattr(chosen, "name", None), str):
        raise LenseError(f"{name} in {path} has no name: give it one, name = 'my-{base.__name__.lower()}', say.")
    return chosen


def _module(path: Path) -> ModuleType:
    """The file as a module, run once in each process."""
    absolute = path.resolve()
    name = f"lense_file_{sha256(str(absolute).encode()).hexdigest()[:12]}_{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, absolute)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # before it runs: dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if not isinstance(error, Exception):
            raise
        raise LenseError(f"{path} cannot be run: {type(error).__name__}: {error}.") from error
    return module


def _loaded(entry: EntryPoint) -> Any:
    """What an entry point names; one that cannot be imported is the user's to correct."""
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        if isinstance(error, ImportError) and (missing := sentence_for(error)):
            raise LenseError(missing.replace("This", f"'{entry.name}'", 1)) from error
        raise LenseError(
            f"{entry.group} has '{entry.name}' as {entry.value}, which cannot be loaded: {error}."
        ) from error
