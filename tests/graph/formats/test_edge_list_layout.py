"""Edge lists with names of columns, with semicolons, and with more columns than an edge needs."""

import re
from pathlib import Path
from typing import Any

import pytest

from lense.errors import LenseError
from lense.graph import open_graph, read_graph
from tests.graph.formats.conftest import Refusal, WriteFile
from tests.graph.listing import edges_of


def read(path: Path, **options: Any) -> list[tuple[Any, ...]]:
    """The arcs in the order of their ids."""
    return sorted(edges_of(read_graph(path, directed=True, **options)))


@pytest.mark.parametrize(
    "text",
    [
        ",source,target\n0,5,7\n1,7,9\n",
        '"","source","target"\n"1","5","7"\n"2","7","9"\n',
        "\tsource\ttarget\n0\t5\t7\n1\t7\t9\n",
        "\ufeffid;Source;Target\r\n0;5;7\r\n1;7;9\r\n",
        "# made by hand\n\n% twice\nid,source,target\n0,5,7\n# a comment\n1,7,9\n",
        '"index", "from", "to"\n0, 5, 7\n1, 7, 9\n',
        "TO FROM when\n7 5 2001\n9 7 2002\n",
        "v,w\n5,7\n7,9\n",
        "source,source\n5,7\n7,9\n",
        'u,v,label,since\n5,7,,a b\n7,9,"x, ""y""",\n',
        '"","source","target","since"\n"0","5","7","May 1"\n"1","7","9",""\n',
        "src;dst;note\n5; 7; a, b\n7 ;9 ; c d\n",
        "from\tto\n5\t7\n7\t9\n",
        "from,to,hash\n5, 7 ,0x5\n7, 9, 0x7\n",
        "Source Node,Target Node\n5,7\n7,9\n",
        "Source Node Target Node\n5 7\n7 9\n",
        "from,to\n5 7\n7 9\n",
        "node1;node2\n5;7\n7;9\n",
        "5;7\n7;9\n",
        "5; 7\n7 ;9\n",
        '"5";"7"\r\n"7";"9"\r\n',
        '"5" "7"  % comment\n \r\n  # c\n7 9 # comment\n',
        'u\tv\tnote\n"5"\t 7 \t"say ""hi"""\n7\t9\ta # b 50%\n',
    ],
)
def test_every_way_to_write_the_same_two_edges(text: str, write_file: WriteFile) -> None:
    assert read(write_file("a.csv", text)) == [(5, 7), (7, 9)]


@pytest.mark.parametrize(
    "text",
    [
        "source,target,weight\n5,7,0.5\n7,9,2\n",
        ",w,source,target\n0,0.5,5,7\n1,2,7,9\n",
        "Source,Target,Type,Id,Label,timeset,Weight\n5,7,x,1,,,0.5\n7,9,x,2,,,2\n",
        "weight,a,b\n0.5,5,7\n2,7,9\n",
        "n,a,weight\n5,7,0.5\n7,9,2\n",
        "Source Node,Target Node,Weight\n5,7,0.5\n7,9,2\n",
        "who whom strength\n5 7 0.5\n7 9 2\n",
        "u;v;p\n5;7;0,5\n7;9;2\n",
        "5;7;0.5\n7;9;2\n",
        "5;7;0,5\n7;9;2,0\n",
        "5; 7; 0,5\n7; 9; 2\n",
    ],
)
def test_every_way_to_weight_them(text: str, write_file: WriteFile) -> None:
    path = write_file("a.csv", text)
    assert read(path) == [(5, 7, 0.5), (7, 9, 2)]
    assert read(path, weights=False) == [(5, 7), (7, 9)]


@pytest.mark.parametrize(
    "text",
    [
        ",source,target\n0,bob,Ann Lee\n",
        ",who,source,target\n0,7,bob,Ann Lee\n",
        "from;to\nbob;Ann Lee\n",
        "bob; Ann Lee\nbob; bob\n",
        '"bob"; "Ann Lee" \nbob;bob\n',
        "bob;Ann Lee\nbob;bob\n",
    ],
)
def test_ids_of_text_may_hold_blanks_where_one_sign_separates_fields(text: str, write_file: WriteFile) -> None:
    assert read(write_file("a.csv", text)) == [("bob", "Ann Lee")]


def test_names_that_are_met_as_ids_are_vertices(write_file: WriteFile) -> None:
    assert read(write_file("a.txt", "u v\nv w\nw x\n")) == [("u", "v"), ("v", "w"), ("w", "x")]
    assert read(write_file("a.txt", "u v\nbob eve\n")) == [("bob", "eve")]
    assert read(write_file("a.txt", "v u\nbob eve\n")) == [("bob", "eve"), ("v", "u")]
    assert read(write_file("a.txt", "u v 2\nbob eve 1\n")) == [("bob", "eve", 1), ("u", "v", 2)]
    assert read(write_file("a.txt", "Target Source\nbob eve\n")) == [("eve", "bob")]


