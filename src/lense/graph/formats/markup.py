"""GraphML and GML, read in a stream and written by networkx.

Vertices are called by the ``id`` of their element in GraphML; in GML by their labels if all have one and none has the
same, else by their ids. GraphML is read by Python's expat and GML by a regular expression. Neither can end the process,
as igraph does on some files, and both hold the graph alone, not the text.
"""

import codecs
import html.entities
import re
from array import array
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

import numpy as np

from lense._util.types import AnyArray
from lense.errors import LenseError
from lense.graph.convert import library, to_networkx
from lense.graph.csr import Graph
from lense.graph.formats.options import ReadOptions, single_precision
from lense.graph.formats.streams import LONGEST_LINE, reading_chunks, writing
from lense.graph.formats.text import Place, excerpt
from lense.graph.labels import LONGEST_LABEL, ids_of

_DEEPEST, _MOST_NAMES = 100, 10_000
"""How deep elements may be nested, and how many different names they and their attributes may have."""
_MISPLACED = "a node or edge must stand directly in the graph: lense does not read nested graphs"
_ENCODINGS = {"utf-8", "utf-16", "iso-8859-1", "us-ascii"}
"""Those that expat knows; for another it would look for a codec of the name that the file gives."""
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KINDS = {"directed": True, "true": True, "undirected": False, "false": False}


