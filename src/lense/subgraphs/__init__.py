"""Subgraphs of a big graph: the map from vertex sets to subgraphs, and labelled samples to learn from."""

from lense.subgraphs.induce import GraphTensors, Subgraph, SubgraphBatch, induce, kept_part, subgraph
from lense.subgraphs.labelled import LabelledSubgraphs, label_subgraphs
from lense.subgraphs.room import Room

__all__ = [
    "GraphTensors",
    "LabelledSubgraphs",
    "Room",
    "Subgraph",
    "SubgraphBatch",
    "induce",
    "kept_part",
    "label_subgraphs",
    "subgraph",
]
