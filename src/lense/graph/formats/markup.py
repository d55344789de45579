"""GraphML and GML, read in a stream and written by networkx.

Vertices are called by the ``id`` of their element in GraphML; in GML by their labels if all have one and none has the
same, else by their ids. GraphML is read by Python's expat. Neither reader can end the process, as igraph does on some
files, and both hold the graph alone, not the text.
"""

import codecs
import html.entities
import re
from array import array
from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.parsers import expat

import numpy as np

from lense._util.types import AnyArray, Int32s
from lense.errors import LenseError
from lense.graph.convert import library, to_networkx
from lense.graph.csr import Graph
from lense.graph.formats.options import ReadOptions, single_precision
from lense.graph.formats.streams import LONGEST_LINE, reading_chunks, writing
from lense.graph.formats.text import Place, excerpt
from lense.graph.labels import LONGEST_LABEL, renumber, text_labels

_ENCODINGS = {"utf-8", "utf-16", "iso-8859-1", "us-ascii"}
"""Those that expat knows; for another it would look for a codec of the name that the file gives."""
_DEEPEST, _MOST_NAMES = 100, 10_000
"""How deep elements may be nested, and how many different names they and their attributes may have."""
_TOO_DEEP = f"elements are nested more than {_DEEPEST} deep."
_ONE_GRAPH = "lense reads one graph, without graphs inside vertices: here is a second one."
_MISPLACED_ELEMENT = (
    "nodes and edges must stand directly in the graph, but this one does not: lense does not read nested graphs."
)
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KINDS = {"directed": True, "true": True, "undirected": False, "false": False}


def read_graphml(path: Path, options: ReadOptions) -> Graph:
    """Read a GraphML file, see :func:`lense.graph.read_graph`."""
    document = _Document(path, with_weights=options.weights is not False)
    with reading_chunks(path) as chunks:
        for chunk in chunks:
            document.feed(chunk)
    document.feed(b"", is_last=True)
    if document.directed is None:
        raise LenseError(f"{path} is GraphML without a graph.")
    kinds = document.kinds_of_edges
    if len(kinds) > 1 and options.directed is None:
        raise LenseError(f"{path} has directed and undirected edges: pass directed=True or False (--directed, …).")
    return _built(
        path,
        options,
        text_labels(list(document.numbers), str(path), LONGEST_LABEL),
        np.array(document.vertices, np.int32),
        (np.array(document.sources, np.int32), np.array(document.targets, np.int32)),
        document.weights(),
        directed=True in kinds,
    )


