"""Random coverage instances: rows of items, of which a set of rows covers the union."""

import numpy as np
from hypothesis import strategies as st

from lense._util.types import Int32s, Int64s
from lense.kernels.gains import Gains, item_gains

Rows = list[set[int]]
ROWS = st.lists(st.sets(st.integers(0, 14), max_size=8), min_size=1, max_size=9)


def covering(rows: Rows) -> Gains:
    """f(A) = the number of different items in the rows of A."""
    holders = [[v for v, row in enumerate(rows) if item in row] for item in range(15)]
    return item_gains(*csr_rows([sorted(row) for row in rows]), *csr_rows(holders), scale=1.0)


def csr_rows(rows: list[list[int]]) -> tuple[Int64s, Int32s]:
    indptr = np.cumsum([0, *map(len, rows)])
    return indptr, np.array([item for row in rows for item in row], np.int32)


def union(rows: Rows, chosen: tuple[int, ...] | list[int]) -> int:
    return len(set[int]().union(*(rows[v] for v in chosen)))
