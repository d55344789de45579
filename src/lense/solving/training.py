"""Split a graph into one to train and one to test on, and train any pruner."""

import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from inspect import signature
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from lense._util.environment import need_learn
from lense._util.files import check_folder, held, system_errors
from lense._util.options import with_seed
from lense.errors import LenseError, choose
from lense.graph import DATASETS, AnyGraph, Graph, open_graph
from lense.graph import split as split_edges
from lense.graph.datasets import is_dataset
from lense.navigation.lense import LeNSE
from lense.problems import Problem
from lense.pruners import Pruner, get_pruner, pruner_class
from lense.pruners.model_files import is_model, read_config
from lense.pruners.registry import pruner_parameters
from lense.solving.options import READING, AnyProblem, named_problem, shared_settings


def split(
    graph: AnyGraph,
    train_fraction: float | None = None,
    seed: int = 0,
    *,
    problem: AnyProblem | None = None,
    settings: Mapping[str, Any] | None = None,
    **given: Any,
) -> tuple[Graph, Graph]:
    """Split the edges of a graph at random into a train graph and a test graph.

    Parameters
    ----------
    graph
        Anything :func:`lense.open_graph` takes.
    train_fraction
        The share of the edges to train on; by default the paper's, for its graphs.
    seed
        The seed of the draw, and of a problem that draws edge probabilities.
    problem
        Read the graph as this problem does: for im each line is an arc, and probabilities are drawn on the whole graph.
    settings
        Settings of the problem by name.
    **given
        For a file, options of :func:`lense.read_graph`.

    Returns
    -------
    tuple[Graph, Graph]
        The train graph and the test graph. Each has only the vertices that its edges touch, and keeps weights, labels,
        repeated edges and self-loops.

    Raises
    ------
    LenseError
        For a fraction that is missing or leaves a side without edges, and for settings without a problem.

    Examples
    --------
    >>> import lense
    >>> lense.split([(0, 1), (1, 2), (2, 3), (3, 4)], 0.25)
    (Graph(2 vertices, 1 edges, undirected), Graph(4 vertices, 3 edges, undirected))
    """
    if settings and problem is None:
        raise LenseError("settings= are those of a problem: name one with problem=.")
    task = None if problem is None else named_problem(problem, settings or {}, seed)
    arcs = task is not None and task.uses_direction
    whole = open_graph(graph, arcs=arcs, **given)
    if train_fraction is None:
        if not is_dataset(graph):
            raise LenseError("Missing train_fraction=: the share of the edges to train on.")
        train_fraction = DATASETS[graph].train_fraction(arcs=arcs)
    return split_edges(whole if task is None else task.prepare(whole), train_fraction, seed)


