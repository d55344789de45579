"""Mutated graph files, models, results and command lines: each gives the right result or one sentence."""
