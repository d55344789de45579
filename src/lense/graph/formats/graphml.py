"""GraphML, read in a stream by Python's expat and written by networkx.

Vertices are called by the ``id`` of their element. expat cannot end the process, as igraph does on some files, and what
is held is the graph alone, not the text.
"""

import math
import re
from array import array
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
from lense.graph.formats.text import Place
from lense.graph.labels import LONGEST_LABEL, ids_of

_DEEPEST, _MOST_NAMES = 100, 10_000
"""How deep elements may be nested, and how many different names they and their attributes may have."""
_ENCODINGS = {"utf-8", "utf-16", "iso-8859-1", "us-ascii"}
"""Those that expat knows; for another it would look for a codec of the name that the file gives."""
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KINDS = {"directed": True, "true": True, "undirected": False, "false": False}


def read(path: Path, options: ReadOptions) -> Graph:
    """Read a GraphML file, see :func:`lense.graph.read_graph`."""
    document = _Document(path, options)
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
        raise LenseError(f"{path} has directed and undirected edges: pass directed=True or directed=False.")
    return document.graph(directed=True in kinds)


class _Document:
    """A GraphML document, parsed as it is fed; ``numbers`` has the ids in the order in which they first occur."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.path, self.options = path, options
        self.numbers: dict[str, int] = {}
        self.vertices, self.sources, self.targets = array("i"), array("i"), array("i")
        self.weights, self.default_weight = array("d"), math.nan
        """NaN where there is none."""
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
        raise Place(self.path, self._expat.CurrentLineNumber).error(problem)

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
            self.fail("a node or edge must stand directly in the graph: lense does not read nested graphs.")
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
            elif math.isnan(self.weights[-1]):
                self.weights[-1] = self.as_weight(text)
            else:
                self.fail("an edge has several weights.")
            self._expat.CharacterDataHandler, self._text_depth = None, -1
            self._text.clear()
        self._open.pop()

    def add_vertex(self, called: str) -> None:
        self.vertices.append(self.numbers.setdefault(called, len(self.numbers)))

    def add_edge(self, source: str, target: str) -> None:
        self.sources.append(self.numbers.setdefault(source, len(self.numbers)))
        self.targets.append(self.numbers.setdefault(target, len(self.numbers)))
        self.weights.append(math.nan)

    def as_weight(self, text: str) -> float:
        try:
            weight = float(text.replace("_", "x"))  # Python would take 1_000
        except ValueError:
            weight = math.nan
        if not math.isfinite(weight):
            self.fail(f"the weight '{text[:40]}' is not a finite number; weights=False ignores it.")
        return weight

    def graph(self, *, directed: bool) -> Graph:
        """The graph that was read."""
        called, path = list(self.numbers), self.path
        vertices = np.array(self.vertices, np.int32)
        counts = np.bincount(vertices, minlength=len(called))
        if (counts > 1).any():
            raise LenseError(f"{path} gives the id '{called[counts.argmax()]}' to two vertices: write it again.")
        if (counts == 0).any():
            raise LenseError(f"{path} has an edge of a vertex '{called[counts.argmin()]}', but no such vertex.")
        new = np.empty(len(called), np.int32)
        new[vertices] = np.arange(vertices.size, dtype=np.int32)
        weights = np.array(self.weights)
        is_weighted = not (np.isnan(weights).all() and math.isnan(self.default_weight))
        weights[np.isnan(weights)] = 1.0 if math.isnan(self.default_weight) else self.default_weight
        found = ids_of(list(map(called.__getitem__, self.vertices)), path, LONGEST_LABEL)
        return self.options.build(
            path,
            new[np.array(self.sources, np.int32)],
            new[np.array(self.targets, np.int32)],
            single_precision(weights) if is_weighted else None,
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


def write(graph: Graph, path: Path) -> None:
    """Write by networkx."""
    wrong = next(filter(_NOT_XML.search, map(str, graph.labels.tolist())), None)
    if wrong is not None:
        raise LenseError(f"GraphML cannot hold the id '{wrong}': write .npz, or relabel the vertices.")
    nx, theirs = library("networkx"), to_networkx(graph)
    with writing(path) as file:
        nx.write_graphml(theirs, file)
