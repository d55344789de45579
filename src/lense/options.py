"""Options given as text, as on a command line, in the type that their fields ask for, and the ranges they keep to."""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from types import NoneType
from typing import Any, TypeVar, cast, get_args

from lense.errors import LenseError, choose

Function = TypeVar("Function", bound=Callable[..., Any])
DEVICES = ("cpu", "cuda", "auto")
"""Where torch may run; "auto" takes a GPU if there is one."""


def with_seed(options: Mapping[str, Any], known: Iterable[str] = ("seed",)) -> dict[str, Any]:
    """``options`` with ``random_state``, which is what scikit-learn calls it, as ``seed``, if ``known`` has a seed."""
    given = dict(options)
    if "random_state" in given and "seed" in known:
        if "seed" in given:
            raise LenseError("seed and random_state are two names of one thing: give one of them.")
        given["seed"] = given.pop("random_state")
    return given


def takes_random_state(function: Function) -> Function:
    """``function``, which may have an argument ``seed``, for callers that say ``random_state`` as scikit-learn does."""
    known = signature(function).parameters

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        return function(*args, **with_seed(given, known))

    return cast(Function, call)


def converted(key: str, value: Any, hint: Any) -> Any:
    """``value`` as the field's type; text becomes a number, a truth value or None where the field has that type."""
    if not isinstance(value, str):
        return value
    kinds = get_args(hint) or (hint,)
    if NoneType in kinds and value.lower() in ("none", ""):
        return None
    if bool in kinds:
        truths = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        return choose(value.lower(), truths, f"value for {key}")
    if str in kinds:
        return value
    try:
        number = float(value)
    except ValueError:
        raise LenseError(f"The option {key} takes a number, not '{value}'.") from None
    if float in kinds:
        return number
    if not number.is_integer():
        raise LenseError(f"The option {key} takes a whole number, not '{value}'.")
    return int(number)


def check_ranges(options: Any, ranges: Mapping[str, tuple[float, float]]) -> None:
    """Raise unless each of the attributes named lies within its range, both ends included."""
    for name, (low, high) in ranges.items():
        value = getattr(options, name)
        if not low <= value <= high:
            raise LenseError(f"The setting {name} must lie between {low:g} and {high:g}, not {value}.")
