"""Made-up records of comparisons, to test what is made of them."""

from typing import Any

from lense.experiments.comparison import WHOLE, Costs, OneGraph, PartSizes, PrunerFigures, Whole
from lense.experiments.store import Measures, Record, Size


def measured(*parts: tuple[float, float]) -> Measures:
    ratios, pruned = (list(values) for values in zip(*parts, strict=True))
    return Measures(ratios, pruned, [share / 2 for share in pruned], [0.5] * len(parts))


def record(
    pruner: str, seed: int, *parts: tuple[float, float], fit: float | None = 2.0, **changes: Any
) -> Record[PrunerFigures]:
    count = len(parts)
    figures = PrunerFigures(
        Costs(fit, None if fit is None else 2**21),
        Costs(0.25, 2**20),
        PartSizes([40] * count, [90] * count, [20] * count),
        {"vertices": 40, "roots": 20},
        measured(*parts),
        measured(*parts),
    )
    names: dict[str, Any] = {"graph": "graph.txt", "problem": "mvc", "seed": seed, "variant": pruner}
    return Record(**{**names, "budget": 10, "episodes": 2, "figures": figures, **changes})


def failed(pruner: str, seed: int) -> Record[PrunerFigures]:
    return record(pruner, seed, (1, 1), figures=None, error="There is no such thing.")


def whole(vertices: int, seconds: float, seed: int = 0, **changes: Any) -> Record[Any]:
    figures = Whole(Size(9, 9), Size(vertices, 100), "greedy", 1.0, 0.0, seconds, [0] * 5)
    return record(WHOLE, seed, (1, 1), **{"figures": figures, **changes})


WHOLES = [whole(50, 3.0), whole(100, 5.0, 1)]


def rows(*records: Record[Any]) -> list[Any]:
    return OneGraph(records).rows
