"""What a user's function sees of the user's graph: everything that was there, in every type."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import (
    Graph,
    from_networkit,
    kept_part,
    open_graph,
    subgraph,
    to_arrow,
    to_networkit,
    to_polars,
)
from lense.graph.adapters import View, adapt
from lense.graph.fingerprint import fingerprint
from tests.graph.kinds import ARCS, KINDS, NAMES, WEIGHTS, Kind
from tests.skips import NO_IGRAPH, NO_NETWORKIT, NO_NETWORKX

KEPT = [0, 1, 2]
"""Vertices of the induced part, which has the arcs number 0, 1, 3 and 5; the one-hop part of vertex 0 lacks 3."""
ROOT = 0
DIRECTED_BY_OPTION = ("pandas", "polars", "arrow", "array", "array (2, m)", "list", "list of two", "tensor")


@dataclass(frozen=True)
class Case:
    kind: Kind
    directed: bool
    original: Any
    view: View

    def numbers(self, places: list[int]) -> np.ndarray[Any, Any]:
        """The numbers in the whole graph of vertices 0..4 as the constants above number them."""
        called = self.view.given.names(self.view.given.graph.labels)
        return np.array([called.index(NAMES[i] if NAMES[i] in called else i) for i in places])

    def arcs(self, graph: Any, vertices: np.ndarray[Any, Any]) -> list[Any]:
        """What the constants say of the arcs of a part with these vertices."""
        place = {number: i for i, number in enumerate(self.numbers(list(range(5))).tolist())}
        found = []
        for *ends, weight in self.kind.arcs(graph):
            if self.kind.numbered:
                ends = [place[int(vertices[end])] for end in ends]
            elif ends[0] in NAMES:
                ends = [NAMES.index(end) for end in ends]
            found.append((*ends, weight))
        return self.sorted(found)

    def expected(self, arcs: list[int]) -> list[Any]:
        weighted = self.kind.weighted
        found = [(*ARCS[i], WEIGHTS[i] if weighted else None) for i in arcs]
        if self.kind.both_ways and not self.directed:
            found += [(v, u, w) for u, v, w in found if u != v]
        return self.sorted(found)

    def sorted(self, arcs: list[Any]) -> list[Any]:
        if self.kind.lists_ends_freely and not self.directed:
            arcs = [(min(u, v), max(u, v), w) for u, v, w in arcs]
        return sorted(arcs)


@pytest.fixture(params=[(name, directed) for name in KINDS for directed in (False, True)], ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    name, directed = request.param
    original = KINDS[name].make(directed)
    given = adapt(original, directed=directed if name in DIRECTED_BY_OPTION else None)
    assert given.graph.directed == directed
    return Case(KINDS[name], directed, original, View(given))


def test_the_whole_graph_is_the_users_own_object(case: Case) -> None:
    assert case.view.of(case.view.given.graph) is case.original
    assert not case.view.converts(case.view.given.graph)


def test_an_induced_part_has_the_arcs_between_its_vertices_as_they_were(case: Case) -> None:
    part = case.view.induced(case.numbers(KEPT))
    assert case.arcs(part.graph, part.vertices) == case.expected([0, 1, 3, 5])
    assert type(part.graph) is type(case.original)


def test_a_one_hop_part_has_the_arcs_at_its_root_as_they_were(case: Case) -> None:
    """Self-loops stay at their vertices."""
    part = subgraph(case.view.given.graph, case.numbers([ROOT]))
    labels = part.vertices if case.view.given.ids is not None else part.graph.labels
    made = case.view.of(replace(part.graph, labels=labels))
    assert case.arcs(made, part.vertices) == case.expected([0, 1, 5])
    assert type(made) is type(case.original)


def test_an_answer_for_a_part_comes_back_as_numbers_of_the_whole_graph_in_its_order(case: Case) -> None:
    chosen = case.numbers([2, 0])
    part = case.view.induced(case.numbers(KEPT))
    assert part.numbers(part.ids(chosen), "f").tolist() == chosen.tolist()
    assert part.vertices.tolist() == sorted(case.numbers(KEPT).tolist())


def test_a_vertex_outside_the_part_is_refused(case: Case) -> None:
    part = case.view.induced(case.numbers(KEPT))
    outside = 3 if case.kind.numbered else case.view.given.names(case.view.given.graph.labels[case.numbers([4])])[0]
    with pytest.raises(LenseError, match=f"f returned {outside!r}, which is no vertex of the graph it was given"):
        part.numbers([outside], "f")
    with pytest.raises(LenseError, match="f returned a vertex more than once"):
        part.numbers(part.ids(case.numbers([0, 0])), "f")


def test_a_part_is_a_copy(case: Case) -> None:
    """Changing it leaves the user's graph alone."""
    before = fingerprint(case.original)
    part = case.view.induced(case.numbers(KEPT)).graph
    if hasattr(part, "_node"):
        nx = pytest.importorskip("networkx", reason=NO_NETWORKX)
        nx.set_node_attributes(part, 99, "age")
        for *_, data in part.edges(data=True):
            data["since"] = 99
        part.graph["title"] = "none"
    elif hasattr(part, "edge_index"):
        part.x += 1
        part.edge_index += 1
    elif hasattr(part, "format"):
        part.data[:] = part.data * 2
    elif isinstance(part, np.ndarray):
        part += 1
    elif isinstance(part, list):
        part.clear()
    elif hasattr(part, "iloc"):
        part.iloc[:, 3] = 99
    assert fingerprint(case.original) == before


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("shape", ["induced", "one-hop"])
def test_networkx_keeps_attributes_keys_and_order(multi: bool, directed: bool, shape: str) -> None:
    theirs = KINDS["networkx multigraph" if multi else "networkx"].make(directed)
    if multi:
        theirs.add_edge("cy", "ed", key="twice", weight=0.25, since=7)
    view, nodes = View(adapt(theirs)), ["cy", "al", "ed"]
    part = _part(view, shape)
    expected = theirs.subgraph(nodes).copy()
    if shape == "one-hop":
        expected.remove_edges_from([edge for edge in expected.edges if set(edge[:2]) == {"ed", "al"}])
    assert list(part) == nodes
    assert dict(part.nodes(data=True)) == dict(expected.nodes(data=True))
    assert part.graph == {"title": "club"}
    assert {node: dict(part.adj[node]) for node in part} == {node: dict(expected.adj[node]) for node in part}
    if directed:
        assert {node: dict(part.pred[node]) for node in part} == {node: dict(expected.pred[node]) for node in part}
    part.add_edge("al", "new", weight=1)  # the part is as good as one that networkx made
    assert part.has_edge("al", "new")
    if not directed:
        assert all(part.adj[v][u] is data for u, row in part.adj.items() for v, data in row.items()) or multi


