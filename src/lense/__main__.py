"""``python -m lense`` is the command ``lense``."""

from lense.command import main

main()
