"""Loops over vertices and edges, compiled by numba."""

from lense.compiling import watch_compiling
from lense.kernel_cache import go_on_without_room

go_on_without_room()
watch_compiling()
