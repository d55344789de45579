"""Links that hold in the repository hold on the site too."""

import pytest

pytest.importorskip("mkdocs", reason="Install what builds the documentation (pip install lense[docs]).")

from tools.site import command_reference, site_link, site_place


@pytest.mark.parametrize(
    ("page", "target", "link"),
    [
        ("core.md", "bounds.md", "bounds.md"),
        ("core.md", "../results/core.md", "results/core.md"),
        ("pruners/index.md", "../../benchmarks/README.md", "../benchmarks/README.md"),
        ("pruners/index.md", "../core.md", "../core.md"),
        ("start.md", "../README.md", "overview.md"),
        ("overview.md", "docs/core.md", "core.md"),
        ("overview.md", "results/table1.md", "results/table1.md"),
        ("results/core.md", "../docs/core.md", "../core.md"),
    ],
)
def test_a_link_leads_to_the_page_of_the_same_file(page: str, target: str, link: str) -> None:
    assert site_link(page, target) == link


def test_pages_of_the_docs_lie_at_the_top() -> None:
    assert [site_place(place) for place in ("docs/own.md", "README.md", "results/a.png")] == [
        "own.md",
        "overview.md",
        "results/a.png",
    ]


def test_the_reference_has_every_command() -> None:
    reference = command_reference()
    for command in ("solve", "graph generate", "reproduce"):
        assert f"`lense {command}`" in reference