def train(
    graph: Any,
    problem: AnyProblem = "mvc",
    budget: float = 100,
    *,
    pruner: str | type[Pruner] = "core",
    preset: str = "auto",
    device: str = "auto",
    seed: int = 0,
    out: str | PathLike[str] | None = None,
    force: bool = False,
    checkpoint: str | PathLike[str] | None = None,
    tensorboard: str | PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    **given: Any,
) -> Pruner:
    """Train a pruner on a graph, to prune graphs like it.

    Parameters
    ----------
    graph
        Anything :func:`lense.open_graph` takes. Of one of the paper's graphs, by its name, the train side of its split
        is used.
    problem, budget
        What to solve, and how many vertices a solution has.
    pruner
        The name of a pruner or a class: "core" learns in seconds, "lense" is the paper's.
    preset
        The hyper-parameters of LeNSE: "auto" to fit the graph, "quick" for a minute or two, "paper" for one of the
        paper's graphs, "literal" for the same with every choice the paper's.
    device
        Where torch runs: "cpu", "cuda", or "auto" for a GPU if there is one.
    seed
        Of all random numbers; the same seed trains the same model.
    out
        The folder to write the model to. A model there is replaced if it is for the same pruner and problem.
    force
        Replace any model in ``out``.
    checkpoint
        The folder that keeps an unfinished training of LeNSE, beside ``out`` by default. The same call after an
        interruption continues to the same model.
    tensorboard
        A folder to log a training of LeNSE to.
    settings
        Settings of the pruner or of the problem by name.
    **given
        For a file, options of :func:`lense.read_graph`; all others are ``settings``.

    Returns
    -------
    Pruner
        The fitted pruner.

    Raises
    ------
    LenseError
        For a pruner that does not learn, and for input that cannot be used.

    Examples
    --------
    >>> import lense, numpy as np
    >>> graph = lense.graph.barabasi_albert(300, 3, np.random.default_rng(0))
    >>> lense.train(graph, "mvc", 5, pruner="rank-walk")
    RankWalk(problem='mvc', budget=5, fitted)
    """
    kind, given = pruner_class(pruner), with_seed(given)
    seed = given.pop("seed", seed)
    known, follows = pruner_parameters(kind), signature(kind.fit_graph).parameters
    follow = {"checkpoint": checkpoint, "tensorboard": tensorboard}
    unused = [name for name, value in follow.items() if value is not None and name not in follows]
    unused += ["preset"] if preset != "auto" and "preset" not in known else []
    if unused:
        raise LenseError(f"The pruner {kind.name} does not use {' and '.join(unused)}: leave it out, or train lense.")
    if kind.needs_learn:
        need_learn(f"Training {kind.get_title()}")
    reading = {name: given.pop(name) for name in READING if name in given}
    of_pruner, of_problem = shared_settings({**given, **(settings or {})}, problem, kind)
    task, paper_graph = named_problem(problem, of_problem, seed), graph if is_dataset(graph) else None
    params = {"seed": seed, "device": device, "preset": preset, "paper_graph": paper_graph}
    params = {name: value for name, value in params.items() if name in known}
    params |= {"settings": of_pruner} if issubclass(kind, LeNSE) else of_pruner
    if issubclass(kind, LeNSE):
        check_preset(preset, paper_graph)
    made = get_pruner(kind, task, budget, **params)
    if not made.learns:
        raise LenseError(f"The pruner {kind.name} learns nothing: prune with it at once.")
    place = None if out is None else Path(out)
    stages = None if checkpoint is None else Path(checkpoint)
    if place is not None:
        check_folder(place, "config.json", "model")
        if not force:
            _check_kind(place, made)
        if "checkpoint" in follows and stages is None:
            stages = place.absolute().with_name(f"{place.absolute().name}.training")
    if stages is not None:
        check_folder(stages, "training.json", "interrupted training")
    learnt_from = _train_graph(graph, task, reading, seed)
    source = {"source": _source(graph, seed), "checkpoint": stages, "tensorboard": tensorboard}
    with ExitStack() as holding:
        for folder in {one.absolute() for one in (place, stages) if one is not None}:
            holding.enter_context(held(folder, "training"))
        made.fit(learnt_from, prepared=True, **{name: value for name, value in source.items() if name in follows})
        if place is not None:
            with system_errors(place, "written"):
                made.save(place, beside=made.save_pictures if isinstance(made, LeNSE) else None)
            if stages is not None:
                shutil.rmtree(stages, ignore_errors=True)
    return made


def check_preset(preset: str, paper_graph: str | None) -> None:
    """Raise if there is no such preset of LeNSE, or it is for the paper's graphs and this is none of them."""
    from lense.navigation.training import PRESETS

    choose(preset, dict.fromkeys(PRESETS), "preset")
    if preset in ("paper", "literal") and paper_graph is None:
        raise LenseError(f"The preset {preset} is for the paper's graphs: name one of them, or take the preset auto.")


def _check_kind(out: Path, model: Pruner) -> None:
    """Raise if there is a model in ``out`` that is for another pruner or problem."""
    if not is_model(out):
        return
    try:
        config = read_config(out)
        found = f"{config.get('pruner', 'lense')} for {config.get('problem')}"
    except LenseError:
        found = "unreadable"
    if found != f"{model.name} for {model.problem_.name}":
        raise LenseError(f"{out} holds another model ({found}): add force=True, or choose another folder.")


def _train_graph(graph: Any, problem: Problem, reading: dict[str, Any], seed: int) -> Graph:
    """What to learn from, prepared for the problem."""
    if is_dataset(graph):
        return split(graph, None, seed, problem=problem, **reading)[0]
    return problem.prepare(open_graph(graph, arcs=problem.uses_direction, **reading))


def _source(graph: Any, seed: int) -> dict[str, Any] | None:
    """What the model's configuration says about its train graph; no folders, which are private."""
    if not isinstance(graph, str | PathLike):
        return None
    of_paper = is_dataset(graph)
    part = "train side of the paper's split" if of_paper else "whole"
    return {"graph": Path(fspath(graph)).name, "part": part, "split_seed": seed if of_paper else None}