def test_semicolons_within_ids_between_blanks_belong_to_them(write_file: WriteFile) -> None:
    assert read(write_file("a.txt", "a;1 b;2\nb;2 c;3\n")) == [("a;1", "b;2"), ("b;2", "c;3")]


def test_columns_can_be_named(write_file: WriteFile) -> None:
    path = write_file("a.csv", "when,a,b,c\n1,5,7,0.5\n2,7,9,2\n")
    for columns in ("a,b,c", ("a", "b", "c"), (2, 3, 4), "A,3,C"):
        assert read(path, columns=columns) == [(5, 7, 0.5), (7, 9, 2)]
    assert read(write_file("b.csv", "a,A,2\n1,5,7\n2,7,9\n"), columns="A,2") == [(5, 7), (7, 9)]  # a name counts first
    assert read(path, columns="b,a") == [(7, 5), (9, 7)]
    assert edges_of(open_graph(path, arcs=True, columns=("a", "b"))) == [(5, 7), (7, 9)]
    path = write_file("c.csv", "u,v,weight,p\n5,7,1,2\n")
    assert read(path, weights=False) == [(5, 7)]
    assert read(path, columns=("u", "v", "p")) == [(5, 7, 2)]


@pytest.mark.parametrize(
    ("columns", "weights"),
    [*((columns, None) for columns in ("a", "a,b,c,d", "a,,c", "a,a", "a,1")), ("a,b,c", False), ("a,b", True)],
)
def test_columns_that_make_no_sense_are_refused(columns: str, weights: bool | None, write_file: WriteFile) -> None:
    with pytest.raises(LenseError, match="columns="):
        read_graph(write_file("a.csv", "a,b,c\n5,7,1\n"), columns=columns, weights=weights)


@pytest.mark.parametrize("text", ["1 5 7 x\n2 7 9 y\n", "1;5;7;x\n2;7;9;\n", "1,5,7\n2,7,9\n"])
def test_columns_without_names_have_numbers(text: str, write_file: WriteFile) -> None:
    assert read(write_file("a.txt", text), columns="2,3") == [(5, 7), (7, 9)]
    assert read(write_file("b.txt", text), columns=(3, 2, 1)) == [(7, 5, 1), (9, 7, 2)]


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        (",node1,node2\n0,5,7\n", {}, "1 '', 2 'node1', 3 'node2': pass columns="),
        ("n,a,b\n0,5,7\n1,7,9\n2,9,5\n", {}, "1 'n', 2 'a', 3 'b': pass columns="),
        ("a,b,c,d\n5,7,1,1\n", {"weights": False}, "1 'a', 2 'b', 3 'c', 4 'd': pass columns="),
        ("Unnamed: 0,a,b\n0,5,7\n", {}, "1 'Unnamed: 0', 2 'a', 3 'b': pass columns="),
        ("Index,a,b\n0,5,7\n", {}, "1 'Index', 2 'a', 3 'b': pass columns="),
        ("u,v,from,to\n5,7,5,7\n", {}, "3 'from', 4 'to': pass columns="),
        ("u,v,u\n5,7,5\n", {}, "3 'u': pass columns="),
        ("u,v,weight,p\n5,7,1,1\n", {}, "3 'weight', 4 'p': pass columns="),
        ("a,b,b\n5,7,1\n", {"columns": "a,b"}, "several columns called 'b'"),
        ("a,b,c\n5,7,1\n", {"columns": "0,a"}, "no column '0'"),
        ('# by R\n"source" "target"\n"1" 5 7\n', {}, "line 3: .*1 'source', 2 'target': .*columns='2,3'"),
        ("5,7\n\n5\n", {}, "line 1: .*'5,7'"),
        ("source,target\n5,7\n7,9,1\n", {}, "line 3: expected 2 columns.*'7,9,1'"),
        ("source,target\n5,7\n,9\n", {}, "line 3: an end"),
        ("source,target\nbob,eve\nann,\n", {}, "line 3: an end"),
        ("a,weight,b\n5,,7\n", {}, "line 2: the weight '' in column 2"),
        ("u;v;w\n5;7;1,000,000\n", {}, "line 2: the weight '1,000,000' in column 3"),
        ("u,v\n5,7\n", {"weights": True}, "weight or w or p, but the columns 1 'u', 2 'v'"),
        ("u,v\n5,7\n", {"columns": "u,x"}, "'u', but the columns 1 '', 2 ''"),
        ("5 7 1\n", {"columns": "2,4"}, "'4', but the columns 1 '', 2 '', 3 ''"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    text: str, options: dict[str, Any], complaint: str, refusal: Refusal
) -> None:
    assert re.search(f"^a.csv.*{complaint}", refusal("a.csv", text, **options))


def test_names_of_columns_at_the_end_of_a_block_of_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lense.graph.formats.streams.CHUNK", 15)
    (tmp_path / "a.csv").write_text(",source,target\n0,5,7\n1,7,9\n")
    assert read(tmp_path / "a.csv") == [(5, 7), (7, 9)]


