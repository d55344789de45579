"""Seeded damage to bytes and to JSON values."""

import copy
import json
import re
from collections.abc import Sequence
from typing import Any

from lense._util.classes import registered
from tests.fuzz.values import Rng, odd_json, one

TOKENS = (
    *(b"0 -1 1 2 7 1.5 nan inf -inf 1e999 1e-999 0x10 +3 --3 1,5 2147483647 2147483648 4294967296".split()),
    *(b"9223372036854775807 9223372036854775808 18446744073709551616 300000000 1000000000 999999999999".split()),
    *(b"9" * 20, b"9" * 5000, b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", "²³٣".encode(), "ü".encode("latin-1")),
    *(b"\r\n", b"\n" * 3000, b" " * 3000, b"[" * 3000, b"{" * 30, *b'\t , ; " "" # %'.split(b" ")),
    b"%%MatrixMarket matrix coordinate real general\n",
    *(b"% lense labels: " + one + b"\n" for one in (b"[1, 1, 2]", b'["\\ud800", "b"]', b"[" * 3000)),
    *(b"# Isolated: 1 1 99\n", b"# Directed graph\n", b"# Ids: str\n", b"# Kept: repeated edges\n"),
    b"source target weight\n",
)
_NUMBER = re.compile(rb"\d+")


def damaged(data: bytes, rng: Rng, others: Sequence[bytes] = ()) -> bytes:
    """``data`` after one to four small accidents."""
    for _ in range(int(rng.integers(1, 5))):
        data = _ACCIDENTS[rng.integers(len(_ACCIDENTS))](data, rng, others or (data,))
    return data


def _place(data: bytes, rng: Rng) -> int:
    """Half of the time near the beginning, where headers are."""
    most = len(data) if rng.random() < 0.5 else min(len(data), 100)
    return int(rng.integers(most + 1))


def _span(data: bytes, rng: Rng) -> tuple[int, int]:
    start = _place(data, rng)
    return start, min(len(data), start + int(rng.integers(1, 60)))


def _flip(data: bytes, rng: Rng, _others: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(int(rng.integers(1, 4)) if data else 0):
        changed[min(_place(data, rng), len(data) - 1)] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def _cut(data: bytes, rng: Rng, _others: Sequence[bytes]) -> bytes:
    start, stop = _span(data, rng)
    return data[:start] + data[stop:]


def _truncate(data: bytes, rng: Rng, _others: Sequence[bytes]) -> bytes:
    return data[: _place(data, rng)]


def _repeat(data: bytes, rng: Rng, _others: Sequence[bytes]) -> bytes:
    start, stop = _span(data, rng)
    times = int(10 ** rng.uniform(0, 4))
    return data[:start] + data[start:stop] * times + data[stop:]


def _insert(data: bytes, rng: Rng, _others: Sequence[bytes]) -> bytes:
    at = _place(data, rng)
    return data[:at] + TOKENS[rng.integers(len(TOKENS))] + data[at:]


def _other_number(data: bytes, rng: Rng, _others: Sequence[bytes]) -> bytes:
    found = list(_NUMBER.finditer(data[:5000]))
    if not found:
        return data
    one = found[rng.integers(len(found))]
    return data[: one.start()] + TOKENS[rng.integers(24)] + data[one.end() :]


def _splice(data: bytes, rng: Rng, others: Sequence[bytes]) -> bytes:
    other = others[int(rng.integers(len(others)))]
    return data[: _place(data, rng)] + other[_place(other, rng) :]


_ACCIDENTS = (_flip, _cut, _truncate, _repeat, _insert, _insert, _other_number, _other_number, _splice)


def changed_json(value: Any, rng: Rng, folder: str = "") -> Any:
    """A JSON value in which one to three of the values inside are others, new or missing."""
    value = copy.deepcopy(value)
    for _ in range(int(rng.integers(1, 4))):
        holder, key = inside(value, rng)
        if holder is None:
            return odd_json(rng, folder)
        old = holder[key]
        match int(rng.integers(7)):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[str(odd_json(rng, folder))[:300]] = odd_json(rng, folder)
            case 2 if isinstance(old, str):
                holder[key] = one([*registered("lense.problems"), *registered("lense.pruners"), "infonce"], rng)
            case 3 if isinstance(old, int | float):
                holder[key] = one(
                    (-old, old + 1, old * 1000, str(old), [old], float(old) if abs(old) < 2**53 else 0.5), rng
                )
            case _:
                holder[key] = odd_json(rng, folder)
    return value


def inside(value: Any, rng: Rng) -> tuple[Any, Any]:
    """A place in a value: what holds it and its key."""
    holder, key = None, None
    while isinstance(value, dict | list) and value and (holder is None or rng.random() < 0.7):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        holder, key = value, keys[int(rng.integers(len(keys)))]
        value = value[key]
    return holder, key


def json_text(value: Any, rng: Rng) -> bytes:
    """As text, sometimes damaged, or nested without end."""
    text = json.dumps(value).encode()
    if rng.random() < 0.1:
        return damaged(text, rng)
    return b"[" * 50_000 if rng.random() < 0.02 else text
