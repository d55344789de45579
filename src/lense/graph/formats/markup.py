"""GraphML and GML, read in a stream and written by networkx.

Vertices are called by the ``id`` of their element in GraphML; in GML by their labels if all have one and none has the
same, else by their ids. GraphML is read by Python's expat and GML by a kernel. Neither can end the process, as igraph
does on some files, and both hold the graph alone, not the text.
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

from lense._util.jit import kernel
from lense._util.types import AnyArray, Int32s, Int64s
from lense.errors import LenseError
from lense.graph.convert import library, to_networkx
from lense.graph.csr import Graph
from lense.graph.formats.options import ReadOptions, single_precision
from lense.graph.formats.streams import LONGEST_LINE, reading_chunks, writing
from lense.graph.formats.text import Bytes, Fields, Place, excerpt
from lense.graph.labels import LONGEST_LABEL, StringNumbering, renumber, text_labels

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


def _word(name: bytes) -> int:
    """A word of at most eight bytes as a number, which a kernel compares at once."""
    return int.from_bytes(name, "little")


_GRAPH, _NODE, _EDGE, _IS_DIRECTED = map(_word, (b"graph", b"node", b"edge", b"directed"))
_ID, _LABEL, _SOURCE, _TARGET, _WEIGHT = map(_word, (b"id", b"label", b"source", b"target", b"weight"))
_QUOTE, _HASH, _OPEN, _CLOSE, _SPACE, _LINE_FEED = (ord(c) for c in '"#[] \n')
_ZERO, _ONE, _SMALL_A, _SMALL_Z, _UNDERSCORE = (ord(c) for c in "01az_")
_NONE, _OTHER = 0, -1
_DEPTH, _KEY, _INSIDE, _RECORD, _NODES, _EDGES, _GRAPHS, _DIRECTION = range(8)
_GOOD, _NO_KEY, _NO_VALUE, _NO_LIST, _SECOND_GRAPH, _NO_DIRECTION, _NO_RECORD, _MISPLACED = range(8)
_PROBLEMS = {
    _NO_KEY: "expected the name of a value or ']', not",
    _NO_VALUE: "expected a value, not",
    _NO_LIST: "there is no list to close with",
    _SECOND_GRAPH: "lense reads one graph, and here a second one starts:",
    _NO_DIRECTION: "directed is 0 or 1, not",
    _NO_RECORD: "a graph, node or edge is a list in brackets, not",
    _MISPLACED: "a node or edge must stand directly in the graph, but outside it or inside another one starts at",
}
_ENTITY = re.compile(r"&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,10}));", re.ASCII)


@kernel
def _token_end(text: Bytes, at: int) -> int:
    """Where the token that starts at ``at`` ends; one beyond the end of the text if it may go on there."""
    first = text[at]
    if first in (_OPEN, _CLOSE):
        return at + 1
    end = at + 1
    if first in (_QUOTE, _HASH):
        closing = _QUOTE if first == _QUOTE else _LINE_FEED
        while end < text.size and text[end] != closing:
            end += 1
        return end + 1
    while end < text.size and text[end] > _SPACE and text[end] not in (_OPEN, _CLOSE, _QUOTE, _HASH):
        end += 1
    return end if end < text.size else end + 1


@kernel
def _is_letter(sign: int) -> bool:
    return _SMALL_A <= (sign | 32) <= _SMALL_Z or sign == _UNDERSCORE


@kernel
def _as_word(text: Bytes, start: int, stop: int) -> int:
    """What :func:`_word` makes of ``text[start:stop]``; ``_OTHER`` where that is longer."""
    if stop - start > 8:
        return _OTHER
    number = 0
    for at in range(stop - 1, start - 1, -1):
        number = number << 8 | int(text[at])
    return number if number > 0 else _OTHER


@kernel
def _is_wanted(owner: int, key: int) -> bool:
    """Whether a value of a node or edge makes the graph."""
    return (owner == _NODE and key in (_ID, _LABEL)) or (owner == _EDGE and key in (_SOURCE, _TARGET, _WEIGHT))


@kernel
def _wrong_with_list(state: Int64s, depth: int, key: int) -> int:
    """What is wrong with a list called ``key`` where the parser stands, if it would be dropped but makes the graph."""
    record = state[_RECORD] if depth == 2 else _NONE
    if _is_wanted(record, key):
        return _NO_VALUE
    if key in (_NODE, _EDGE) and (depth == 0 or record != _NONE):
        return _MISPLACED
    return _NO_DIRECTION if depth == 1 and state[_INSIDE] and key == _IS_DIRECTED else _GOOD


@kernel
def _scan_gml(
    text: Bytes, state: Int64s, names: Int64s, records: Int32s, starts: Int32s, stops: Int32s
) -> tuple[int, int, int]:
    """Parse the next piece of GML text; where it stopped, how many values it found, and what is wrong there.

    It stops before a token that the end of the text may have cut. The values are those of nodes and edges that make a
    graph: ``text[start:stop]`` is the value called ``name`` of the node or edge number ``record``. ``state`` is where
    the parser stands, between texts.
    """
    at = found = 0
    while at < text.size:
        first = text[at]
        if first <= _SPACE:
            at += 1
            continue
        end = _token_end(text, at)
        if end > text.size:
            break
        key, depth = state[_KEY], state[_DEPTH]
        if first == _HASH:
            pass
        elif first == _CLOSE:
            if key != _NONE or depth == 0:
                return at, found, _NO_LIST if key == _NONE else _NO_VALUE
            state[_DEPTH] -= 1
            if depth <= 2:
                state[_RECORD] = _NONE
        elif key == _NONE:
            if first in (_OPEN, _QUOTE) or not _is_letter(first):
                return at, found, _NO_KEY
            state[_KEY] = _as_word(text, at, end)
        elif first == _OPEN:
            wrong = _wrong_with_list(state, depth, key)
            if wrong != _GOOD:
                return at, found, wrong
            if depth == 0:
                state[_INSIDE] = key == _GRAPH
                state[_GRAPHS] += key == _GRAPH
                if state[_GRAPHS] > 1:
                    return at, found, _SECOND_GRAPH
            elif depth == 1 and state[_INSIDE] and key in (_NODE, _EDGE):
                state[_RECORD] = key
                state[_NODES if key == _NODE else _EDGES] += 1
            state[_DEPTH], state[_KEY] = depth + 1, _NONE
        else:
            owner = state[_RECORD] if depth == 2 else _NONE
            if _is_wanted(owner, key):
                quote = first == _QUOTE
                names[found], records[found] = key, state[_NODES if owner == _NODE else _EDGES] - 1
                starts[found], stops[found] = at + quote, end - quote
                found += 1
            elif depth == 1 and state[_INSIDE] and key == _IS_DIRECTED:
                if end > at + 1 or not _ZERO <= first <= _ONE:
                    return at, found, _NO_DIRECTION
                state[_DIRECTION] = first - _ZERO
            elif (depth == 1 and state[_INSIDE] and key in (_NODE, _EDGE)) or (depth == 0 and key == _GRAPH):
                return at, found, _NO_RECORD
            state[_KEY] = _NONE
        at = end
    return at, found, _GOOD


class _Values:
    """One value of each node or edge: the text numbered by ``numbering``, or a weight where there is none."""

    def __init__(self, name: str, numbering: StringNumbering | None = None) -> None:
        self.name, self.numbering = name, numbering
        self._records, self._values = [np.empty(0, np.int32)], [np.empty(0, np.int32 if numbering else np.float32)]

    def add(self, fields: Fields, records: Int32s) -> None:
        self._records.append(records)
        if self.numbering is None:
            self._values.append(fields.weights(0))
            return
        lengths = fields.stops[0] - fields.starts[0]
        if lengths.max(initial=0) > LONGEST_LABEL:
            problem = f"an id or label has at most {LONGEST_LABEL} bytes: shorten it."
            raise fields.error(0, int(np.argmax(lengths)), problem)
        self._values.append(self.numbering.number(fields.text, fields.starts[0], fields.stops[0]))

    @property
    def records(self) -> Int32s:
        return np.concatenate(self._records)

    @property
    def values(self) -> AnyArray:
        return np.concatenate(self._values)

    def one_each(self, path: Path, what: str, count: int) -> Int32s:
        """The numbers, if each of the ``count`` nodes or edges has one."""
        if not np.array_equal(self.records, np.arange(count)):
            raise LenseError(f"{path} has {what} without one {self.name}, or with several: write the file again.")
        return self.values


def read_gml(path: Path, options: ReadOptions) -> Graph:
    """Read a GML file, see :func:`lense.graph.read_graph`."""
    place, state = Place(path), np.zeros(8, np.int64)
    ids, labels = StringNumbering(), StringNumbering()
    values = {
        _ID: _Values("id", ids),
        _SOURCE: _Values("source", ids),
        _TARGET: _Values("target", ids),
        _LABEL: _Values("label", labels),
        **({} if options.weights is False else {_WEIGHT: _Values("weight")}),
    }
    rest = b""
    with reading_chunks(path, is_text=True) as chunks:
        for chunk in chunks:
            text = rest + chunk if any(state) or rest else chunk.removeprefix(codecs.BOM_UTF8)
            rest = _add_text(text, values, state, place)
            if len(rest) > LONGEST_LINE:
                raise place.error(b"", 0, f"a value has more than {LONGEST_LINE:,} bytes.")
    rest = _add_text(rest + b"\n", values, state, place)
    if rest or state[_DEPTH] or state[_KEY] or not state[_GRAPHS]:
        missing = "a closing quote" if rest else "a graph" if not state[_GRAPHS] else "a closing bracket or a value"
        raise LenseError(f"{path} is not a whole GML file: it lacks {missing}.")
    num_nodes, num_edges = int(state[_NODES]), int(state[_EDGES])
    nodes = values[_ID].one_each(path, "a node", num_nodes)
    ends = (values[_SOURCE].one_each(path, "an edge", num_edges), values[_TARGET].one_each(path, "an edge", num_edges))
    names, places = ids.in_order()
    return _built(
        path,
        options,
        names[places],
        nodes,
        ends,
        _gml_weights(values[_WEIGHT], num_edges, path) if _WEIGHT in values else None,
        directed=bool(state[_DIRECTION]),
        labels=_gml_labels(values[_LABEL], num_nodes, path),
    )


def _add_text(text: bytes, values: dict[int, _Values], state: Int64s, place: Place) -> bytes:
    """Take in the values of a piece of text; what is left of it belongs to the next piece."""
    most = len(text) // len('id""') + 1
    names = np.empty(most, np.int64)
    records, starts, stops = (np.empty(most, np.int32) for _ in range(3))
    end, found, wrong = _scan_gml(np.frombuffer(text, np.uint8), state, names, records, starts, stops)
    block = text[:end]
    try:
        block.decode()
    except UnicodeDecodeError as error:
        raise place.error(block, error.start, "this is not UTF-8 text: convert the file.") from error
    if wrong != _GOOD:
        raise place.error(text, end, f"{_PROBLEMS[wrong]} '{excerpt(text[end:].split(maxsplit=1)[0])}'.")
    for name, column in values.items():
        (chosen,) = np.nonzero(names[:found] == name)
        column.add(Fields.of_spans(text, starts[chosen], stops[chosen], place), records[chosen])
    place.line += block.count(b"\n")
    return text[end:]


def _gml_weights(given: _Values, num_edges: int, path: Path) -> AnyArray | None:
    """The weights, 1 where an edge has none; None where no edge has one."""
    records = given.records
    if not records.size:
        return None
    if (records[1:] == records[:-1]).any():
        raise LenseError(f"{path} has an edge with several weights: write the file again.")
    weights = np.ones(num_edges, np.float32)
    weights[records] = given.values
    return weights


def _gml_labels(given: _Values, num_nodes: int, path: Path) -> AnyArray | None:
    """The labels, if each node has one and no two have the same."""
    assert given.numbering is not None
    if not np.array_equal(given.records, np.arange(num_nodes)):
        return None
    names, places = given.numbering.in_order()
    texts = names[places][given.values].tolist()
    if any("&" in text for text in texts):
        texts = [_ENTITY.sub(_character, text) for text in texts]
    if "" in texts or len(set(texts)) < num_nodes:
        return None
    return text_labels(texts, str(path), LONGEST_LABEL)


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
