"""The hyper-parameters of LeNSE, the paper's values for its graphs, and values for any other graph."""

from dataclasses import dataclass, fields, replace
from typing import Any, get_type_hints

from lense.errors import LenseError, choose
from lense.paper import CUTOFFS as PAPER_CUTOFFS
from lense.paper import HYPERPARAMETERS, RESULTS

CUTOFFS = (0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.4)
"""The paper's three, 0.95, 0.8 and 0.6, and more between, above and below, so that a walk crosses no wide class."""
LOSS_NAMES = ("infonce", "ranked", "cross-entropy", "ordinal")
KEEPS = {
    "ratio": "the one with the smallest subgraphs of those whose ratio is enough or within 0.005 of the best",
    "distance": "the one that ends nearest the goal",
    "last": "the last one, as in the paper",
}
"""Which of the policies looked at during training is kept, by its walks on the train graph."""
PRIORS = {
    "equal": "it is looked at, and kept or not as any other policy",
    "preferred": "it is kept if its ratio is enough or no policy learnt has over 0.01 more",
    "auto": "preferred if most of the train graph's vertices lie outside its largest component, else equal",
    "never": "there is none, as in the paper",
}
"""What becomes of the policy that nothing is learnt for: the swap that gains most in the feature that tells the
solution best."""


PRESETS = ("auto", "quick", "paper", "literal")
_FEWEST_SAMPLES = 100
_SMALL_GRAPH = 6000
_FLATTERY = 0.01


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that training depends on besides the graph, the problem, the budget and the seed.

    The paper's symbols: ``roots`` M, ``samples_per_class`` n, ``vertex_dim`` d', ``embedding_dim`` d, ``train_steps``
    and ``test_steps`` T, ``episodes`` N', ``guidance`` alpha, ``update_every`` c, ``reward_scale`` beta, ``gamma``.
    Where this package departs from the paper there is a switch: more classes (``cutoffs``) and root sets with ``hubs``
    in a share of the samples, vertex features told by their ``ranks``, an encoder that ``marks_roots``, a ``loss`` that
    knows the order of the classes, ``normalised`` embeddings of length 1, rewards ``shaped`` by what a swap gains,
    walks that start anew every ``restart`` steps, some of them from labelled samples (``sampled_starts``), a Q-network
    that judges a swap by its two vertices alone unless it ``sees_subgraph``, ``double_q`` learning, ``huber`` instead
    of squared loss, ``bootstrap_end`` for a time limit that is no terminal state, and which policy to ``keep`` by its
    walks on the train graph: see ``KEEPS``; one of them, the ``prior``, is there before anything is learnt: see
    ``PRIORS``. Kept by ratio, a policy's walks stop after fewer than ``test_steps`` steps if the ratio is ``enough`` by
    then, and after two for each root at the latest.
    """

    roots: int = 300
    samples_per_class: int = 100
    cutoffs: tuple[float, ...] = CUTOFFS
    hubs: float = 0.5

    ranks: bool = True
    vertex_dim: int = 30
    embedding_dim: int = 10
    loss: str = "ranked"
    normalised: bool = True
    marks_roots: bool = True
    epochs: int = 100
    patience: int = 20

    train_steps: int = 2000
    episodes: int = 10
    side_by_side: int = 10
    guidance: float = 0.1
    update_every: int = 20
    reward_scale: float = 20.0
    gamma: float = 0.9
    replay: int = 25_000
    restart: int = 100
    sampled_starts: bool = True
    shaped: bool = True
    sees_subgraph: bool = False
    prior: str = "auto"
    double_q: bool = True
    huber: bool = True
    bootstrap_end: bool = True
    keep: str = "ratio"
    enough: float = 0.97
    looks: int = 10

    test_steps: int = 300

    def __post_init__(self) -> None:
        for name, low, high in _RANGES:
            if not low <= getattr(self, name) <= high:
                raise LenseError(
                    f"The setting {name} must lie between {low:g} and {high:g}, not {getattr(self, name)}."
                )
        choose(self.keep, KEEPS, "policy to keep")
        choose(self.prior, PRIORS, "use of a prior")
        choose(self.loss, dict.fromkeys(LOSS_NAMES), "loss")
        if any(not 0 < cutoff < 2 for cutoff in self.cutoffs):
            raise LenseError(f"The cut-offs between classes are ratios near 1, not {self.cutoffs}.")

    def changed(self, **changes: Any) -> "Settings":
        """These settings with others in place of some; text becomes what the field asks for."""
        from lense.options import converted

        hints = get_type_hints(Settings)
        known = {field.name: hints[field.name] for field in fields(self)}
        kinds = {name: choose(name, known, "setting") for name in changes}
        values: dict[str, Any] = {
            name: _numbers(name, value) if name == "cutoffs" else converted(name, value, kinds[name])
            for name, value in changes.items()
        }
        return replace(self, **values)

    @property
    def literal(self) -> "Settings":
        """The same with every switch at the paper's choice."""
        return replace(
            self,
            cutoffs=PAPER_CUTOFFS,
            hubs=0.0,
            ranks=False,
            loss="infonce",
            normalised=False,
            marks_roots=False,
            restart=10**9,
            sampled_starts=False,
            shaped=False,
            sees_subgraph=True,
            prior="never",
            double_q=False,
            huber=False,
            gamma=0.995,
            bootstrap_end=False,
            keep="last",
        )


