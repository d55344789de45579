"""Keep the vertices with most edges."""

from typing import TYPE_CHECKING, ClassVar

from lense._util.types import Int64s
from lense.graph import Graph
from lense.graph.subgraph import Subgraph
from lense.pruners.ranking import RankingPruner, importance, largest

if TYPE_CHECKING:
    from lense.streaming.graph import StreamedGraph


class TopDegree(RankingPruner):
    """Keeps the vertices of largest degree, or of largest out-weight where the problem uses direction and weights."""

    name: ClassVar[str] = "top-degree"
    description: ClassVar[str] = "The vertices of largest degree."
    family: ClassVar[str] = "rule"

    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        return largest(importance(self.problem_, graph), count)

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        roots, vertices = self.sizes(graph.scan.num_vertices, budget)
        order = largest(graph.counted, vertices)
        return graph.kept_part(order, order[:roots])
