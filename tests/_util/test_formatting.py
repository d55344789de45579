"""Numbers for people."""

import pytest

from lense._util.formatting import duration, percent, quantity, size


@pytest.mark.parametrize(
    ("seconds", "digits", "text"),
    [
        (0, 3, "0 s"),
        (0.0123, 3, "12.3 ms"),
        (0.9994, 3, "999 ms"),
        (0.123, 2, "120 ms"),
        (1.5, 3, "1.5 s"),
        (59.7, 3, "1 min"),
        (125, 3, "2 min 5 s"),
        (125, 2, "2 min"),
        (3600, 3, "1 h"),
        (3900, 3, "1 h 5 min"),
        (3_600_000, 2, "1,000 h"),
    ],
)
def test_durations_read_well(seconds: float, digits: int, text: str) -> None:
    assert duration(seconds, digits) == text


def test_other_numbers_read_well() -> None:
    assert [size(one) for one in (2**18, 1000 * 2**20, 2**31)] == ["256 KiB", "1,000 MiB", "2 GiB"]
    assert [quantity(one) for one in (12.0, 1234.5, 0.12345)] == ["12", "1,234", "0.1235"]
    assert (percent(0.1234), percent(1, 0)) == ("12.3 %", "100 %")
