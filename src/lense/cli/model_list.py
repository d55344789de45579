"""``lense models``: the models that come with the package."""

import typer

from lense.cli.session import Json, Quiet, Verbose, print_json, print_table, session

app = typer.Typer(help="The trained models that come with the package.", no_args_is_help=True)


@app.command("list")
def list_models(as_json: Json = False, quiet: Quiet = False, verbose: Verbose = False) -> None:
    """Show the models that ship, and what each was trained for."""
    with session(quiet=quiet, verbose=verbose):
        from lense.pruners.shipped import shipped_models

        found = shipped_models()
    if as_json:
        print_json(found)
        return
    names = ("name", "trained on", "budget", "seed", "roots", "steps", "default")
    rows = [{**row, "default": "for " + row["problem"] if row["is_default"] else ""} for row in found]
    print_table("Models that ship", names, [tuple(str(row[name]) for name in names) for row in rows], left=(0, 1, 6))
