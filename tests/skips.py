"""Why tests are skipped, as sentences that say what to do about it."""

import os

import pytest

NO_DATA = "Set LENSE_DATA to a folder with the paper's graphs, which `lense data get` fetches."
NO_TABLES = "The paper's tables are part of no release: put them into a folder `paper` beside the one in LENSE_DATA."
NO_BROWSER = "Install chromium, so that pages can be opened in a browser."
NO_GPU = "Run this on a machine with a GPU that torch can use."
A_GPU = "Hide the GPU by an empty CUDA_VISIBLE_DEVICES, since this is about machines without one."
NO_NETWORKX = "Install networkx (pip install lense[convert])."
NO_IGRAPH = "Install igraph (pip install lense[convert])."
NO_NETWORKIT = "Install networkit (pip install networkit)."
NO_PANDAS = "Install pandas (pip install lense[convert])."
NO_TENSORBOARD = "Install tensorboard (pip install lense[tensorboard])."
NO_BUILD = "Let pip reach a package index, or install hatchling, so that a wheel can be built."
NO_DASK = "Install Dask (pip install lense[dask])."
needs_data = pytest.mark.skipif(not os.environ.get("LENSE_DATA"), reason=NO_DATA)
