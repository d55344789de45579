"""One HTML page about a model or about results; it needs no network and no other file."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lense.report.blocks import write_page
    from lense.report.model import model_page, trial
    from lense.report.results import results_page

_HOME = {"model_page": "model", "trial": "model", "results_page": "results", "write_page": "blocks"}
__all__ = ["model_page", "results_page", "trial", "write_page"]


def __getattr__(name: str) -> Any:
    # on first use: a page of blocks needs neither the modules of a model nor those of experiments
    if name not in _HOME:
        raise AttributeError(f"module 'lense.report' has no attribute '{name}'")
    return getattr(import_module(f"lense.report.{_HOME[name]}"), name)
