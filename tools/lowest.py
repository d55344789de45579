"""The lowest versions that pyproject.toml allows: installed into a folder of their own, and tried.

    python tools/lowest.py FOLDER [EXTRA ...]

makes a virtual environment in FOLDER with the lowest version of every dependency, those of the extras included, and
runs a part of the specification in it: reading, kernels, problems, solving and pruners. The exit status is that of the
tests. The Python that runs it should be the lowest too.
"""

import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
SMOKE = ("tests/kernels", "tests/problems", "tests/graph", "tests/solving", "tests/cli/test_standard_input.py")
LEARNING = ("tests/navigation", "tests/pruners")
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)>=(?P<version>[\w.]+)")


def lowest(requirements: list[str]) -> list[str]:
    """Each requirement at the lowest version that it allows; those without one are left as they are."""
    found = (_REQUIREMENT.match(one) for one in requirements)
    return [f"{one['name']}=={one['version']}" if one else text for one, text in zip(found, requirements, strict=True)]


def requirements_of(extras: list[str]) -> list[str]:
    """Those of the package and its extras, but for the package itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [*project["dependencies"], *(one for extra in extras for one in project["optional-dependencies"][extra])]
    return [one for one in named if not one.startswith("lense")]


def main(folder: str, *extras: str) -> int:
    venv.create(folder, with_pip=True, clear=True)
    python = next(one for one in Path(folder).glob("*/python*") if one.is_file())
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = lowest(requirements_of(list(extras)))
    print("\n".join(wanted))
    subprocess.run([*install, *wanted, "pytest", "hypothesis"], check=True)
    subprocess.run([*install, "--no-deps", "-e", str(ROOT)], check=True)
    tests = [*SMOKE, *(LEARNING if "learn" in extras else ())]
    # old versions warn about new ones of what they need in turn, which is no fault of ours
    command = [str(python), "-m", "pytest", "-q", "-W", "default", *tests]
    return subprocess.run(command, check=False, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
