"""Wait for what another process or thread does."""

from collections.abc import Callable
from time import monotonic, sleep


def wait_until(is_so: Callable[[], object], seconds: float = 60) -> None:
    """Return when ``is_so`` holds; fail after so many seconds."""
    end = monotonic() + seconds
    while not is_so():
        assert monotonic() < end, f"waited {seconds:g} s in vain"
        sleep(0.02)
