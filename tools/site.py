"""Hooks of mkdocs: pages that lie outside ``docs``, the reference of the command line, and the table of pruners.

Pages link to each other by their places in the repository, so that links work there too. On the site they are made
links between pages.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
DOCS = "docs"
_OUTSIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "README.md", "benchmarks/*.md", "benchmarks/*.png", "results/*.md")
_FIGURES = ("results/*.png", "results/*.csv", "results/*.jsonl")
_RENAMED = {"README.md": "overview.md"}  # mkdocs would take a README for the home page
_PRUNERS = "<!-- the table of pruners, from their classes -->"
_LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)]*)?(\))")


def on_files(files: Files, config: Any) -> Files:
    """Add what lies outside, and the reference of the commands."""
    for pattern in (*_OUTSIDE, *_FIGURES):
        for path in sorted(ROOT.glob(pattern)):
            place = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, site_place(place), abs_src_path=str(path)))
    files.append(File.generated(config, "reference/cli.md", content=command_reference()))
    return files


def on_page_markdown(markdown: str, page: Page, config: Any, files: Files) -> str:
    """The page with links to places in the repository made links to pages of the site, and the table of pruners."""
    here = page.file.src_uri
    if _PRUNERS in markdown:
        markdown = markdown.replace(_PRUNERS, pruner_table())
    return _LINK.sub(lambda link: f"{link[1]}{site_link(here, link[2])}{link[3] or ''}{link[4]}", markdown)


def site_place(place: str) -> str:
    """Where a file of the repository lies on the site."""
    return _RENAMED.get(place, place.removeprefix(f"{DOCS}/"))


def site_link(here: str, target: str) -> str:
    """A link on the page ``here`` of the site, whose ``target`` is relative to that page's place in the repository."""
    origin = next((place for place, there in _RENAMED.items() if there == here), here)
    folder = PurePosixPath(origin if (ROOT / origin).is_file() else f"{DOCS}/{origin}").parent
    place = site_place(normpath(str(folder / target)))
    return relpath(place, str(PurePosixPath(here).parent))


def command_reference() -> str:
    """All commands with their options, as the code has them."""
    import typer
    from typer.cli import get_docs_for_click

    from lense.cli import app

    commands = typer.main.get_command(app)
    return get_docs_for_click(obj=commands, ctx=typer.Context(commands), name="lense", title="Command line")


def pruner_table() -> str:
    """All pruners as their classes describe them, each with the page or section of ``docs/pruners`` about it."""
    from lense.pruners.registry import pruner_class, pruner_names, pruner_parameters

    pages = {path.stem: path.read_text() for path in sorted((ROOT / DOCS / "pruners").glob("*.md"))}
    rows = ["| name | keeps | learns | random | takes LeNSE's size |", "| --- | --- | --- | --- | --- |"]
    for name in pruner_names():
        kind = pruner_class(name)
        section = [f"{page}.md#{name}" for page, text in pages.items() if f"\n## {name}\n" in text]
        module = kind.__module__.rpartition(".")[2]
        links = section or ([f"{module}.md"] if module in pages else [])
        title = f"[`{name}`]({links[0]})" if links else f"`{name}`"
        takes_size = name != "lense" and bool({"vertices", "roots"} & set(pruner_parameters(name)))
        shown = ("yes" if known else "no" for known in (kind.learns, kind.randomised, takes_size))
        rows.append(f"| {title} | {kind.get_description()} | {' | '.join(shown)} |")
    return "\n".join(rows)
