"""One HTML page about a model or about results; it needs no network and no other file."""

from lense.report.blocks import write_page
from lense.report.model import model_page, page_of, trial
from lense.report.results import results_page

__all__ = ["model_page", "page_of", "results_page", "trial", "write_page"]
