"""The command and the Python lines that do what a job did."""

from shlex import quote

from lense.app.asking import AUTO, EXACT, WHOLE, Compare, Generated, Solve, Task
from lense.app.looking import settings_of

_FILE = "graph.npz"
COMPARED_SEEDS, COMPARED_EPISODES = 1, 3


def recipe(task: Task) -> dict[str, str]:
    """``command`` and ``python``; a comparison is a command alone."""
    if isinstance(task.ask, Compare):
        return {"command": _compare_command(task, task.ask)}
    assert isinstance(task.ask, Solve)
    return {"command": _solve_command(task, task.ask), "python": _solve_python(task, task.ask)}


def _graph(task: Task) -> tuple[list[str], str]:
    """Commands that make the graph, and what the graph is then called."""
    graph = task.ask.graph
    if not isinstance(graph, Generated):
        return [], task.title
    values = " ".join(f"--set {name}={value:g}" for name, value in settings_of(graph).items())
    return [f"lense graph generate {graph.generator} {_FILE} {values} --seed {graph.seed}"], _FILE


def _problem(task: Task, ask: Solve | Compare) -> str:
    """What a shell calls the problem: its name, or the file that the page was started with."""
    return quote(task.own.problems.get(ask.problem, ask.problem))


def _reading(task: Task) -> list[str]:
    reading = task.ask.reading
    words = [] if reading.directed is None else ["--directed" if reading.directed else "--undirected"]
    words += [f"--columns {quote(reading.columns)}"] if reading.columns else []
    words += [] if reading.ids == "auto" else [f"--ids {reading.ids}"]
    return [*words, *([] if reading.weights else ["--no-weights"])]


def _solve_command(task: Task, ask: Solve) -> str:
    made, name = _graph(task)
    how = {AUTO: f"--target {ask.target:g}", WHOLE: "--no-prune", EXACT: f"--exact --time-limit {ask.seconds:g}"}
    how["core"] = f"--prune --target {ask.target:g}"
    words = [
        f"lense solve {quote(name)} --problem {_problem(task, ask)} --budget {ask.budget}",
        f"--solver {quote(ask.solver)}",
        how.get(ask.way, f"--pruner {quote(task.own.pruners.get(ask.way, ask.way))}"),
        *_reading(task),
        f"--seed {ask.seed}",
    ]
    return "\n".join([*made, " ".join(words)])


def _solve_python(task: Task, ask: Solve) -> str:
    lines, graph = ["import lense"], repr(task.title)
    options = task.ask.reading.options()
    if isinstance(ask.graph, Generated):
        values = ", ".join(f"{name}={value:g}" for name, value in settings_of(ask.graph).items())
        name = ask.graph.generator.replace("-", "_")
        lines = ["import numpy as np", "import lense", "", f"rng = np.random.default_rng({ask.graph.seed})"]
        lines.append(f"graph = lense.graph.{name}({values}, rng=rng)")
        graph = "graph"
    elif options:
        arcs = ["arcs=True"] if ask.problem == "im" else []
        given = ", ".join([graph, *arcs, *(f"{name}={value!r}" for name, value in options.items())])
        lines, graph = [*lines, f"graph = lense.open_graph({given})"], "graph"
    how = {AUTO: f"target={ask.target:g}", WHOLE: "prune=False", "core": f"prune=True, target={ask.target:g}"}
    how[EXACT] = f"exact=True, time_limit={ask.seconds:g}"
    problem, pruner = task.own.problems.get(ask.problem, ask.problem), task.own.pruners.get(ask.way, ask.way)
    call = f"{graph}, {problem!r}, {ask.budget}, {ask.solver!r}, {how.get(ask.way, f'pruner={pruner!r}')}"
    seed = f", seed={ask.seed}" if ask.seed else ""
    shown = "print(answer.vertices, answer.score, answer.certified, answer.reason)"
    return "\n".join([*lines, f"answer = lense.solve({call}{seed})", shown])


def _compare_command(task: Task, ask: Compare) -> str:
    from lense.pruners.shipped import DEFAULTS

    made, name = _graph(task)
    pruners = [task.own.pruners.get(one, one) for one in ask.pruners]
    model = [f"--model {DEFAULTS[ask.problem]}"] if "lense" in ask.pruners and ask.problem in DEFAULTS else []
    words = [
        f"lense compare {quote(name)} --problem {_problem(task, ask)} --budget {ask.budget}",
        f"--set solver={quote(ask.solver)} --pruners {quote(','.join(pruners))}",
        *model,
        *_reading(task),
        f"--seeds {COMPARED_SEEDS} --episodes {COMPARED_EPISODES} --seed {ask.seed} --out comparison",
    ]
    return "\n".join([*made, " ".join(words)])