def test_a_class_of_networkx_with_its_own_dictionaries_stays_one() -> None:
    nx = pytest.importorskip("networkx", reason=NO_NETWORKX)

    class Ours(nx.Graph):  # type: ignore[misc, name-defined]
        class Row(dict[Any, Any]):
            pass

        adjlist_inner_dict_factory = Row

    part = View(adapt(Ours([(1, 2), (2, 3)]))).induced(np.array([0, 1])).graph
    assert isinstance(part, Ours)
    assert isinstance(part._adj[1], Ours.Row)


@pytest.mark.parametrize("shape", ["induced", "one-hop"])
def test_igraph_keeps_attributes_of_the_graph_vertices_and_edges(shape: str) -> None:
    part = _part(View(adapt(KINDS["igraph"].make(True))), shape)
    assert part["title"] == "club"
    assert (part.vs["name"], part.vs["age"]) == (["cy", "al", "ed"], [0, 1, 2])
    assert {edge["since"]: edge.tuple for edge in part.es}.items() >= {0: (1, 0), 1: (0, 2), 5: (2, 2)}.items()


@pytest.mark.parametrize("shape", ["induced", "one-hop"])
@pytest.mark.parametrize("name", [name for name in KINDS if name.startswith("scipy")])
def test_a_matrix_keeps_its_class_format_and_type_of_numbers(name: str, shape: str) -> None:
    theirs = KINDS[name].make(True).astype(np.float64)
    part = _part(View(adapt(theirs)), shape)
    assert (type(part), part.format, part.dtype) == (type(theirs), theirs.format, np.float64)
    assert part.toarray()[2, 2] == 5.0


@pytest.mark.parametrize("shape", ["induced", "one-hop"])
def test_pytorch_geometric_keeps_rows_of_features_and_facts(shape: str) -> None:
    theirs = KINDS["pyg"].make(True)
    part = _part(View(adapt(theirs)), shape)
    assert part.x.tolist() == theirs.x[:3].tolist()
    assert (part.y.tolist(), part.title, part.num_nodes) == ([0, 1, 2], "club", 3)
    assert part.edge_weight.dtype == theirs.edge_weight.dtype


