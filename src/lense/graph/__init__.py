"""Graphs: the type, files, converters, data sets, generators and the train/test split."""

from lense.graph.csr import Adjacency, Graph

__all__ = ["Adjacency", "Graph"]
