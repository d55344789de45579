"""The page in a real browser: it draws itself without an error, and answers to pointer, keys and clicks."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from lense.experiments import reproduce
from lense.graph import read_graph
from lense.navigation import LeNSE
from lense.pruners import load
from lense.report import model_page, results_page, trial, write_page
from tests.browsing import CHROMIUM, launched, watch
from tests.experiments import tiny_paper
from tests.report.pages import HOSTILE, write_comparison
from tests.skips import NO_BROWSER

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NO_BROWSER)
PLACE = r"step{}ratio\d\.\d{{3}}vertices\d+edges\d+distance to the goal[\d.]+"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture
def draw(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Open a page, in which nothing may go wrong."""
    windows, wrong = [], []

    def drawn(data: dict[str, Any], width: int = 900) -> Page:
        write_page(tmp_path / "page.html", data)
        page = browser.new_page(viewport={"width": width, "height": 900})
        windows.append(page)
        wrong.append(watch(page))
        page.goto((tmp_path / "page.html").as_uri())
        expect(page.locator("html")).to_have_attribute("data-state", "ready")
        return page

    yield drawn
    for page in windows:
        page.close()
    assert [one for some in wrong for one in some] == []


@pytest.fixture(scope="module")
def tried(model_folder: Path, graph_file: Path) -> dict[str, Any]:
    """The page of a model on a graph whose ids are hostile."""
    model: LeNSE = load(model_folder)
    graph = read_graph(graph_file)
    hostile = replace(graph, labels=np.array([f"{HOSTILE}{i}" for i in range(graph.num_vertices)]))
    found = trial(model, model.problem_.prepare(hostile), name=HOSTILE, episodes=2)
    return model_page(model, model_folder, found)


@pytest.mark.parametrize("width", [500, 1280])
def test_a_model_on_a_graph_is_drawn_whatever_its_ids(
    draw: Callable[..., Page], tried: dict[str, Any], width: int
) -> None:
    page = draw(tried, width)
    places = tried["sections"][1]["blocks"][0]["walks"]["places"]
    expect(page.locator(".place")).to_have_count(len(places))
    expect(page.locator("img")).to_have_count(0)
    charts, tip, said = page.locator("svg.chart"), page.locator("#tip"), []
    assert charts.count() == 7  # map, two curves of the walk, drawing, three curves of the training
    for chart in charts.all():
        chart.scroll_into_view_if_needed()
        box = chart.locator(".place, .vertex, .curve + circle").first.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
        expect(tip).to_be_visible()
        said.append(tip.inner_text())
        page.mouse.move(0, 0)
        expect(tip).to_be_hidden()
        chart.press("End")
        expect(tip).to_be_visible()
        chart.press("Escape")
    assert re.fullmatch(PLACE.format(r"\d+"), said[0].replace("\n", "").replace("\t", ""))
    assert "<img src=x" in said[3]
    assert "role" in said[3]


def test_results_are_drawn_and_a_click_on_a_heading_sorts(draw: Callable[..., Page], tmp_path: Path) -> None:
    write_comparison(tmp_path / "results" / "one")
    write_comparison(tmp_path / "results" / "two", graph=HOSTILE)
    page = draw(results_page(tmp_path / "results"))
    expect(page.locator("svg.chart")).to_have_count(6)
    page.locator("svg.chart").first.press("End")
    expect(page.locator("#tip")).to_contain_text("vertices pruned")
    table = page.locator(".table", has_text="As a subgraph (P_V").first
    for names in (["top-degree", "lense", "random", "gcn"], ["random", "lense", "top-degree", "gcn"]):
        table.get_by_role("button", name="ratio").click()
        assert table.locator("tbody th").all_inner_texts() == names  # what failed stays last


def test_figures_of_the_paper_are_on_the_page(draw: Callable[..., Page], results: Path) -> None:
    reproduce(tiny_paper.experiment("maps"), tiny_paper.study(results))
    page = draw(results_page(results))
    assert page.locator("img").first.evaluate("(picture) => picture.naturalWidth") > 0


def test_a_place_of_a_walk_is_marked_in_every_chart_of_it(draw: Callable[..., Page], tried: dict[str, Any]) -> None:
    page = draw(tried)
    page.locator(".map svg.chart").press("ArrowRight")
    assert re.fullmatch(PLACE.format(0), page.locator("#tip").inner_text().replace("\n", "").replace("\t", ""))
    expect(page.locator(".lines .ring")).to_have_count(2)
