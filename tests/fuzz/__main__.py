"""``python -m tests.fuzz CASES SEED JOBS``."""

import sys

from tests.fuzz.harness import main

sys.exit(main(sys.argv[1:]))
