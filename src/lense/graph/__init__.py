"""Graphs: the type, files, converters, data sets, generators and the train/test split."""

from lense.graph import convert
from lense.graph.adapters import AnyGraph, open_graph
from lense.graph.convert import *  # noqa: F403
from lense.graph.csr import Graph
from lense.graph.datasets import DATASETS, Dataset, available, find_dataset, graph_files, load_dataset
from lense.graph.download import download_dataset
from lense.graph.files import read_graph, write_graph
from lense.graph.generate import GENERATORS, barabasi_albert, planted_communities, power_law, rmat
from lense.graph.labels import relabel
from lense.graph.scan import Scan, scan
from lense.graph.split import split
from lense.graph.subgraph import Subgraph, kept_part, shares_pruned, subgraph
from lense.graph.truncated import TruncatedGraph

__all__ = [
    "DATASETS",
    "GENERATORS",
    "AnyGraph",
    "Dataset",
    "Graph",
    "Scan",
    "Subgraph",
    "TruncatedGraph",
    "available",
    "barabasi_albert",
    "download_dataset",
    "find_dataset",
    "graph_files",
    "kept_part",
    "load_dataset",
    "open_graph",
    "planted_communities",
    "power_law",
    "read_graph",
    "relabel",
    "rmat",
    "scan",
    "shares_pruned",
    "split",
    "subgraph",
    "write_graph",
]
__all__ += convert.__all__
