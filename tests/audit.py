"""``python -m tests.audit``: known weaknesses of the packages in constraints.txt."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def advisories() -> tuple[list[str] | None, str]:
    """Known weaknesses of the pinned packages, or None and why they could not be had."""
    if find_spec("pip_audit") is None:
        return None, "pip-audit is not installed"
    command = [sys.executable, "-m", "pip_audit", "-r", str(_ROOT / "constraints.txt"), "--no-deps", "--format", "json"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        known = json.loads(found.stdout)["dependencies"]
    except (ValueError, KeyError, subprocess.TimeoutExpired):
        return None, "the advisory data could not be had"
    return [f"{one['name']}: {weakness['id']}" for one in known for weakness in one.get("vulns", ())], ""


def main() -> int:
    weak, why = advisories()
    if weak is None:
        print(f"advisories were not checked: {why}")
        return 0
    print("\n".join([*weak, f"{len(weak)} advisories about pinned packages"]))
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