NAMED = {
    "commas": "buyer,seller\nann,bob\nbob,cid\n",
    "all ids differ": "buyer,seller\nann,bob\ncid,dan\n",
    "tabs": "buyer\tseller\nann\tbob\nbob\tcid\n",
    "semicolons": "buyer;seller\nann;bob\nbob;cid\n",
    "quotes": '"buyer","seller"\n"ann","bob"\n"bob","cid"\n',
    "blanks in names": "buyer name,seller name\nann,bob\nbob,cid\n",
    "blanks in ids": "buyer,seller\nAnn Lee,Bob\nBob,Cid\n",
    "numbers below": "buyer,seller\n5,7\n7,9\n",
    "numbers below, blanks": "buyer seller\n5 7\n7 9\n",
    "many lines": "buyer,seller\n" + "".join(f"v{i},v{i + 1}\n" for i in range(200_000)),
    "comments": "# by hand\nbuyer,seller\n# twice\nann,bob\nbob,cid\n",
    "a weight": "buyer,seller,amount\nann,bob,\nbob,cid,2\n",
}


@pytest.mark.parametrize("kind", NAMED)
def test_unknown_column_names_do_not_become_an_edge(kind: str, write_file: WriteFile) -> None:
    path = write_file("a.txt", NAMED[kind])
    options: dict[str, Any] = {"weights": False} if kind == "a weight" else {}
    graph = read_graph(path, **options)
    assert not set(graph.labels.tolist()) & {"buyer", "seller", "buyer name"}
    assert graph == read_graph(path, header=True, **options)
    first = "buyer name" if kind == "blanks in names" else "buyer"
    if kind != "a weight":
        assert graph == read_graph(path, columns=(first, first.replace("buyer", "seller")))
    strings = read_graph(path, header=False, ids="str", **options)
    assert {first, first.replace("buyer", "seller")} <= set(strings.labels.tolist())
    assert strings.num_edges == graph.num_edges + 1


def test_names_that_nothing_but_their_place_gives_away_are_announced(
    write_file: WriteFile, caplog: pytest.LogCaptureFixture
) -> None:
    read_graph(write_file("a.csv", "# by hand\n\nbuyer,seller\nann,bob\nbob,cid\n"))
    (warning,) = caplog.records
    assert warning.levelname == "WARNING"
    assert "a.csv, line 3: 'buyer,seller' is taken for the names of the columns" in warning.getMessage()
    assert "--no-header" in warning.getMessage()


@pytest.mark.parametrize(
    "text",
    [
        "ann,bob\nbob,cid\n",
        "ann,bob\ncid,dan\n" + "eve,flo\n" * 100_000 + "cid,bob\n",
        "ann,ann\nbob,cid\n",
        "ann,7\nbob,9\n",
        "ann bob\ncid dan\n",
        "a 1\n2 3\n4 5\n",
        "ann,bob\n5,7\nbob,cid\n",
    ],
)
def test_a_first_edge_is_kept(text: str, write_file: WriteFile) -> None:
    first = text.partition("\n")[0].replace(",", " ").split()
    graph = read_graph(write_file("a.txt", text), keep_self_loops=True)
    assert set(first) <= set(graph.labels.tolist())


@pytest.mark.parametrize("weight", ["nan", "x", "2020-01-01"])
@pytest.mark.parametrize("separator", [",", " ", "\t", ";"])
@pytest.mark.parametrize("others", [1, 300])
def test_a_first_edge_with_a_bad_weight_does_not_become_names(
    weight: str, separator: str, others: int, write_file: WriteFile
) -> None:
    rows = [f"a b {weight}", *(f"v{i} w{i} 1" for i in range(others)), "b c 1\n"]
    path = write_file("a.txt", "\n".join(rows).replace(" ", separator))
    with pytest.raises(LenseError, match=r"a.txt, line 1: .*weight"):
        read_graph(path)
    assert read_graph(path, header=True).num_edges == others + 1
    assert read_graph(path, header=False, weights=False).num_edges == others + 2


def test_a_header_alone_holds_no_edges(write_file: WriteFile) -> None:
    with pytest.raises(LenseError, match="holds no edges"):
        read_graph(write_file("a.csv", "buyer,seller\n"), header=True)
    for text in ("source,target\n", '# by hand\n"From";"To"', "src dst weight\n", "id\tsource\ttarget\n"):
        path = write_file("a.txt", text)
        with pytest.raises(LenseError, match="holds no edges"):
            read_graph(path)
    assert read_graph(write_file("a.txt", "source target\n"), header=False).num_edges == 1


def test_one_line_that_may_name_columns_is_rejected_without_the_option_header(write_file: WriteFile) -> None:
    for text in ("1,2\n", "ann bob\n", "ann,7\n"):
        assert read_graph(write_file("a.txt", text), ids="str").num_edges == 1
    path = write_file("a.csv", "buyer,seller\n")
    with pytest.raises(LenseError, match="header=True"):
        read_graph(path)
    assert read_graph(path, header=False).num_edges == 1
