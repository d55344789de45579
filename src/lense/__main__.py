"""``python -m lense`` is the command ``lense``."""

from lense.command import main

if __name__ == "__main__":  # processes of the app import this module
    main()
