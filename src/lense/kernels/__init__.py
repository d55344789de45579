"""Loops over vertices and edges, compiled by numba."""

from lense.compiling import watch_compiling

watch_compiling()
