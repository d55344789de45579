"""Options: text as on a command line in the type that a field asks for, and what numbers, budgets and seeds may be."""

from collections.abc import Iterable, Mapping
from math import isfinite
from numbers import Integral, Real
from types import NoneType
from typing import Any, TypeGuard, get_args

from lense.errors import LenseError, choose


def with_seed(options: Mapping[str, Any], known: Iterable[str] = ("seed",)) -> dict[str, Any]:
    """``options`` with ``random_state``, which is what scikit-learn calls it, as ``seed``, if ``known`` has a seed."""
    given = dict(options)
    if "random_state" in given and "seed" in known:
        if "seed" in given:
            raise LenseError("seed and random_state are two names of one thing: give one of them.")
        given["seed"] = given.pop("random_state")
    return given


def converted(key: str, value: Any, hint: Any) -> Any:
    """``value`` as the field's type; text becomes a number, a truth value or None where the field has that type."""
    kinds = get_args(hint) or (hint,)
    if not isinstance(value, str):
        is_numeric = bool({int, float} & {*kinds}) and {*kinds} <= {int, float, NoneType}
        return _as_number(key, value, kinds) if is_numeric else value
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


def _as_number(key: str, value: object, kinds: tuple[type, ...]) -> float | None:
    """``value``, a whole number where all that the field holds are, or None if it may; anything else is refused."""
    if value is None and NoneType in kinds:
        return None
    is_whole = float not in kinds
    if not is_number(value) or (is_whole and value != value // 1):
        raise LenseError(f"The option {key} takes a {'whole ' if is_whole else ''}number, not {value!r}.")
    return int(value) if is_whole else value


def check_ranges(options: Any, ranges: Mapping[str, tuple[float, float]]) -> None:
    """Raise unless each of the attributes named lies within its range, both ends included."""
    for name, (low, high) in ranges.items():
        value = getattr(options, name)
        if not low <= value <= high:
            raise LenseError(f"The setting {name} must lie between {low:g} and {high:g}, not {value}.")


def check_budget_is_number(budget: object) -> None:
    """Raise unless ``budget`` is a finite number; how large it may be is up to the problem and the graph."""
    if not is_number(budget) or not isfinite(budget):
        raise LenseError(f"The budget must be a finite number, not {budget!r}.")


def check_seed(seed: object) -> None:
    """Raise unless ``seed`` is a whole number that is not negative."""
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise LenseError(f"The seed must be a whole number from 0 on, not {seed!r}.")


def is_number(value: object) -> TypeGuard[float]:
    """Whether ``value`` is a real number, which True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_count(value: object) -> TypeGuard[int]:
    """Whether ``value`` is a whole number from 0 on."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