_RANGES = (
    ("roots", 2, 1e9),
    ("samples_per_class", 10, 1e6),
    ("hubs", 0, 1),
    ("vertex_dim", 1, 4096),
    ("embedding_dim", 1, 4096),
    ("epochs", 1, 1e6),
    ("patience", 1, 1e6),
    ("train_steps", 1, 1e9),
    ("episodes", 1, 1e6),
    ("restart", 1, 1e9),
    ("side_by_side", 1, 1e4),
    ("guidance", 0, 1),
    ("update_every", 1, 1e9),
    ("reward_scale", 1e-6, 1e6),
    ("gamma", 0, 0.9999),
    ("replay", 1, 1e8),
    ("looks", 1, 1e4),
    ("enough", 0, 2),
    ("test_steps", 0, 1e9),
)


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
    """The paper's hyper-parameters for one of its graphs, with the switches of this package at their defaults.

    With those of the paper if ``literal``; else there are more classes than its four, and of each 100 samples, or as
    many as make its number in all; and walks stop when on the train graph they reach the paper's ratio and a little
    more, since the best of several looks is flattered.
    """
    rows = {name: row for (its_problem, name), row in HYPERPARAMETERS.items() if its_problem == problem}
    if not rows:
        raise LenseError(f"The paper has no hyper-parameters for the problem {problem}: use the preset auto.")
    if graph not in rows:
        raise LenseError(
            f"The paper has no hyper-parameters for {problem} on '{graph}', only on {', '.join(rows)}: "
            "use the preset auto."
        )
    row, published = rows[graph]._asdict(), RESULTS.get((problem, graph))
    enough = Settings.enough if published is None else published.ratio + _FLATTERY
    if literal:
        return Settings(**row, enough=enough).literal
    samples = row.pop("samples_per_class") * (len(PAPER_CUTOFFS) + 1) // (len(CUTOFFS) + 1)
    return Settings(**row, samples_per_class=max(samples, _FEWEST_SAMPLES), enough=enough)


def auto_settings(num_vertices: int, budget: float) -> Settings:
    """Settings for an unknown train graph: three to twelve roots for each vertex of the solution, as far as there are.

    Sizes follow the paper's rows for b = 100: M = 300 roots for train graphs of a few thousand vertices and 1,000 for
    some 60,000, so M grows with the square root of the vertices. In a large graph few roots have few neighbours among
    its many vertices, and hardly any of those that matter: on web-Google's train side, of 290,000, always the largest
    gain in degree comes to a ratio of 0.26 for bmc with 300 roots and as many steps, and to 0.79 with 1,200. A walk
    gets as many steps as there are roots, so that each can be exchanged once, and training the paper's 20,000.
    """
    most = num_vertices // 3
    per_choice = min(max(3 * (num_vertices / _SMALL_GRAPH) ** 0.5, 3), 12)
    roots = int(min(max(per_choice * budget, 30), max(most, budget + 1)))
    return Settings(roots=roots, test_steps=max(roots, 100), train_steps=2000, vertex_dim=30, embedding_dim=10)


def quick_settings(num_vertices: int, budget: float) -> Settings:
    """As :func:`auto_settings`, but learnt in a minute or two: fewer samples, epochs and steps."""
    return replace(
        auto_settings(num_vertices, budget),
        samples_per_class=20,
        epochs=40,
        patience=10,
        train_steps=300,
        update_every=10,
        looks=3,
    )


def _numbers(name: str, value: Any) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in (value.split(",") if isinstance(value, str) else value))
    except (TypeError, ValueError) as error:
        raise LenseError(f"The setting {name} takes numbers separated by commas, not '{value}'.") from error
