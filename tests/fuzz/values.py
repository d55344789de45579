"""Values that are not what a field should hold."""

import datetime
import decimal
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

Rng = np.random.Generator

T = TypeVar("T")

COUNTS = (
    *(0, -1, 1, 2, 999_999, 300_000_000, 2**31 - 1, 2**31, 2**32),
    *(2**53 + 1, 2**63 - 1, 2**63, 2**64, 2**70, 10**400),
)
NAMES = (
    *("", " ", "1", "01", "-1", "+1", "1.0", "1e3", "nan", "null", "None", "true"),
    *("é", "e\u0301", " x", "x ", "x" * 256),
)
UNSAFE_NAMES = (
    *("a\0", "a\0b", "\x1b[31m", "a\nb", "a\tb", "a b", "a,b", "a;b", '"q"', "#c", "%c", "\u2028", "\u202e", "\ufeff"),
    *("²", "٣", "&quot;", "<b>", "]]>"),
)
CODE = (
    *("canary.py:Canary", "./canary.py:Canary", "FOLDER/canary.py:Canary", "model/canary.py:Canary", "canary:Canary"),
    *("os:system", "lense.navigation.lense:LeNSE", "http://127.0.0.1:9/x", "file:///etc/passwd", "s3://bucket/x"),
    *("../../etc/passwd", "/etc/passwd", "FOLDER/outside.txt", "..", ".", "~", "C:\\x", "\\\\host\\x"),
    *("{0.__class__}", "{}", "%s%n", "%(name)s", "$(touch x)", "`touch x`", "<script>", "-", "--help", "\ud800"),
)
"""Names that would lead somewhere if anything followed them; FOLDER is that of the case."""
NUMBERS = (float("nan"), float("inf"), -1.0, -0.0, 0.0, 1e39, -1e308, 1e-50, 0.1, *COUNTS)
OTHERS = (None, True, 1.5, b"\xff", b"x", decimal.Decimal("1.5"), datetime.datetime(2020, 1, 1), [1], {"a": 1}, ())


def one(choices: Sequence[T], rng: Rng) -> T:
    return choices[int(rng.integers(len(choices)))]


def odd_id(rng: Rng) -> Any:
    return one((one(COUNTS, rng), one(NAMES, rng), one(UNSAFE_NAMES, rng), one(OTHERS, rng), one(NUMBERS, rng)), rng)


def odd_weight(rng: Rng) -> Any:
    return one((one(NUMBERS, rng), one(NUMBERS, rng), one(NAMES, rng), one(OTHERS, rng)), rng)


def odd_text(rng: Rng) -> str:
    """What may stand in the place of a word of a text file."""
    return one((str(one(COUNTS[:-1], rng)), one(NAMES, rng), one(UNSAFE_NAMES, rng), str(one(NUMBERS[:-1], rng))), rng)


def odd_json(rng: Rng, folder: str) -> Any:
    """A value of a configuration."""
    found = one((one(COUNTS, rng), one(NUMBERS, rng), one(NAMES, rng), one(UNSAFE_NAMES, rng), one(CODE, rng)), rng)
    if rng.random() < 0.15:
        return one((None, True, False, [], {}, [found], {str(found): found}, [[1, 2], [3]]), rng)
    return found.replace("FOLDER", folder) if isinstance(found, str) else found
