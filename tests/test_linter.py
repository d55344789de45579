"""The linter is set up to find calls in the sources that could run code from a file."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from marshal import loads",
        "import dill",
        "import yaml",
        "eval('1')",
        "exec('x = 1')",
        "import os; os.system('ls')",
        "import subprocess; subprocess.run('ls', shell=True)",
        "import torch; torch.load('a')",
        "import joblib; joblib.load('a')",
        "import numpy as np; np.load('a', allow_pickle=True)",
        "import xml.etree.ElementTree as tree; tree.parse('a')",
        "import tarfile; tarfile.open('a').extractall('b')",
    ],
)
def test_the_linter_finds_calls_that_run_code(line: str) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--output-format", "concise"]
    here = ["--stdin-filename", "src/lense/example.py", "-"]
    found = subprocess.run([*command, *here], input=f"{line}\n", capture_output=True, text=True, cwd=ROOT)
    assert re.search(r": (S\d+|TID251) ", found.stdout), found.stdout + found.stderr
