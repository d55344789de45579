"""Pruning as a transform of PyTorch Geometric."""

from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import Compose, Constant

from lense.graph import power_law, to_pyg
from lense.pruners.ranking import TopDegree
from lense.transforms import Prune


@pytest.fixture
def data() -> Any:
    made = to_pyg(power_law(400, 6, 2.4, np.random.default_rng(2)))
    arcs = made.edge_index.shape[1]
    return Data(
        edge_index=made.edge_index,
        num_nodes=400,
        x=torch.arange(400.0)[:, None],
        y=torch.arange(400),
        edge_attr=torch.stack([made.edge_index[0], made.edge_index[1]], 1).float(),
        edge_time=torch.arange(arcs),
        name="mine",
    )


def test_it_composes_and_cuts_attributes_down(data: Any) -> None:
    part = Compose([Prune("mvc", budget=5), Constant()])(data)
    assert 5 <= part.num_nodes < 400
    assert part.x.shape[1] == 2
    assert part.x[:, 0].long().tolist() == part.y.tolist() == part.labels.tolist()
    ends = part.y[part.edge_index].T.float()
    assert torch.equal(part.edge_attr, ends)
    assert part.name == "mine"
    assert data.num_nodes == 400


def test_any_pruner_may_be_given(data: Any) -> None:
    pruner = TopDegree("mvc", 5, vertices=30)
    assert Prune("mvc", 5, pruner=pruner)(data).y.tolist() == pruner.prune(data).graph.labels.tolist()
    drawn = Prune("im", 5, pruner=TopDegree("im", 5, vertices=30))(data).edge_weight
    assert set(drawn.tolist()) <= {float(np.float32(p)) for p in (0.1, 0.01, 0.001)}
