"""A local page: choose a graph and a problem, follow the solver, inspect the answer. Needs ``lense[app]``."""
