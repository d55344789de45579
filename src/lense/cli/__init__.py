"""The command line: parses, calls the library, prints. Heavy modules are imported inside the commands."""

import atexit
import gc
import os
import re
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from lense._util.environment import may_have_gpu, sentence_for
from lense._util.threads import limit_libraries
from lense.cli import graph, models, page, research, solve
from lense.cli.stopping import stop, stoppable
from lense.errors import LenseError, printable

if TYPE_CHECKING:
    from typing_extensions import Buffer

_INTERRUPTED = 130
_PACKAGES = ("numpy", "scipy", "numba", "highspy", "pyarrow", "torch", "torch_geometric", "joblib", "typer", "rich")

app = typer.Typer(
    name="lense",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    """Print what a bug report needs."""
    if not wanted:
        return
    from importlib.metadata import PackageNotFoundError, version
    from platform import platform, python_version

    from lense._util.files import cache_folder
    from lense._util.threads import available_cores

    print(f"lense {version('lense')}")
    driver = "a GPU's driver" if may_have_gpu() else "no GPU"
    print(f"python {python_version()} on {platform()}, {available_cores()} cores, {driver}")
    for package in _PACKAGES:
        try:
            print(package, version(package))
        except PackageNotFoundError:
            print(package, "not installed")
    print("LENSE_DATA", os.environ.get("LENSE_DATA", "not set"))
    print("cache", cache_folder())
    raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print versions and the machine, and exit."
        ),
    ] = False,
) -> None:
    """Speed up slow graph heuristics by running them on the part of the graph that matters."""


app.command("solve")(solve.solve)
app.command("advise")(solve.advise)
app.command("score")(solve.score)
app.command("train")(models.train)
app.command("prune")(solve.prune)
app.command("evaluate")(models.evaluate)
app.command("compare")(research.compare)
app.command("reproduce")(research.reproduce)
app.command("report")(research.report)
app.command("app")(page.open_page)
app.add_typer(graph.app, name="graph")
app.add_typer(graph.datasets, name="data")
app.add_typer(models.app, name="models")
app.command("demo")(models.demo)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line; whatever a user can get wrong ends as one sentence and exit status 2."""
    _save_processor_time()
    _print_what_can_be_printed()
    try:
        with stoppable():
            status = app(arguments, standalone_mode=False)
            sys.stdout.flush()
    except LenseError as error:
        _fail(str(error))
    except typer.TyperException as error:
        if not (message := error.format_message()):
            raise SystemExit(2) from None  # the help was shown instead
        _fail(message)
    except ModuleNotFoundError as error:
        if (sentence := sentence_for(error)) is None:
            raise
        _fail(sentence)
    except FileNotFoundError as error:
        _fail(f"There is no file or folder {error.filename}.")
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        _fail(f"The system refused{where}: {error.strerror or error}.")
    except MemoryError:
        _fail("There is not enough memory for this; take a smaller graph, fewer worlds, or set memory_gib.")
    except (KeyboardInterrupt, typer.Abort):
        stop()
    if status == _INTERRUPTED:
        stop()
    raise SystemExit(status if isinstance(status, int) else 0)


def _save_processor_time() -> None:
    """Leave out work that helps no command: together it is a third of what a short one takes."""
    limit_libraries()
    gc.set_threshold(100_000)  # imports make many objects and no garbage
    atexit.register(gc.freeze)  # at the end nobody needs to look for garbage in all of them


def _print_what_can_be_printed() -> None:
    """Print on where nobody reads any more, as after ``| head``: a command must not lose its files for that.

    A character that the output's encoding does not have, as in a pipe of Windows, becomes "?" instead of an error.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by ">&-"
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (open until the end)
        elif stream is getattr(sys, f"__{name}__") and isinstance(stream, TextIOWrapper) and sys.platform != "win32":
            setattr(sys, name, _outliving(stream))
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


class _UntilUnread(FileIO):
    """A file that takes whatever is written to it, also when it is a pipe whose reader has gone."""

    def write(self, data: "Buffer", /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            _discard(self.fileno())
            return memoryview(data).nbytes


def _outliving(stream: TextIOWrapper) -> TextIOWrapper:
    """``stream``, which goes on when its reader has gone."""
    stream.flush()
    file = BufferedWriter(_UntilUnread(stream.fileno(), "w", closefd=False))
    return TextIOWrapper(file, encoding=stream.encoding, errors=stream.errors, line_buffering=stream.line_buffering)


def _discard(descriptor: int) -> None:
    """Let what is written to ``descriptor`` from now on go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


_FLAGS = {"heuristic": "solver", "out_format": "to", "options": "set"}
"""Options that have another name in the library."""


def _options_of(command: Any) -> set[str]:
    """The names of the options of a command and of those below it, as Python has them."""
    flags = (flag for one in command.params for flag in (*one.opts, *one.secondary_opts) if flag.startswith("--"))
    names = {flag.removeprefix("--").removeprefix("no-").replace("-", "_") for flag in flags}
    return names.union(*map(_options_of, getattr(command, "commands", {}).values()))


def _spelled(sentence: str) -> str:
    """``sentence`` with options as flags that it spells as the library does: ``prune=False``, ``ids='str'``."""
    names = "|".join(_options_of(typer.main.get_command(app)).union(_FLAGS))
    value = r"(?P<value>True|False|'[^'\s]*')?"
    return re.sub(rf"(?<!--set )\b(?P<name>{names})={value}(?![\w'\"/]|\.\w)", _as_flag, sentence)


def _as_flag(found: re.Match[str]) -> str:
    name, value = _FLAGS.get(found["name"], found["name"]).replace("_", "-"), (found["value"] or "").strip("'")
    if value == "False":
        return "--undirected" if name == "directed" else f"--no-{name}"
    return f"--{name}" + (f" {value}" if value not in ("", "True") else "")


def _fail(sentence: str) -> NoReturn:
    """Print a sentence, in which options are spelled as flags, and exit with status 2."""
    spelled = _spelled(sentence).replace("The setting ", "--set ")
    print(f"lense: {' '.join(printable(spelled).split())}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:  # a full disk, say, of which the interpreter would complain again
        _discard(sys.stdout.fileno())
    raise SystemExit(2) from None
