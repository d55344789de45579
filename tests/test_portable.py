"""Nothing that Windows or macOS cannot run, read from the source: what only some systems have is asked for first."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "lense"
MODULES = {"fcntl", "grp", "msvcrt", "pwd", "resource", "termios"}
NAMES = {
    *("SIGKILL", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCHLD", "SIGPIPE", "SIGSTOP", "alarm", "setitimer"),
    *(
        "fork",
        "forkpty",
        "getuid",
        "geteuid",
        "getgid",
        "getpgid",
        "killpg",
        "kill",
        "mkfifo",
        "nice",
        "setsid",
        "wait4",
    ),
    *("sched_getaffinity", "sched_setaffinity", "statvfs", "pread", "posix_fadvise", "sysconf", "O_NOFOLLOW", "CDLL"),
}
OWNERS = {"os", "signal", "ctypes"}
QUESTIONS = ("sys.platform", "os.name", "hasattr(os")
"""What asks whether the system has something."""


def unguarded(tree: ast.AST, guarded: bool = False, inside: bool = False) -> Iterator[ast.AST]:
    """Uses outside any condition about the system; modules count unless they are imported where they are used."""
    for node in ast.iter_child_nodes(tree):
        asks = isinstance(tree, ast.If | ast.IfExp) and any(one in ast.unparse(tree.test) for one in QUESTIONS)
        is_sure = guarded or asks or _leaves_early(tree, node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and not is_sure:
            if node.value.id in OWNERS and node.attr in NAMES:
                yield node
        elif isinstance(node, ast.Import) and not inside and {name.name for name in node.names} & MODULES:
            yield node
        yield from unguarded(node, is_sure, inside or isinstance(node, ast.FunctionDef))


def _leaves_early(tree: ast.AST, node: ast.AST) -> bool:
    """Whether ``node`` follows "if os.name == ...: return" in the same function."""
    if not isinstance(tree, ast.FunctionDef) or not isinstance(node, ast.stmt):
        return False
    return any(
        isinstance(one, ast.If) and isinstance(one.body[-1], ast.Return) and "os.name" in ast.unparse(one.test)
        for one in tree.body[: tree.body.index(node) if node in tree.body else 0]
    )


def found() -> list[str]:
    trees = {path.relative_to(SOURCE): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
    return [f"{path}: {ast.unparse(node)}" for path, tree in trees.items() for node in unguarded(tree)]


def test_what_only_some_systems_have_is_asked_for_first() -> None:
    assert found() == []


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.fork()",
        "import fcntl",
        "def f():\n    import signal\n    return signal.SIGKILL",
        "import os\nif os.cpu_count() > 1:\n    os.getuid()",
    ],
)
def test_such_a_use_is_found(source: str) -> None:
    assert len(list(unguarded(ast.parse(source)))) == 1


def test_a_pipe_without_the_signs_that_are_printed_gets_others(tmp_path: Path) -> None:
    """As pipes of Windows, whose encoding has neither the bars of ``graph info`` nor every id."""
    graph = tmp_path / "graph.csv"
    graph.write_text("source,target\nλ,b\nb,c\n", encoding="utf-8")
    command = [sys.executable, "-m", "lense"]
    settings = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    for words in (("graph", "info"), ("solve", "--problem", "mvc", "--budget", "3")):
        done = subprocess.run([*command, *words, str(graph)], env=settings, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert b"?" in done.stdout
