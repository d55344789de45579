"""The hyper-parameters of LeNSE together: the paper's values for its graphs, and values for any other graph."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, get_type_hints

from lense._util.options import converted
from lense.errors import LenseError, choose
from lense.navigation.encoder_training import EncoderSettings
from lense.navigation.labels import LabelSettings
from lense.navigation.looks import QSettings
from lense.paper import HYPERPARAMETERS, PAPER_CHOICES

PRESETS = ("auto", "quick", "paper", "literal")
_SMALL_GRAPH = 6000


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that training depends on besides the graph, the problem, the budget and the seed."""

    labels: LabelSettings = field(default_factory=LabelSettings)
    encoder: EncoderSettings = field(default_factory=EncoderSettings)
    q_learning: QSettings = field(default_factory=QSettings)

    def changed(self, **changes: Any) -> "Settings":
        """These settings with others in place of some, by their names; text becomes what the field asks for."""
        for name in changes:
            choose(name, SETTING_NAMES, "setting")
        parts = {}
        for part in fields(self):
            own = getattr(self, part.name)
            hints = get_type_hints(type(own))
            values = {name: _value(name, value, hints[name]) for name, value in changes.items() if name in hints}
            parts[part.name] = replace(own, **values)
        return Settings(**parts)

    def as_dict(self) -> dict[str, Any]:
        """All settings by name, in types that JSON knows."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for part in asdict(self).values()
            for name, value in part.items()
        }


SETTING_NAMES: Mapping[str, str] = MappingProxyType(
    {name: part for part, values in asdict(Settings()).items() for name in values}
)
"""The names of all settings, and to what they belong."""


def preset_settings(preset: str, problem: str, paper_graph: str | None, num_vertices: int, budget: float) -> Settings:
    """The settings of a preset: by the paper's graph of that name, or by the size of the train graph and the budget."""
    choose(preset, dict.fromkeys(PRESETS), "preset")
    if preset == "auto":
        return auto_settings(num_vertices, budget)
    if preset == "quick":
        return quick_settings(num_vertices, budget)
    if paper_graph is None:
        raise LenseError(f"The preset {preset} is for the paper's graphs: name one as paper_graph, or take auto.")
    return paper_settings(problem, paper_graph, literal=preset == "literal")


def paper_settings(problem: str, graph: str, *, literal: bool = False) -> Settings:
    """The paper's hyper-parameters for one of its graphs, and if ``literal``, its choices in everything else too."""
    rows = {name: row for (its_problem, name), row in HYPERPARAMETERS.items() if its_problem == problem}
    if not rows:
        raise LenseError(f"The paper has no hyper-parameters for the problem {problem}: use the preset auto.")
    if graph not in rows:
        raise LenseError(
            f"The paper has no hyper-parameters for {problem} on '{graph}', only on {', '.join(rows)}: "
            "use the preset auto."
        )
    settings = Settings().changed(**rows[graph]._asdict())
    return settings.changed(**PAPER_CHOICES) if literal else settings


def auto_settings(num_vertices: int, budget: float) -> Settings:
    """Settings for an unknown train graph: three to twelve roots for each vertex of the solution, as far as there are.

    Sizes follow the paper's rows for b = 100: M = 300 roots for train graphs of a few thousand vertices and 1,000 for
    some 60,000, so M grows with the square root of the vertices. In a large graph few roots have few neighbours among
    its many vertices, and hardly any of those that matter. A walk gets as many steps as there are roots, so that each
    can be exchanged once, and training the paper's 20,000.
    """
    most = num_vertices // 3
    per_choice = min(max(3 * (num_vertices / _SMALL_GRAPH) ** 0.5, 3), 12)
    roots = int(min(max(per_choice * budget, 30), max(most, budget + 1)))
    return Settings().changed(roots=roots, test_steps=max(roots, 100))


def quick_settings(num_vertices: int, budget: float) -> Settings:
    """As :func:`auto_settings`, but learnt in a minute or two: fewer samples, epochs and steps."""
    return auto_settings(num_vertices, budget).changed(
        samples_per_class=20, epochs=40, patience=10, train_steps=300, update_every=10, looks=3
    )


def _value(name: str, value: Any, hint: Any) -> Any:
    if name != "cutoffs":
        return converted(name, value, hint)
    try:
        return tuple(float(part) for part in (value.split(",") if isinstance(value, str) else value))
    except (TypeError, ValueError) as error:
        raise LenseError(f"The setting {name} takes numbers separated by commas, not '{value}'.") from error
