"""Loops over vertices and edges, compiled by numba."""