class _Document:
    """A GraphML document; ``numbers`` has the ids of vertices in the order in which they first occur."""

    def __init__(self, path: Path, *, with_weights: bool) -> None:
        self._path, self._with_weights = path, with_weights
        self._parser = parser = expat.ParserCreate(intern={})
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.StartDoctypeDeclHandler, parser.XmlDeclHandler = self._check_doctype, self._check_encoding
        self._fed = 0
        self._open: list[str] = []
        self.directed: bool | None = None
        self.numbers: dict[str, int] = {}
        self.vertices, self.sources, self.targets = array("i"), array("i"), array("i")
        self._weighted, self._weights = array("q"), array("d")
        self._own_kinds = array("b")
        self._default_weight: float | None = None
        self._keys, self._weight_keys, self._in_weight_key = set[str](), set[str](), False
        self._text: list[str] = []
        self._text_depth = -1

    @property
    def kinds_of_edges(self) -> set[bool]:
        """Whether edges are directed, by what they say or by the graph's default."""
        said = {bool(kind) for kind in set(self._own_kinds)}
        return said if 0 < len(self.sources) == len(self._own_kinds) else said | {bool(self.directed)}

    def feed(self, chunk: bytes, is_last: bool = False) -> None:
        """Parse the next piece of text."""
        parser = self._parser
        try:
            parser.Parse(chunk, is_last)
        except expat.ExpatError as error:
            problem = f"this is not GraphML ({expat.ErrorString(error.code)}): write the file again."
            raise Place(self._path, error.lineno).error(b"", 0, problem) from error
        self._fed += len(chunk)
        if self._fed - parser.CurrentByteIndex > LONGEST_LINE and not is_last:
            raise self._error(f"a tag or comment has more than {LONGEST_LINE:,} bytes.")
        if len(parser.intern) > _MOST_NAMES:
            raise self._error(f"elements and attributes have more than {_MOST_NAMES:,} different names.")

    def _error(self, problem: str) -> LenseError:
        return Place(self._path, self._parser.CurrentLineNumber).error(b"", 0, problem)

    def _check_doctype(self, name: str, system_id: str | None, public_id: str | None, has_subset: bool) -> None:
        if has_subset:  # entities and default attributes turn a few bytes into gigabytes
            raise self._error("the document type declares entities or attributes: remove the declarations.")

    def _check_encoding(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in _ENCODINGS:
            raise self._error(f"the encoding '{encoding[:40]}' is not supported: convert the file to UTF-8.")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        """Take in an element outside the graph."""
        self._open.append(name)
        depth = len(self._open)
        if depth == 1:
            prefix, colon, local_name = name.rpartition(":")
            if local_name != "graphml":
                raise self._error(f"this is XML but not GraphML: the document is a '{name[:40]}'.")
            self._prefix = prefix + colon
            return
        name = name.removeprefix(self._prefix)
        if name == "graph":
            if self.directed is not None or depth > 2:
                raise self._error(_ONE_GRAPH)
            self.directed = self._kind(attributes.get("edgedefault", "undirected"))
            self._parser.StartElementHandler = self._graph_handler()
        elif depth == 2 and name in ("node", "edge", "hyperedge"):
            raise self._error(_MISPLACED_ELEMENT)
        elif depth == 2:
            is_weight = name == "key" and attributes.get("attr.name") == "weight" and self._with_weights
            self._in_weight_key = is_weight and attributes.get("for", "all") in ("edge", "all")
            if name == "key":
                (self._weight_keys if self._in_weight_key else self._keys).add(attributes.get("id", ""))
        elif depth == 3 and name == "default" and self._in_weight_key:
            self._start_text()
        elif depth > _DEEPEST:
            raise self._error(_TOO_DEEP)

    def _graph_handler(self) -> Callable[[str, dict[str, str]], None]:
        """What takes in an element inside the graph; a closure, since it runs for each edge."""
        graph, node, edge, hyperedge, data = (
            self._prefix + one for one in ("graph", "node", "edge", "hyperedge", "data")
        )
        nested = {node, edge, hyperedge}
        opened, numbers, own_kinds = self._open, self.numbers, self._own_kinds
        keys, weight_keys = self._keys, self._weight_keys
        add_vertex, add_source, add_target = self.vertices.append, self.sources.append, self.targets.append
        number = numbers.setdefault

        def start(name: str, attributes: dict[str, str]) -> None:
            opened.append(name)
            depth = len(opened)
            try:
                if depth == 3:
                    if name == edge:
                        add_source(number(attributes["source"], len(numbers)))
                        add_target(number(attributes["target"], len(numbers)))
                        if "directed" in attributes:
                            own_kinds.append(self._kind(attributes["directed"]))
                    elif name == node:
                        add_vertex(number(attributes["id"], len(numbers)))
                    elif name == hyperedge:
                        raise self._error("lense does not read hyperedges: an edge has two ends.")
                elif depth == 4 and name == data and opened[2] == edge:
                    if attributes["key"] in weight_keys:
                        self._start_text()
                    elif attributes["key"] not in keys:
                        raise self._error(f"no key is called '{attributes['key'][:40]}': declare it above the graph.")
                elif name in nested and (opened[3] != data or depth == 5):  # data may hold any XML below other elements
                    raise self._error(_MISPLACED_ELEMENT)
            except KeyError as missing:
                raise self._error(f"an element '{name[:40]}' lacks the attribute {missing}.") from None
            if name == graph or depth > _DEEPEST:
                raise self._error(_ONE_GRAPH if name == graph else _TOO_DEEP)

        return start

    def _kind(self, word: str) -> bool:
        if word not in _KINDS:
            raise self._error(f"edges are directed or undirected, not '{word[:40]}'.")
        return _KINDS[word]

    def _start_text(self) -> None:
        self._text_depth = len(self._open)
        self._parser.CharacterDataHandler = self._text.append

    def _end(self, name: str) -> None:
        depth = len(self._open)
        if depth == self._text_depth:
            self._end_weight("".join(self._text), is_default=depth == 3)
            self._parser.CharacterDataHandler, self._text_depth = None, -1
            self._text.clear()
        elif depth == 2:
            self._parser.StartElementHandler = self._start
        self._open.pop()

    def _end_weight(self, text: str, *, is_default: bool) -> None:
        try:
            weight = float(text)
        except ValueError as error:
            problem = f"the weight '{text[:40]}' is not a number; weights=False (--no-weights) ignores it."
            raise self._error(problem) from error
        if is_default:
            self._default_weight = weight
        else:
            self._weighted.append(len(self.sources) - 1)
            self._weights.append(weight)

    def weights(self) -> AnyArray | None:
        """The weights of edges, where any has one or there is a default."""
        if not self._weighted and self._default_weight is None:
            return None
        weights = np.full(len(self.sources), 1.0 if self._default_weight is None else self._default_weight)
        weights[np.array(self._weighted, np.int64)] = self._weights
        return weights


_QUOTE, _HASH = (ord(c) for c in '"#')
_TOKEN = re.compile(rb'"[^"]*"?|#[^\n]*|[\[\]]|[^\x00-\x20"#\[\]]+')
_ENTITY = re.compile(r"&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,10}));", re.ASCII)
_WANTED = {b"node": (b"id", b"label"), b"edge": (b"source", b"target", b"weight")}
"""The values of nodes and edges that make a graph."""


def read_gml(path: Path, options: ReadOptions) -> Graph:
    """Read a GML file, see :func:`lense.graph.read_graph`."""
    document, rest = _Gml(path, with_weights=options.weights is not False), b""
    with reading_chunks(path, is_text=True) as chunks:
        for number, chunk in enumerate(chunks):
            rest = document.feed(rest + (chunk if number else chunk.removeprefix(codecs.BOM_UTF8)))
            if len(rest) > LONGEST_LINE:
                raise document.place.error(b"", 0, f"a value has more than {LONGEST_LINE:,} bytes.")
    document.feed(rest + b"\n", is_last=True)
    document.check_whole()
    return _built(
        path,
        options,
        text_labels([name.decode() for name in document.numbers], str(path), LONGEST_LABEL),
        np.array(document.vertices, np.int32),
        (np.array(document.sources, np.int32), np.array(document.targets, np.int32)),
        np.array(document.weights) if document.is_weighted else None,
        directed=document.directed,
        labels=document.distinct_labels(),
    )


class _BadTokenError(Exception):
    """What is wrong with a token."""


class _Gml:
    """A GML document: ``open`` are the keys of the lists that are open, and ``key`` waits for its value."""

    def __init__(self, path: Path, *, with_weights: bool) -> None:
        self.place, self._with_weights = Place(path), with_weights
        self._open: list[bytes] = []
        self._key: bytes | None = None
        self._record: dict[bytes, bytes] = {}
        self._graphs = 0
        self.directed = self.is_weighted = False
        self.numbers: dict[bytes, int] = {}
        self.vertices, self.sources, self.targets, self.weights = array("i"), array("i"), array("i"), array("d")
        self._labels: list[bytes] | None = []

    def feed(self, text: bytes, *, is_last: bool = False) -> bytes:
        """Take in a piece of text; what is returned is cut off and belongs to the next piece."""
        end = len(text)
        for token in _TOKEN.finditer(text):
            word = token[0]
            if token.end() == end:
                if is_last and word[0] == _QUOTE:
                    raise LenseError(f"{self.place.path} is not a whole GML file: it lacks a closing quote.")
                end = token.start()
                break
            if word[0] != _HASH:
                try:
                    self._take(word)
                except _BadTokenError as error:
                    raise self.place.error(text, token.start(), str(error)) from None
        try:
            text[:end].decode()
        except UnicodeDecodeError as error:
            raise self.place.error(text, error.start, "this is not UTF-8 text: convert the file.") from error
        self.place.line += text.count(b"\n", 0, end)
        return text[end:]

    def _take(self, word: bytes) -> None:
        """Take in a token."""
        key, depth = self._key, len(self._open)
        if word == b"]":
            if key is not None or depth == 0:
                raise _BadTokenError(
                    "there is no list to close with ']'." if depth == 0 else "expected a value, not ']'."
                )
            if depth == 2 and self._is_record:
                self._end_record(self._open[1])
            self._open.pop()
            return
        if key is None:
            if not word[:1].isalpha() and word[:1] != b"_":
                raise _BadTokenError(f"expected the name of a value or ']', not '{excerpt(word)}'.")
            self._key = word
            return
        self._key = None
        in_graph, in_record = depth == 1 and self._open[0] == b"graph", depth == 2 and self._is_record
        is_wanted = in_record and key in _WANTED[self._open[1]]
        if word == b"[":
            self._check_list(key, depth, in_record)
            if is_wanted or (in_graph and key == b"directed"):
                raise _BadTokenError("expected a value, not '['.")
            self._open.append(key)
            self._record = {} if in_graph else self._record
        elif is_wanted:
            self._add_value(key, word)
        elif in_graph and key == b"directed":
            if word not in (b"0", b"1"):
                raise _BadTokenError(f"directed is 0 or 1, not '{excerpt(word)}'.")
            self.directed = word == b"1"
        elif (in_graph and key in _WANTED) or (depth == 0 and key == b"graph"):
            raise _BadTokenError(f"a graph, node or edge is a list in brackets, not '{excerpt(word)}'.")

    @property
    def _is_record(self) -> bool:
        return self._open[0] == b"graph" and self._open[1] in _WANTED

    def _check_list(self, key: bytes, depth: int, in_record: bool) -> None:
        if key in _WANTED and (depth == 0 or in_record):
            raise _BadTokenError(
                "a node or edge must stand directly in the graph, but outside it or inside another one starts one."
            )
        self._graphs += key == b"graph" and depth == 0
        if self._graphs > 1:
            raise _BadTokenError("lense reads one graph, and here a second one starts.")

    def _add_value(self, key: bytes, word: bytes) -> None:
        value = word.strip(b'"')
        if key in self._record and key != b"label":
            raise _BadTokenError(f"this {self._open[1].decode()} has several values '{key.decode()}'.")
        if len(value) > LONGEST_LABEL and key != b"weight":
            raise _BadTokenError(f"an id or label has at most {LONGEST_LABEL} bytes: shorten it.")
        if key in self._record:
            self._labels = None
        self._record[key] = value

    def _end_record(self, kind: bytes) -> None:
        record, number = self._record, self.numbers.setdefault
        missing = [key.decode() for key in _WANTED[kind] if key not in record and key not in (b"label", b"weight")]
        if missing:
            raise _BadTokenError(f"this {kind.decode()} ends without its {missing[0]}: write the file again.")
        if kind == b"node":
            self.vertices.append(number(record[b"id"], len(self.numbers)))
            if self._labels is not None:
                self._labels.append(record.get(b"label", b""))
            return
        self.sources.append(number(record[b"source"], len(self.numbers)))
        self.targets.append(number(record[b"target"], len(self.numbers)))
        if self._with_weights:
            weight = record.get(b"weight", b"1")
            self.is_weighted |= b"weight" in record
            try:
                self.weights.append(float(weight))
            except ValueError:
                problem = f"the weight '{excerpt(weight)}' is not a number"
                raise _BadTokenError(f"{problem}; weights=False (--no-weights) ignores it.") from None

    def check_whole(self) -> None:
        """Raise where something is missing at the end."""
        missing = "a closing bracket or a value" if self._open or self._key else "" if self._graphs else "a graph"
        if missing:
            raise LenseError(f"{self.place.path} is not a whole GML file: it lacks {missing}.")

    def distinct_labels(self) -> AnyArray | None:
        """The labels, if each node has one and no two have the same."""
        texts = [_ENTITY.sub(_character, label.decode()) for label in self._labels or ()]
        if self._labels is None or "" in texts or len(set(texts)) < len(texts):
            return None
        return text_labels(texts, str(self.place.path), LONGEST_LABEL)


def _character(found: re.Match[str]) -> str:
    """The character of an entity such as ``&#233;``; the entity itself where there is none."""
    decimal, hexadecimal, name = found.groups()
    code = int(decimal) if decimal else int(hexadecimal, 16) if hexadecimal else html.entities.name2codepoint.get(name)
    return found[0] if code is None or code > 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code)


