"""Our own format: the graph's arrays in an uncompressed ``.npz``, each on a 64-byte boundary.

The arrays are mapped into memory, not copied, so processes that open the same graph share it; one pass over them
checks that they make a graph. ``header`` is a JSON text that names the format and its version.
"""

import json
import mmap
import re
import struct
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from lense._util.files import parse_json
from lense._util.jit import kernel
from lense._util.progress import progress
from lense._util.types import AnyArray, Float32s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.options import ReadOptions
from lense.graph.labels import check_labels
from lense.graph.structure import first_one_way_arc

_NAME, _VERSION = "lense-graph", 1
_ALIGNMENT = 64
_LOCAL_HEADER = struct.Struct("<26xHH")  # it ends with the lengths of the name and of the extra fields, which follow
_ZIP64_FIELD = 20
_PADDING = struct.Struct("<HH")
_PADDING_ID = 0xD935
_NPY_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<dtype>[<|][iufU]\d+)', 'fortran_order': False, "
    rb"'shape': \((?:(?P<size>\d+),)?\), \} *\n",
    re.DOTALL,
)
"""What precedes an array in version 1 of numpy's format; it admits no objects, so nothing is ever unpickled."""
_DAMAGE = (zipfile.BadZipFile, NotImplementedError, ValueError, KeyError, TypeError, OverflowError, struct.error)
_EPOCH = (1980, 1, 1, 0, 0, 0)
_DTYPES = {"indptr": np.int64, "indices": np.int32, "weights": np.float32}


def write(graph: Graph, path: Path) -> None:
    """Write the arrays as they are."""
    header = json.dumps({"format": _NAME, "version": _VERSION, "directed": graph.directed})
    arrays = {"header": np.array(header), "indptr": graph.indptr, "indices": graph.indices}
    if graph.weights is not None:
        arrays["weights"] = graph.weights
    arrays["labels"] = graph.labels
    size = sum(array.nbytes for array in arrays.values())
    with zipfile.ZipFile(path, "w") as archive, progress("writing arrays", size) as advance:
        for name, array in arrays.items():
            _add(archive, f"{name}.npy", array)
            advance(array.nbytes)


def _add(archive: zipfile.ZipFile, name: str, array: AnyArray) -> None:
    """Add an array after an extra field that pads it to a boundary of the file."""
    assert archive.fp is not None
    start = archive.fp.tell() + _LOCAL_HEADER.size + len(name) + _PADDING.size + _ZIP64_FIELD
    padding = -start % _ALIGNMENT
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.extra = _PADDING.pack(_PADDING_ID, padding) + bytes(padding)
    with archive.open(entry, "w", force_zip64=True) as member:
        npy.write_array(member, array, version=(1, 0), allow_pickle=False)


def read(path: Path, options: ReadOptions) -> Graph:
    """Map a graph into memory; build it again where the options change its edges."""
    try:
        arrays = _mapped_arrays(path)
        header = parse_json(str(arrays.pop("header")))
        if header["format"] != _NAME:
            raise ValueError(f"another format: {header['format']}")
        if header["version"] > _VERSION:
            raise LenseError(f"{path} was written by a newer lense than this one: update lense to read it.")
        if not isinstance(header["directed"], bool):
            raise TypeError("a graph is directed or not")
        graph, loops, repeats = _checked_graph(path, arrays, header["directed"])
    except LenseError:
        raise
    except _DAMAGE as error:
        raise LenseError(f"{path} is not a graph that lense wrote, or it is damaged: write it again.") from error
    options.check_weights(path, graph.weights is not None)
    if not graph.directed and (one_way := first_one_way_arc(graph.indptr, graph.indices, graph.weights)):
        u, v = graph.labels[list(one_way)]
        raise LenseError(
            f"{path} says that it is undirected, but its edge from {u} to {v} is not the same the other way: write it "
            "again."
        )
    turned = options.directed not in (None, graph.directed)
    dropped = (loops and options.keep_self_loops is False) or (repeats and options.keep_duplicates is False)
    if turned or dropped:
        sources, targets, weights = graph.edges()
        return options.build(
            path,
            sources,
            targets,
            weights,
            graph.labels,
            directed=graph.directed,
            duplicates_kept=True,
            self_loops_kept=True,
        )
    return replace(
        graph, weights=None if options.weights is False else graph.weights, labels=options.as_asked(path, graph.labels)
    )


def _checked_graph(path: Path, arrays: dict[str, AnyArray], directed: bool) -> tuple[Graph, int, int]:
    """The graph, its self loops and its repeated arcs; ValueError where the arrays make none."""
    wrong = [name for name, array in arrays.items() if array.ndim != 1 or array.dtype != _DTYPES.get(name, array.dtype)]
    labels, indptr, indices = arrays["labels"], arrays["indptr"], arrays["indices"]
    weights = arrays.get("weights", np.empty(0, np.float32))
    if wrong or labels.dtype.kind not in "iuU" or indptr.size != labels.size + 1:
        raise ValueError("arrays of the wrong kind or size")
    if "weights" in arrays and weights.size != indices.size:
        raise ValueError("one weight for each arc is needed")
    loops, repeats = _count_if_sound(indptr, indices, weights)
    if loops < 0:
        raise ValueError("the arrays are not a CSR matrix")
    graph = Graph(indptr, indices, arrays.get("weights"), directed, check_labels(labels, path))
    return graph, loops, repeats


@kernel
def _count_if_sound(indptr: Int64s, indices: Int32s, weights: Float32s) -> tuple[int, int]:
    """Self loops and repeated arcs of sorted rows, or (-1, -1) where the arrays are not such."""
    num_vertices = indptr.size - 1
    if indptr[0] != 0 or indptr[num_vertices] != indices.size or not np.all(np.isfinite(weights)):
        return -1, -1
    loops = repeats = 0
    for v in range(num_vertices):
        if not indptr[v] <= indptr[v + 1] <= indices.size:
            return -1, -1
        last = -1
        for a in range(indptr[v], indptr[v + 1]):
            if not 0 <= indices[a] < num_vertices or indices[a] < last:
                return -1, -1
            loops += indices[a] == v
            repeats += indices[a] == last
            last = indices[a]
    return loops, repeats


def _mapped_arrays(path: Path) -> dict[str, AnyArray]:
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        names = [Path(entry.filename).stem for entry in archive.infolist()]
        if len(set(names)) < len(names):
            raise ValueError("two arrays have the same name")
        return {name: _mapped_array(memory, entry) for name, entry in zip(names, archive.infolist(), strict=True)}


def _mapped_array(memory: mmap.mmap, entry: zipfile.ZipInfo) -> AnyArray:
    if entry.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{entry.filename} is compressed")
    name_length, extra_length = _LOCAL_HEADER.unpack_from(memory, entry.header_offset)
    start = entry.header_offset + _LOCAL_HEADER.size + name_length + extra_length
    described = _NPY_HEADER.match(memory, start)
    if not described:
        raise ValueError(f"{entry.filename} is not an array of at most one dimension")
    dtype, size = np.dtype(described["dtype"].decode()), described["size"]
    flat = np.frombuffer(memory, dtype, int(size or 1), described.end())
    return flat if size else flat.reshape(())
