"""The linter is set up to find calls in the sources that could run code from a file."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


LINES = [
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
]


def test_the_linter_finds_calls_that_run_code() -> None:
    command = [sys.executable, "-m", "ruff", "check", "--output-format", "json"]
    here = ["--stdin-filename", "src/lense/example.py", "-"]
    found = subprocess.run([*command, *here], input="\n".join(LINES), capture_output=True, text=True, cwd=ROOT)
    messages = [one for one in json.loads(found.stdout) if re.fullmatch(r"S\d+|TID251", one["code"])]
    flagged = {one["location"]["row"] for one in messages}
    assert {line for i, line in enumerate(LINES, start=1) if i not in flagged} == set(), found.stdout + found.stderr
