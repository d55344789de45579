"""How much memory may be taken."""

import pytest

from lense.errors import LenseError
from lense.streaming.memory import MemoryBudget, parse_memory


@pytest.mark.parametrize(
    ("text", "size"), [("4", 4 * 2**30), ("4GiB", 4 * 2**30), ("4GB", 4 * 10**9), ("500 mb", 5 * 10**8), ("0.5", 2**29)]
)
def test_an_amount_of_memory_has_a_unit_or_is_in_gib(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1", "0", "4 elephants", "nan"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(LenseError, match="memory_limit= takes an amount such as"):
        parse_memory(text)


def test_what_is_needed_is_said_before_it_is_taken() -> None:
    room = MemoryBudget(limit=300 * 10**6, taken=100 * 10**6)
    room.check_vertices(10**6)
    room.check_edges(10**6)
    room.check_vertices(9 * 10**6)
    with pytest.raises(LenseError, match="memory"):
        room.check_vertices(9 * 10**6, weighted=True)
    with pytest.raises(LenseError, match=r"100,000,000 vertices need about 1.46 GiB .* limit is 286 MiB"):
        room.check_vertices(10**8)
    with pytest.raises(LenseError, match=r"A part of 10,000,000 edges need about 706 MiB"):
        room.check_edges(10**7)


def test_a_whole_graph_is_held_only_with_something_to_spare() -> None:
    room = MemoryBudget(limit=10**9, taken=0)
    assert room.holds_whole(10**7)
    assert not room.holds_whole(2 * 10**7)
    assert MemoryBudget.of(None).limit > MemoryBudget.of(None).taken > 0