class _Parser:
    """What a parser has met so far; ``numbers`` has the ids of vertices in the order in which they first occur."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.path, self.options = path, options
        self.numbers: dict[str, int] = {}
        self.vertices, self.sources, self.targets = array("i"), array("i"), array("i")
        self.weighted, self.weights = array("q"), array("d")
        self.default_weight: float | None = None

    def fail(self, problem: str) -> NoReturn:
        """Raise an error about the place that is being parsed."""
        raise NotImplementedError

    def add_vertex(self, called: str) -> None:
        self.vertices.append(self.numbers.setdefault(called, len(self.numbers)))

    def add_edge(self, source: str, target: str) -> None:
        self.sources.append(self.numbers.setdefault(source, len(self.numbers)))
        self.targets.append(self.numbers.setdefault(target, len(self.numbers)))

    def add_weight(self, text: str) -> None:
        """The weight of the last edge."""
        if self.weighted and self.weighted[-1] == len(self.sources) - 1:
            self.fail("an edge has several weights.")
        self.weighted.append(len(self.sources) - 1)
        self.weights.append(self.as_weight(text))

    def as_weight(self, text: str) -> float:
        try:
            return float(text.replace("_", "x"))  # Python would take 1_000
        except ValueError:
            self.fail(f"the weight '{text[:40]}' is not a number; weights=False (--no-weights) ignores it.")

    def graph(self, *, directed: bool, labels: list[str] | None = None) -> Graph:
        """The graph; vertices are called by their ids if there are no ``labels`` in their order."""
        called, path = list(self.numbers), self.path
        vertices = np.array(self.vertices, np.int32)
        counts = np.bincount(vertices, minlength=len(called))
        if (counts > 1).any():
            raise LenseError(f"{path} gives the id '{called[counts.argmax()]}' to two vertices: write it again.")
        if (counts == 0).any():
            raise LenseError(f"{path} has an edge of a vertex '{called[counts.argmin()]}', but no such vertex.")
        new = np.empty(len(called), np.int32)
        new[vertices] = np.arange(vertices.size, dtype=np.int32)
        weights = None
        if self.weighted or self.default_weight is not None:
            weights = np.full(len(self.sources), 1.0 if self.default_weight is None else self.default_weight)
            weights[np.array(self.weighted, np.int64)] = self.weights
        names = list(map(called.__getitem__, self.vertices)) if labels is None else labels
        found = ids_of(names, path, LONGEST_LABEL)
        return self.options.build(
            path,
            new[np.array(self.sources, np.int32)],
            new[np.array(self.targets, np.int32)],
            None if weights is None else single_precision(weights),
            _as_integers(found) if self.options.ids == "auto" else found,
            directed=directed,
        )


def _as_integers(labels: AnyArray) -> AnyArray:
    """The labels as integers if each is written as an integer is, without a sign or zeros in front."""
    try:
        numbers = labels.astype(np.int64)
    except (ValueError, OverflowError):
        return labels
    return numbers if numbers.size and numbers.min() >= 0 and (numbers.astype(labels.dtype) == labels).all() else labels


def read_graphml(path: Path, options: ReadOptions) -> Graph:
    """Read a GraphML file, see :func:`lense.graph.read_graph`."""
    document = _GraphML(path, options)
    with reading_chunks(path) as chunks:
        for chunk in chunks:
            document.feed(chunk)
    document.feed(b"", is_last=True)
    if document.directed is None:
        raise LenseError(f"{path} is GraphML without a graph.")
    kinds = {bool(kind) for kind in set(document.own_kinds)}
    if not 0 < len(document.sources) == len(document.own_kinds):
        kinds.add(document.directed)
    if len(kinds) > 1 and options.directed is None:
        raise LenseError(f"{path} has directed and undirected edges: pass directed=True or False (--directed, …).")
    return document.graph(directed=True in kinds)


class _GraphML(_Parser):
    """A GraphML document, parsed as it is fed."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        super().__init__(path, options)
        self._expat = parser = expat.ParserCreate(intern={})
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.StartDoctypeDeclHandler, parser.XmlDeclHandler = self._check_doctype, self._check_encoding
        self._fed = 0
        self._open: list[str] = []
        self._prefix = ""
        self.directed: bool | None = None
        self.own_kinds = array("b")
        """Of the edges that say so, whether they are directed."""
        self._keys = dict[str, bool]()
        """Whether each key is one of weights."""
        self._key, self._text, self._text_depth = "", list[str](), -1

    def feed(self, chunk: bytes, is_last: bool = False) -> None:
        """Parse the next piece of text."""
        parser = self._expat
        try:
            parser.Parse(chunk, is_last)
        except expat.ExpatError as error:
            self.fail(f"this is not GraphML ({expat.ErrorString(error.code)}): write the file again.")
        self._fed += len(chunk)
        if self._fed - parser.CurrentByteIndex > LONGEST_LINE and not is_last:
            self.fail(f"a tag or comment has more than {LONGEST_LINE:,} bytes.")
        if len(parser.intern) > _MOST_NAMES:
            self.fail(f"elements and attributes have more than {_MOST_NAMES:,} different names.")

    def fail(self, problem: str) -> NoReturn:
        raise Place(self.path, self._expat.CurrentLineNumber).error(b"", 0, problem)

    def _check_doctype(self, name: str, system_id: str | None, public_id: str | None, has_subset: bool) -> None:
        if has_subset:  # entities and default attributes turn a few bytes into gigabytes
            self.fail("the document type declares entities or attributes: remove the declarations.")

    def _check_encoding(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in _ENCODINGS:
            self.fail(f"the encoding '{encoding[:40]}' is not supported: convert the file to UTF-8.")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        stack = self._open
        if not stack:
            prefix, colon, local_name = name.rpartition(":")
            if local_name != "graphml":
                self.fail(f"this is XML but not GraphML: the document is a '{name[:40]}'.")
            self._prefix = prefix + colon
        name = name.removeprefix(self._prefix)
        stack.append(name)
        depth = len(stack)
        try:
            if depth == 3 and stack[1] == "graph" and name == "edge":
                self.add_edge(attributes["source"], attributes["target"])
                if "directed" in attributes:
                    self.own_kinds.append(self._kind(attributes["directed"]))
            elif depth == 3 and stack[1] == "graph" and name == "node":
                self.add_vertex(attributes["id"])
            elif depth == 4 and name == "data" and stack[2] == "edge":
                if attributes["key"] not in self._keys:
                    self.fail(f"no key is called '{attributes['key'][:40]}': declare it above the graph.")
                self._start_text(attributes["key"])
            elif depth == 2 and name == "key":
                self._key = attributes.get("id", "")
                is_of_edges = attributes.get("for", "all") in ("edge", "all")
                self._keys[self._key] = attributes.get("attr.name") == "weight" and is_of_edges
            elif depth == 3 and name == "default" and stack[1] == "key":
                self._start_text(self._key)
            elif name in ("graph", "node", "edge", "hyperedge"):
                self._start_graph(name, depth, attributes)
            elif depth > _DEEPEST:
                self.fail(f"elements are nested more than {_DEEPEST} deep.")
        except KeyError as missing:
            self.fail(f"an element '{name[:40]}' lacks the attribute {missing}.")

    def _start_graph(self, name: str, depth: int, attributes: dict[str, str]) -> None:
        """Take in the graph, or refuse an element that must stand elsewhere."""
        if name == "hyperedge":
            self.fail("lense does not read hyperedges: an edge has two ends.")
        if name != "graph":
            self.fail(f"{_MISPLACED}.")
        if self.directed is not None or depth > 2:
            self.fail("lense reads one graph, without graphs inside vertices: here is a second one.")
        self.directed = self._kind(attributes.get("edgedefault", "undirected"))

    def _kind(self, word: str) -> bool:
        if word not in _KINDS:
            self.fail(f"edges are directed or undirected, not '{word[:40]}'.")
        return _KINDS[word]

    def _start_text(self, key: str) -> None:
        if self._keys[key] and self.options.weights is not False:
            self._text_depth = len(self._open)
            self._expat.CharacterDataHandler = self._text.append

    def _end(self, name: str) -> None:
        if len(self._open) == self._text_depth:
            text = "".join(self._text)
            if self._text_depth == 3:
                self.default_weight = self.as_weight(text)
            else:
                self.add_weight(text)
            self._expat.CharacterDataHandler, self._text_depth = None, -1
            self._text.clear()
        self._open.pop()


_WANTED = {b"node": (b"id", b"label"), b"edge": (b"source", b"target", b"weight")}
_GAP, _WORD = rb"(?:[\x00-\x20]++|#[^\n]*+\n)*+", rb'[^\x00-\x20\[\]"#]'
_USED = rb"(?:graph|directed|node|id|label|edge|source|target|weight)(?!%b)" % _WORD
_VALUE = rb'"[^"]*+"|%b++(?=[\x00-\xff])' % _WORD
_BETWEEN = re.compile(rb"%b(?:(?!%b)[A-Za-z_]%b*+%b(?:%b)%b)*+" % (_GAP, _USED, _WORD, _GAP, _VALUE, _GAP))
"""Blanks, comments, and values whose names have no meaning."""
_PAIR = re.compile(rb"%b(?:\]|([A-Za-z_]%b*+)%b(\[|%b))" % (_BETWEEN.pattern, _WORD, _GAP, _VALUE))
"""The next name and its value, which are both None at the end of a list."""
_ENTITY = re.compile(r"&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,10}));", re.ASCII)


def read_gml(path: Path, options: ReadOptions) -> Graph:
    """Read a GML file, see :func:`lense.graph.read_graph`."""
    document, rest = _Gml(path, options), b""
    with reading_chunks(path, is_text=True) as chunks:
        for number, chunk in enumerate(chain(chunks, [b"\n"])):
            rest = document.feed(rest + (chunk if number else chunk.removeprefix(codecs.BOM_UTF8)))
    if rest or document.open or not document.has_graph:
        raise LenseError(f"{path} is not a whole GML file: it lacks a graph, a closing bracket or quote, or a value.")
    names = [_ENTITY.sub(_character, label) if "&" in label else label for label in document.labels]
    are_labelled = "" not in names and len(set(names)) == len(names)
    return document.graph(directed=bool(document.directed), labels=names if are_labelled else None)


class _Gml(_Parser):
    """A GML file, parsed as it is fed; ``open`` are the names of the lists that are not closed yet."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        super().__init__(path, options)
        self.open = list[bytes]()
        self.labels = list[str]()
        """That of each vertex; empty where it has none or several."""
        self.directed: bool | None = None
        self.has_graph = False
        self._record = dict[bytes, str]()
        """What makes the graph among the values of the node or edge that is open."""
        self._place, self._text, self._at = Place(path), b"", 0

    def fail(self, problem: str) -> NoReturn:
        raise self._place.error(self._text, self._at, problem)

    def feed(self, text: bytes) -> bytes:
        """Take in a piece of text; what is left of it belongs to the next piece."""
        self._text, self._at = text, 0
        while (pair := _PAIR.match(text, self._at)) is not None:
            name, value = pair.groups()
            self._at = pair.start(2) if value else pair.end() - 1
            if value is None:
                self._close()
            elif value == b"[":
                self._start(name)
            else:
                self._add(name, value)
            self._at = pair.end()
        self._at = end = _BETWEEN.match(text, self._at).end()  # type: ignore[union-attr]
        if len(text) - end > LONGEST_LINE or re.match(rb"[^A-Za-z_#]", text[end : end + 1]):
            self.fail(f"expected the name of a value or ']', and a value, not '{excerpt(text[end : end + 100])}'.")
        try:
            text[:end].decode()
        except UnicodeDecodeError as error:
            raise self._place.error(text, error.start, "this is not UTF-8 text: convert the file.") from error
        self._place.line += text.count(b"\n", 0, end)
        return text[end:]

    def _start(self, name: bytes) -> None:
        """Take in a list."""
        if name == b"graph":
            if self.has_graph or self.open:
                self.fail("lense reads one graph, and here a second one starts.")
            self.has_graph = True
        elif name in _WANTED and self.open != [b"graph"]:
            self.fail(f"{_MISPLACED}.")
        elif name in self._wanted or (name == b"directed" and self.open == [b"graph"]):
            self.fail(f"{name.decode()} is a value, not a list.")
        elif len(self.open) == _DEEPEST:
            self.fail(f"lists are nested more than {_DEEPEST} deep.")
        self.open.append(name)

    def _add(self, name: bytes, value: bytes) -> None:
        """Take in a value."""
        if name in self._wanted:
            if name in self._record and name != b"label":
                self.fail(f"a node or an edge has several values called {name.decode()}.")
            text = value.strip(b'"')
            if len(text) > LONGEST_LABEL:
                self.fail(f"an id, a label or a weight has at most {LONGEST_LABEL} bytes: shorten it.")
            self._record[name] = "" if name in self._record else text.decode(errors="replace")
        elif self.open == [b"graph"] and name == b"directed":
            if value not in (b"0", b"1"):
                self.fail(f"directed is 0 or 1, not '{excerpt(value)}'.")
            if self.directed not in (None, value == b"1"):
                self.fail("the graph is directed and undirected: directed is given twice.")
            self.directed = value == b"1"
        elif name in _WANTED if self.open == [b"graph"] else name == b"graph" and not self.open:
            self.fail(f"a graph, node or edge is a list in brackets, not '{excerpt(value)}'.")

    def _close(self) -> None:
        """Take in the end of a list."""
        if not self.open:
            self.fail("there is no list to close with ']'.")
        kind, record = self.open.pop(), self._record
        try:
            if kind == b"node":
                self.add_vertex(record[b"id"])
                self.labels.append(record.get(b"label", ""))
            elif kind == b"edge":
                self.add_edge(record[b"source"], record[b"target"])
                if b"weight" in record and self.options.weights is not False:
                    self.add_weight(record[b"weight"])
        except KeyError as missing:
            self.fail(f"this {kind.decode()} has no {missing.args[0].decode()}.")
        if kind in _WANTED:
            record.clear()

    @property
    def _wanted(self) -> tuple[bytes, ...]:
        """The names of values that make the graph where the parser stands, in a node or edge."""
        return _WANTED.get(self.open[-1], ()) if len(self.open) == 2 else ()


def _character(found: re.Match[str]) -> str:
    """The character of an entity such as ``&#233;``; the entity itself where there is none."""
    decimal, hexadecimal, name = found.groups()
    code = int(decimal) if decimal else int(hexadecimal, 16) if hexadecimal else html.entities.name2codepoint.get(name)
    return found[0] if code is None or code > 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code)


def write(graph: Graph, path: Path, *, kind: str) -> None:
    """Write by networkx."""
    wrong = next(filter(_NOT_XML.search, map(str, graph.labels.tolist())), None) if kind == "graphml" else None
    if wrong is not None:
        raise LenseError(f"GraphML cannot hold the id '{wrong}': write .npz, or relabel the vertices.")
    nx, theirs = library("networkx"), to_networkx(graph)
    dump = nx.write_graphml if kind == "graphml" else partial(nx.write_gml, stringizer=str)
    with writing(path) as file:
        dump(theirs, file)
