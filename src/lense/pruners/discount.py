"""Keep vertices of large degree that are not neighbours of one another."""

from typing import TYPE_CHECKING, ClassVar

from lense._util.types import Int64s
from lense.graph import Graph
from lense.graph.subgraph import Subgraph
from lense.pruners.ranking import RankingPruner

if TYPE_CHECKING:
    from lense.streaming.graph import StreamedGraph


class DegreeDiscount(RankingPruner):
    """Keeps the vertices that :meth:`lense.Problem.discount_order` takes first."""

    name: ClassVar[str] = "degree-discount"
    description: ClassVar[str] = "Vertices of large degree, spread over the graph."
    family: ClassVar[str] = "rule"

    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        return self.problem_.discount_order(graph, count)

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        roots, vertices = self.sizes(graph.scan.num_vertices, budget)
        order = graph.discount_order(self.problem_, vertices)
        return graph.kept_part(order, order[:roots])
