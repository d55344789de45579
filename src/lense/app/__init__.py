"""A local page: choose a graph and a question, watch it being solved, look at the answer. Needs ``lense[app]``."""