def _built(
    path: Path,
    options: ReadOptions,
    names: AnyArray,
    vertices: Int32s,
    ends: tuple[Int32s, Int32s],
    weights: AnyArray | None,
    *,
    directed: bool,
    labels: AnyArray | None = None,
) -> Graph:
    """The graph of ``vertices`` and edges between numbers of ``names``; those are the labels if no others are given."""
    counts = np.bincount(vertices, minlength=names.size)
    if (counts > 1).any():
        raise LenseError(f"{path} gives the id '{names[counts.argmax()]}' to two vertices: write it again.")
    if (counts == 0).any():
        raise LenseError(f"{path} has an edge of a vertex '{names[counts.argmin()]}', but no such vertex.")
    new = np.empty(names.size, np.int32)
    new[vertices] = np.arange(vertices.size, dtype=np.int32)
    for end in ends:
        renumber(end, new)
    found = names[vertices] if labels is None else labels
    return options.build(
        path,
        *ends,
        None if weights is None else single_precision(weights),
        _as_integers(found) if options.ids == "auto" else found,
        directed=directed,
    )


def _as_integers(labels: AnyArray) -> AnyArray:
    """The labels as integers if each is written as an integer is, without a sign or zeros in front."""
    try:
        numbers = labels.astype(np.int64)
    except (ValueError, OverflowError):
        return labels
    return numbers if numbers.size and numbers.min() >= 0 and (numbers.astype(labels.dtype) == labels).all() else labels


def write(graph: Graph, path: Path, *, kind: str) -> None:
    """Write by networkx."""
    if (
        kind == "graphml"
        and (wrong := next(filter(_NOT_XML.search, map(str, graph.labels.tolist())), None)) is not None
    ):
        raise LenseError(f"GraphML cannot hold the id '{wrong}': write .npz, or relabel the vertices.")
    nx, theirs = library("networkx"), to_networkx(graph)
    dump: Callable[..., None] = nx.write_graphml if kind == "graphml" else partial(nx.write_gml, stringizer=str)
    with writing(path) as file:
        dump(theirs, file)
