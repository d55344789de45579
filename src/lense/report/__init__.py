"""One HTML page of a model or of results, whole in itself: it asks nothing of the network."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lense.report.model import model_page
    from lense.report.page import write_page
    from lense.report.results import results_page
    from lense.report.trials import Trial, trial

_HOME = {"model_page": "model", "write_page": "page", "results_page": "results", "Trial": "trials", "trial": "trials"}
__all__ = ["Trial", "model_page", "results_page", "trial", "write_page"]


def __getattr__(name: str) -> Any:
    # on first use, since walks need torch, and a page of blocks does not
    if name not in _HOME:
        raise AttributeError(f"module 'lense.report' has no attribute '{name}'")
    return getattr(import_module(f"lense.report.{_HOME[name]}"), name)
