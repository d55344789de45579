"""Keep the vertices with most edges."""

from typing import ClassVar

from lense._util.types import Int64s
from lense.graph import Graph
from lense.pruners.ranking import RankingPruner, importance, largest


class TopDegree(RankingPruner):
    """Keeps the vertices of largest degree, or of largest out-weight where the problem uses direction and weights."""

    name: ClassVar[str] = "top-degree"
    description: ClassVar[str] = "The vertices of largest degree."
    family: ClassVar[str] = "rule"

    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        return largest(importance(self.problem_, graph), count)
