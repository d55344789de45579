"""``python -m lense`` is the command ``lense``."""

from lense.cli import main

main()
