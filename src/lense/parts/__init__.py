"""Parts of a big graph: the map from vertex sets to subgraphs, and the heuristic on a part."""

from lense.parts.solving import MODES, search_part, solve_part
from lense.parts.subgraph import Subgraph, kept_part, shares_pruned, subgraph

__all__ = ["MODES", "Subgraph", "kept_part", "search_part", "shares_pruned", "solve_part", "subgraph"]
