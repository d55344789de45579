"""One HTML page of a model or of results, whole in itself: it asks nothing of the network."""

from lense.report.model import model_page
from lense.report.page import write_page
from lense.report.results import results_page
from lense.report.trial import Trial, trial

__all__ = ["Trial", "model_page", "results_page", "trial", "write_page"]