@pytest.mark.parametrize("shape", ["induced", "one-hop"])
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_table_keeps_the_order_of_rows_and_other_columns(kind: str, shape: str) -> None:
    view = View(adapt(KINDS[kind].make(True)))
    part = _part(view, shape)
    assert np.asarray(part["since"]).tolist() == ([0, 1, 3, 5] if shape == "induced" else [0, 1, 5])
    assert np.asarray(part["weight"]).dtype == np.float64


def _part(view: View, shape: str) -> Any:
    case = Case(KINDS["list"], True, view.given.original, view)
    if shape == "induced":
        return view.induced(case.numbers(KEPT)).graph
    part = subgraph(view.given.graph, case.numbers([ROOT]))
    return view.of(part.graph if view.given.ids is None else replace(part.graph, labels=part.vertices))


@pytest.mark.parametrize("name", [name for name in KINDS if KINDS[name].weighted])
def test_weights_that_a_problem_draws_reach_every_type(name: str) -> None:
    given = adapt(KINDS[name].make(True))
    view, drawn = View(given), given.graph.reweighted(np.full(given.graph.num_arcs, 0.25, np.float32))
    case = Case(KINDS[name], given.graph.directed, given.original, view)
    part = view.induced(case.numbers(KEPT), drawn)
    assert {weight for *_, weight in KINDS[name].arcs(part.graph)} == {0.25}
    assert {weight for *_, weight in KINDS[name].arcs(view.of(drawn))} == {0.25}
    assert part.numbers(part.ids(case.numbers([1])), "f").tolist() == case.numbers([1]).tolist()


IDS: dict[str, list[Any]] = {
    "floats": [1.0, 2.5, 3.0],
    "truths and numbers": [True, "a", 7],
    "integers and text": [1, "a", 3],
    "integers": [2**40, -1, 5],
    "text": ["b", "a", "ü"],
}


ID_CASES = [
    (kind, name)
    for kind in ("pandas", "polars", "arrow", "list", "networkx", "igraph")
    for name in IDS
    if not (kind in ("polars", "arrow") and " and " in name) and not (kind == "list" and name == "floats")
]
"""A column of polars or Arrow has one type, and an array of edges holds no floats."""


@pytest.mark.parametrize(("kind", "name"), ID_CASES)
def test_ids_come_back_as_they_were(kind: str, name: str) -> None:
    ids = IDS[name]
    a, b, c = ids
    theirs: Any
    frame = {"source": [a, b], "target": [b, c]}
    if kind in ("pandas", "polars"):
        theirs = pytest.importorskip(kind).DataFrame(frame)
    elif kind == "arrow":
        theirs = pytest.importorskip("pyarrow").table(frame)
    elif kind == "list":
        theirs = [(a, b), (b, c)]
    elif kind == "networkx":
        theirs = pytest.importorskip("networkx", reason=NO_NETWORKX).Graph([(a, b), (b, c)])
    else:
        theirs = pytest.importorskip("igraph", reason=NO_IGRAPH).Graph(n=3, edges=[(0, 1), (1, 2)])
        theirs.vs["name"] = ids
    given = adapt(theirs)
    found = given.names(given.graph.labels)
    assert {(type(one), one) for one in found} == {(type(one), one) for one in ids}
    if kind != "igraph":
        view = View(given)
        part = view.induced(np.array([0, 1]))
        assert list(map(type, part.ids(np.array([1])))) == [type(found[1])]
        assert part.numbers([found[1]], "f").tolist() == [1]


def test_a_list_becomes_an_array_where_an_array_is_wanted() -> None:
    view = View(adapt([("a", "b"), ("c", "b"), ("c", "d")], directed=True), "array")
    assert view.of(view.given.graph).tolist() == [["a", "b"], ["c", "b"], ["c", "d"]]
    assert view.induced(np.array([1, 2, 3])).graph.tolist() == [["c", "b"], ["c", "d"]]


@pytest.mark.parametrize("graph_type", ["graph", "networkx", "igraph", "networkit", "scipy", "pyg", "arrow", "array"])
def test_an_induced_part_in_another_type_is_that_of_the_whole_in_that_type(graph_type: str) -> None:
    for library, reason in (("networkx", NO_NETWORKX), ("igraph", NO_IGRAPH), ("networkit", NO_NETWORKIT)):
        if graph_type == library:
            pytest.importorskip(library, reason=reason)
    given = adapt(KINDS["arrow"].make(True), directed=True)
    view = View(given, graph_type)
    part = view.induced(np.array([0, 2, 4]))
    again = open_graph(part.graph, **({"directed": True} if graph_type in ("arrow", "array") else {}))
    expected = kept_part(given.graph, [0, 2, 4]).graph
    assert again.directed
    assert again.indices.tolist() == expected.indices.tolist()
    assert part.numbers(part.ids(np.array([4, 0])), "f").tolist() == [4, 0]


