"""Links that hold in the repository hold on the site too."""

import pytest

pytest.importorskip("mkdocs", reason="Install what builds the documentation (pip install lense[docs]).")

from tools.site import pruner_table, site_link


@pytest.mark.parametrize(
    ("page", "target", "link"),
    [
        ("core.md", "../results/core.md", "results/core.md"),
        ("pruners/index.md", "../../benchmarks/README.md", "../benchmarks/README.md"),
        ("start.md", "../README.md", "overview.md"),
        ("overview.md", "results/table1.md", "results/table1.md"),
        ("results/core.md", "../docs/core.md", "../core.md"),
    ],
)
def test_a_link_leads_to_the_page_of_the_same_file(page: str, target: str, link: str) -> None:
    assert site_link(page, target) == link


def test_the_table_of_pruners_links_to_what_is_about_each() -> None:
    table = pruner_table()
    assert "| [`top-degree`](baselines.md#top-degree) | The vertices of largest degree. | no | no | yes |" in table
    assert "| [`gnn-r`](gnn.md) |" in table
