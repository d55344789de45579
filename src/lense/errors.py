"""The one exception a user can cause."""


class LenseError(ValueError):
    """Bad input: its text is one sentence that says what is wrong, where, and what to do.

    The command line prints that sentence and exits with status 2.
    """
