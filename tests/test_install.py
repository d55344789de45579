"""The wheel in a fresh environment without torch: what a plain ``pip install lense`` can do, and what it cannot."""

import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest

import lense
from tests.skips import NO_BUILD

ROOT = Path(__file__).parents[1]
LEARN = ("torch", "torch_geometric", "sklearn")
BLOCK = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {LEARN!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
import importlib.util
known = importlib.util.find_spec
def find_spec(name, package=None):
    return None if name.partition(".")[0] in {LEARN!r} else known(name, package)
importlib.util.find_spec = find_spec
"""
"""Code that an environment runs at its start, so that it has no torch though it sees the packages of this one."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment with the wheel, the dependencies of this one, and nothing of the extra learn."""
    folder = tmp_path_factory.mktemp("install")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    if subprocess.run(build, capture_output=True, check=False).returncode:
        pytest.skip(NO_BUILD)
    (wheel,) = folder.glob("lense-*.whl")
    venv.create(folder / "env", symlinks=True)
    packages = next((folder / "env").glob("**/site-packages"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(packages), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    (packages / "others.pth").write_text(f"{Path(np.__file__).parents[1]}\n")
    (packages / "sitecustomize.py").write_text(BLOCK)
    return folder


COMMANDS = """
import sys
import lense
from lense.cli import main

print(lense.__file__, file=sys.stderr)
for words in sys.argv[1:]:
    try:
        main(words.split())
    except SystemExit as end:
        if end.code:
            raise
"""


def run(installed: Path, *commands: str) -> subprocess.CompletedProcess[str]:
    """Commands one after the other in one process, so that kernels are compiled once, until one fails."""
    python = next(one for one in (installed / "env").glob("*/python*") if one.is_file())
    command = [str(python), "-c", COMMANDS, *commands]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=installed, env={"PATH": ""})


@pytest.fixture(scope="module")
def task(installed: Path) -> str:
    """A graph file and a problem, as every command takes them."""
    rng = np.random.default_rng(0)
    (installed / "g.txt").write_text("".join(f"{u} {v}\n" for u, v in rng.integers(0, 900, (3000, 2))))
    return "g.txt --problem mvc --budget 5"


def test_a_plain_install_solves_prunes_and_advises(installed: Path, task: str) -> None:
    others = f"advise {task}", "demo --vertices 900"
    done = run(installed, f"solve {task} --json", f"prune {task} --out part.txt --quiet", *others)
    assert done.returncode == 0, done.stderr
    assert str(installed) in done.stderr
    assert '"certified"' in done.stdout
    assert (installed / "part.txt").is_file()


def test_the_bundled_policies_of_lense_need_no_torch(installed: Path, task: str) -> None:
    done = run(
        installed,
        f"prune {task} --pruner lense --out walked.txt --quiet",
        "prune g.txt --model wiki-im --out other.txt --swaps 2 --quiet",
        f"solve {task} --pruner lense --prune --json",
        "evaluate --model wiki-mvc --graph g.txt --episodes 2 --json",
    )
    assert done.returncode == 0, done.stderr
    assert '"pruner": "lense"' in done.stdout
    assert '"rank_walk"' in done.stdout
    here = lense.load("facebook-mvc").prune(installed / "g.txt", budget=5)
    kept = lense.open_graph(installed / "walked.txt")
    assert sorted(kept.labels) == sorted(here.graph.labels)


def test_a_comparison_of_all_pruners_leaves_out_those_that_need_torch(installed: Path, task: str) -> None:
    done = run(installed, f"compare {task} --pruners all --seeds 1 --episodes 1 --out compared")
    assert done.returncode == 0, done.stderr
    assert "'lense[learn]': lense, combhelper" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        "train {task} --pruner lense --out new",
        "train {task} --pruner lense --set epochs=3 --out new",
        "train {task} --pruner gnn-r --out new",
        "prune {task} --pruner lense --device cuda --out new.txt",
        "report wiki-mvc --out new",
        "reproduce walk --graphs g.txt --problems mvc --out new",
    ],
)
def test_what_needs_the_extra_says_so_in_a_sentence(installed: Path, task: str, command: str) -> None:
    done = run(installed, command.format(task=task))
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'lense[learn]'" in done.stderr
    assert done.stderr.count("\n") == 2, "the first line says where lense is"
    assert list(installed.glob("new*")) == []


def test_the_models_and_the_types_are_in_the_wheel(installed: Path) -> None:
    packages = next((installed / "env").glob("**/site-packages"))
    assert (packages / "lense" / "py.typed").is_file()
    assert (packages / "lense" / "models" / "core-mvc" / "config.json").is_file()
