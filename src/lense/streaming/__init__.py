"""Graphs that do not fit into memory: generated, converted, pruned and solved in passes over their edges."""
