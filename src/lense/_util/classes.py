"""Find problem and pruner classes by name.

- :func:`typed_class` is for names that the user typed, which may be a class in a file: ``./mine.py:TwoSteps``.
- :func:`known_class` is for names that are read from a model, a result, a graph or a request. It imports no file: it
  finds lense's own classes, those of installed packages, and those that the user loaded in this process.

A group, "lense.problems" or "lense.pruners", is the package of lense's own classes and the entry-point group of others.
"""

import inspect
import re
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from lense._util.environment import sentence_for
from lense.errors import LenseError, choose

_IN_FILE = re.compile(r".+\.py:[^:=]+", re.DOTALL)
_known: dict[tuple[str, str], type] = {}
"""Classes of users, by group and name."""
_ELSEWHERE = {"lense.pruners": ("lense.navigation.lense", "lense.navigation.baselines")}
"""Modules with classes of a group that build on later packages, so that the group's own package cannot import them."""


def registered(group: str) -> dict[str, type | EntryPoint]:
    """The classes of a group by name: lense's own first, then those of other packages."""
    return _registered(group, tuple(sys.path)).copy()


@cache  # since looking through all packages on the path takes longer than many heuristics
def _registered(group: str, path: tuple[str, ...]) -> dict[str, type | EntryPoint]:
    own = _own_classes(group)
    return {**own, **{entry.name: entry for entry in entry_points(group=group) if entry.name not in own}}


@cache
def _own_classes(group: str) -> dict[str, type]:
    """The classes with a name in the modules of a group; modules that start with an underscore hold none."""
    package = import_module(group)
    base = getattr(package, _singular(group).capitalize())
    modules = [f"{group}.{module.name}" for module in iter_modules(package.__path__) if module.name[0] != "_"]
    kinds: list[Any] = [
        kind
        for name in (*modules, *_ELSEWHERE.get(group, ()))
        for kind in vars(import_module(name)).values()
        if isinstance(kind, type) and issubclass(kind, base) and kind.__module__ == name and "name" in vars(kind)
    ]
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: (kind.place, kind.name))}


def typed_class(name: str, group: str, base: type) -> Any:
    """Return the class that the user named, derived from ``base``; one in a file is imported, which runs the file."""
    if is_in_file(name) and (group, name) not in _known:
        _remember(_in_file(name, base), name, group)
    return known_class(name, group)


def known_class(name: object, group: str) -> Any:
    """Return the class known as ``name``, or one that the user loaded in this process; import no file."""
    if not isinstance(name, str):
        raise LenseError(f"{_singular(group).capitalize()} names are text (got {name!r}).")
    if (known := _known.get((group, name))) is not None:
        return known
    return _loaded(choose(name, registered(group), _singular(group)))


def known_names(group: str) -> list[str]:
    """The names that :func:`known_class` finds, without those of files."""
    own = (name for of, name in _known if of == group and not is_in_file(name))
    return list(dict.fromkeys([*registered(group), *own]))


def _singular(group: str) -> str:
    return group.removeprefix("lense.").removesuffix("s")


def is_in_file(name: str) -> bool:
    """Whether a class is named by the file that holds it."""
    return _IN_FILE.fullmatch(name) is not None


def name_of(given: str | type, group: str, base: type) -> str:
    """Return the name by which the lookups above find a class; names are returned unchanged.

    A class that is not registered is named by its file, so that other processes find it too; one from a notebook by its
    own name, in this process alone.
    """
    if isinstance(given, str):
        return given
    if not isinstance(given, type) or not issubclass(given, base):
        raise LenseError(f"A {base.__name__.lower()} is given by its name or its class, not as {given!r}.")
    name = str(getattr(given, "name", given.__name__))
    known = registered(group).get(name)
    if known is given or (isinstance(known, EntryPoint) and known.value == f"{given.__module__}:{given.__qualname__}"):
        return name
    text = name
    with suppress(TypeError, OSError):  # of a class from a notebook
        file = Path(inspect.getsourcefile(given) or "")
        if file.is_file() and "." not in given.__qualname__:
            near = file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
            text = f"{near.as_posix()}:{given.__qualname__}"
    _remember(given, text, group)
    return text


def _remember(kind: Any, text: str, group: str) -> None:
    """Know a user's class by ``text`` and by its own name, which must not be one of lense's."""
    name = str(getattr(kind, "name", kind.__name__))
    if name in _own_classes(group):
        what = _singular(group)
        raise LenseError(
            f"lense itself has a {what} called '{name}': give the class {kind.__name__} another name, "
            f"name = 'my-{name}', say."
        )
    _known[group, text] = _known[group, name] = kind


def _in_file(text: str, base: type) -> Any:
    path, name = Path(text.rpartition(":")[0]), text.rpartition(":")[2]
    if not path.is_file():
        raise LenseError(f"There is no file {path}, which '{text}' names.")
    module = _module(path)
    own = {key: one for key, one in vars(module).items() if getattr(one, "__module__", "") == module.__name__}
    fitting = {key: one for key, one in own.items() if isinstance(one, type) and issubclass(one, base)}
    if name in own and name not in fitting:
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


def _loaded(entry: type | EntryPoint) -> Any:
    """The class itself, or the one that an entry point names."""
    if isinstance(entry, type):
        return entry
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        if isinstance(error, ImportError) and (missing := sentence_for(error)):
            raise LenseError(missing.replace("This", f"'{entry.name}'", 1)) from error
        raise LenseError(
            f"{entry.group} has '{entry.name}' as {entry.value}, which cannot be loaded: {error}."
        ) from error
