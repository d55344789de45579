"""The models that come with the package: a core for each problem, named ``core-mvc``, and LeNSE, named ``wiki-mvc``."""

from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any

from lense._util.files import read_json
from lense.problems import Problem
from lense.pruners.model_files import SHIPPED, is_model, read_config, shipped_folders
from lense.pruners.registry import load

if TYPE_CHECKING:
    from lense.navigation.lense import LeNSE
    from lense.pruners.core import Core

DEFAULTS = {"mvc": "facebook-mvc", "bmc": "deezer-bmc", "im": "deezer-im"}
"""The LeNSE taken where none is named; ``python -m benchmarks.shipped`` shows how they and others do elsewhere."""


def shipped_core(problem: Problem) -> "Core | None":
    """The bundled core for ``problem``, if there is one."""
    found = _core_for(problem.name)
    return None if found is None else copy(found).set_params(problem=problem)


@cache
def _core_for(name: str) -> "Core | None":
    """Read once, since every solution asks for it."""
    folder = SHIPPED / f"core-{name}"
    return load(folder) if is_model(folder) else None


def shipped_model(problem: Problem, device: str = "cpu") -> "LeNSE | None":
    """The bundled LeNSE for ``problem``, if there is one."""
    name = DEFAULTS.get(problem.name)
    return None if name is None else load(SHIPPED / name, problem=problem, device=device)


def shipped_models() -> list[dict[str, Any]]:
    """What each bundled LeNSE was trained for; walks take the ``longest`` steps on much denser graphs."""
    found = []
    for folder in shipped_folders():
        config = read_config(folder)
        if config["pruner"] == "lense":
            trained_on, report = config["trained_on"], read_json(folder / "report.json")
            source = trained_on["source"]
            graph = source.get("graph") if isinstance(source, dict) else source
            found.append(
                {
                    "name": folder.name,
                    "problem": config["problem"],
                    "is_default": folder.name in DEFAULTS.values(),
                    "trained on": f"{graph}, {trained_on['edges']:,} edges",
                    "train_edges": trained_on["edges"],
                    "train_ratio": report["navigator"]["ratio"],
                    "budget": config["budget"],
                    "seed": config["params"]["seed"],
                    **{name: config["walks"][name] for name in ("roots", "steps", "longest")},
                }
            )
    return found


def shipped_cores() -> list[dict[str, Any]]:
    """What each bundled core was calibrated on."""
    found = []
    for folder in shipped_folders():
        if read_config(folder)["pruner"] == "core":
            core: Core = load(folder)
            budgets = core.calibration_.budgets
            found.append(
                {
                    "name": folder.name,
                    "problem": core.problem_.name,
                    "solver": core.problem_.solver,
                    "graphs_and_budgets": budgets.size,
                    "least_budget": int(budgets.min()),
                    "largest_budget": int(budgets.max()),
                    "keeps_correction": bool(core.report_["keeps_correction"]),
                }
            )
    return found