class TestNetworKit:
    def test_node_ids_have_gaps_in_the_whole_graph_and_none_in_a_part(self) -> None:
        theirs = KINDS["networkit"].make(True)
        theirs.removeNode(1)
        given = adapt(theirs)
        view = View(given)
        assert given.names(given.graph.labels) == [0, 2, 3, 4]
        assert view.numbers(given.graph, [4, 2], "f").tolist() == [3, 1]
        assert view.vertices(given.graph, np.array([3])) == [4]
        part = view.induced(np.array([1, 2, 3]))
        assert sorted(part.graph.iterNodes()) == [0, 1, 2]
        assert list(part.graph.iterEdgesWeights()) == [(0, 0, 5.0), (2, 1, 0.7)]
        assert part.numbers([2], "f").tolist() == [3]
        with pytest.raises(LenseError, match="f returned 1, which is no vertex"):
            view.numbers(given.graph, [1], "f")

    def test_a_graph_comes_back_as_it_went(self) -> None:
        pytest.importorskip("networkit", reason=NO_NETWORKIT)
        for directed in (False, True):
            for edges in (([], []), ([0, 1, 4], [1, 2, 4])):
                whole = Graph.from_edges(*edges, directed=directed, num_vertices=6, keep_self_loops=True)
                assert from_networkit(to_networkit(whole), keep_self_loops=True).equals(whole)
        weighted = Graph.from_edges([0, 1], [1, 2], [0.5, 0.25])
        assert from_networkit(to_networkit(weighted)).equals(weighted)


GRAPH = Graph.from_edges([0, 0, 1], [1, 2, 3], [0.5, 0.25, 1.0], labels=np.array([5, 6, 7, 8]))
PART = Graph.from_edges([0], [1], [0.5], labels=np.array([5, 6]))


def test_a_graph_of_lense_stays_what_it_is_and_has_the_ids_of_another_type_in_it() -> None:
    view = View(adapt(GRAPH))
    assert view.of(GRAPH) is GRAPH
    assert not view.converts(GRAPH)
    view = View(adapt(GRAPH), "arrow")
    assert view.vertices(PART, np.array([1, 0])) == [6, 5]
    assert view.numbers(PART, [6, 5], "f").tolist() == [1, 0]
    with pytest.raises(LenseError, match="f returned 8"):
        view.numbers(PART, [8], "f")
    assert View(adapt(GRAPH), "scipy").vertices(PART, np.array([1])) == [1]


def test_a_table_takes_the_weights_of_a_part() -> None:
    table = to_arrow(GRAPH).append_column("year", [np.array([1, 2, 3])])
    part = View(adapt(table)).of(PART.reweighted(np.array([9.0, 9.0], np.float32)))
    assert part.to_pydict() == {"source": [5], "target": [6], "weight": [9.0], "year": [1]}


def test_open_graph_takes_what_its_owner_has() -> None:
    assert open_graph(to_polars(GRAPH), columns=("source", "target")) == GRAPH.reweighted(None)
    assert open_graph([["a", "b"], ["b", "c"]], arcs=True).directed
    assert open_graph(GRAPH) is GRAPH


def test_options_that_an_object_has_no_use_for_are_refused() -> None:
    theirs = pytest.importorskip("networkx", reason=NO_NETWORKX).Graph([(1, 2)])
    options: tuple[dict[str, Any], ...] = ({"ids": "str"}, {"directed": True})
    for wrong in options:
        with pytest.raises(LenseError, match=f"A networkx graph .* {next(iter(wrong))}"):
            open_graph(theirs, **wrong)
    with pytest.raises(LenseError, match=r"A Graph of lense .* directed"):
        open_graph(GRAPH, directed=True)


@pytest.mark.parametrize("name", DIRECTED_BY_OPTION)
def test_directed_is_an_option_for_objects_that_do_not_say_it(name: str) -> None:
    pytest.importorskip("networkx", reason=NO_NETWORKX)
    import lense

    seen = []

    def f(graph: Any, budget: int) -> list[Any]:
        seen.append((graph.is_directed(), graph.number_of_edges()))
        return list(graph)[:budget]

    theirs = KINDS[name].make(True)
    lense.solve(theirs, "mvc", 1, heuristic=f, graph_type="networkx", directed=True, prune=False)
    assert seen == [(True, 5)]
    with pytest.raises(LenseError, match="ids say how to read a file: leave them out for an object"):
        lense.solve(theirs, "mvc", 1, ids="str")
