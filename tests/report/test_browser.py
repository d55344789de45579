"""The page in a real browser: it draws itself without an error, and answers to pointer, keys and clicks."""

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.experiments import reproduce
from lense.graph import Graph, read_graph
from lense.navigation import LeNSE
from lense.pruners import load
from lense.report import model_page, recorded, results_page, trial, write_page
from tests.experiments import tiny_paper
from tests.report.pages import HOSTILE, write_comparison
from tests.skips import NO_BROWSER

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NO_BROWSER)

Browser = Callable[..., str]

HOVER = """
const said = [];
const tip = document.getElementById("tip");
for (const chart of document.querySelectorAll("svg.chart")) {
  const marks = chart.querySelectorAll(".place, .vertex, .curve + circle");
  const box = (marks[0] ?? chart).getBoundingClientRect();
  const place = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true };
  chart.dispatchEvent(new PointerEvent("pointermove", place));
  said.push(`hover ${tip.hidden} ${tip.textContent}`);
  chart.dispatchEvent(new PointerEvent("pointerleave"));
  said.push(`left ${tip.hidden}`);
  chart.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
  said.push(`key ${tip.hidden} ${tip.textContent}`);
  chart.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
}
"""
SORT = """
const said = [];
const table = document.querySelector("table");
for (let i = 0; i < 2; i++) {
  table.querySelectorAll("th button")[1].click();
  said.push([...table.querySelectorAll("tbody th")].map((cell) => cell.textContent).join(" "));
}
"""
CHOOSE = """
const said = [];
const select = document.querySelector("select");
const tip = document.getElementById("tip");
for (const name of [null, "mvc on other", "mvc on tiny"]) {
  if (name) {
    select.value = [...select.options].find((option) => option.textContent === name).value;
    select.dispatchEvent(new Event("change"));
  }
  const shown = document.querySelector(".chosen");
  const count = (what) => shown.querySelectorAll(what).length;
  said.push([...shown.querySelectorAll(".part > h3")].map((title) => title.textContent).join(", "));
  const [hasMap, hasDrawing] = [count(".map .sample") > 0, count(".drawing .role-0") > 0];
  said.push(`${hasMap} ${count(".map .place")} ${hasDrawing} ${count(".lines .curve")}`);
}
const map = document.querySelector(".map svg.chart");
map.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
said.push(tip.textContent);
said.push(`${document.querySelectorAll(".lines .ring").length}`);
const picture = document.querySelector("img");
said.push(`${picture.complete} ${picture.naturalWidth > 0}`);
"""
MARK_TWO = """
const said = [];
const map = document.querySelector(".map svg.chart");
for (let i = 0; i < 2; i++) {
  map.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  said.push(document.getElementById("tip").textContent);
  said.push([".guide", ".ring"].map((what) => document.querySelectorAll(`.lines ${what}`).length).join(" "));
}
"""
SAY = (
    'document.body.append(Object.assign(document.createElement("pre"), { id: "said", textContent: said.join("\\n") }));'
)


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    """Draw a page, run a script in it, and give back the document as it is then."""

    def drawn(page: dict[str, Any], script: str = "const said = [];", width: int = 900, state: str = "ready") -> str:
        path = tmp_path / "page.html"
        write_page(path, page)
        path.write_text(path.read_text().replace("</body>", f"<script>{{{script}{SAY}}}</script></body>"))
        options = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--window-size={width},900",
            "--virtual-time-budget=2000",
            "--enable-logging=stderr",
            "--v=0",
            "--dump-dom",
        ]
        done = subprocess.run(
            [str(CHROMIUM), *options, path.as_uri()], capture_output=True, text=True, timeout=120, check=True
        )
        assert re.findall(r"<html[^>]* data-state=\"(\w+)\"", done.stdout) == [state]
        assert ("CONSOLE" in done.stderr) == (state == "failed")
        return done.stdout

    return drawn


def said(document: str) -> list[str]:
    found = re.search(r'<pre id="said">(.*?)</pre>', document, re.DOTALL)
    assert found is not None
    return found[1].split("\n")


@pytest.fixture(scope="module")
def tried(model_folder: Path, graph_file: Path) -> dict[str, Any]:
    """The page of a model on a graph whose ids are hostile."""
    model: LeNSE = load(model_folder)
    graph: Graph = read_graph(graph_file)
    hostile = replace(graph, labels=np.array([f"{HOSTILE}{i}" for i in range(graph.num_vertices)]))
    found = trial(model, model.problem_.prepare(hostile), name=HOSTILE, episodes=2)
    return model_page(model, model_folder, found)


def test_a_model_is_drawn(browser: Browser, model_folder: Path) -> None:
    document = browser(model_page(load(model_folder), model_folder))
    assert document.count('class="sample"') >= 15
    assert document.count("<section") == 3


@pytest.mark.parametrize("width", [500, 1280])
def test_a_model_on_a_graph_is_drawn_whatever_its_ids(browser: Browser, tried: dict[str, Any], width: int) -> None:
    document = browser(tried, width=width)
    assert document.count('class="place"') == len(tried["sections"][1]["blocks"][0]["walks"]["places"])
    assert 'class="vertex role-0"' in document
    assert "<img" not in document.partition("application/json")[0]


def test_pointer_and_keys_say_what_lies_there(browser: Browser, tried: dict[str, Any]) -> None:
    lines = said(browser(tried, HOVER))
    assert len(lines) == 3 * 7  # map, two curves of the walk, drawing, three curves of the training
    assert all(line.split()[:2] in (["hover", "false"], ["left", "true"], ["key", "false"]) for line in lines)
    places = tried["sections"][1]["blocks"][0]["walks"]["places"]
    first, last = places[0], places[-1]
    assert lines[0].startswith(f"hover false step{first['step']}ratio{first['ratio']:.3f}vertices{first['vertices']}")
    assert "distance to the goal" in lines[0]
    assert lines[5] == f"key false step{last['step']}ratio{last['ratio']:.4g}"
    assert "&lt;img src=x" in lines[9]
    assert "role" in lines[9]


def test_results_are_drawn(browser: Browser, tmp_path: Path) -> None:
    write_comparison(tmp_path / "results" / "one")
    write_comparison(tmp_path / "results" / "two", graph=HOSTILE)
    document = browser(results_page(tmp_path / "results"), HOVER)
    lines = said(document)
    assert len(lines) == 3 * 6
    assert document.count('class="cross"') == 2 * (3 + 1)  # that of random, in three panels and a legend
    assert lines[0].startswith("hover false pruner")
    assert re.search(r"ratio\d\.\d{3}( ± \d\.\d{3})?vertices pruned\d+\.\d %edges pruned", lines[0])


def test_models_of_results_can_be_chosen(browser: Browser, results: Path) -> None:
    reproduce(tiny_paper.experiment("maps"), tiny_paper.study(results))
    other_model = Path(shutil.copytree(results / "models" / "tiny-mvc-0", results / "models" / "other-mvc-0"))
    (other_model / "note.txt").write_text("a model without recorded walks")
    first, what_first, other, what_other, again, what_again, tip, rings, picture = said(
        browser(results_page(results), CHOOSE)
    )
    assert first == again == "Map and walks, Pruned subgraph, Training, Configuration"
    assert other == "Map, Training, Configuration"
    assert what_first == what_again == "true 7 true 6"  # six steps; two curves of the walk, four of the training
    assert what_other == "true 0 false 4"
    assert re.fullmatch(r"step0ratio\d\.\d{3}vertices\d+edges\d+distance to the goal[\d.]+", tip)
    assert rings == "2"  # the place is marked in both curves of the walk
    assert picture == "true true"


def test_a_place_whose_ratio_is_not_known_is_marked_where_it_is_known(
    browser: Browser, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded, "SLOW", -1)
    monkeypatch.setattr(recorded, "MOST_MEASURED_SLOWLY", 2)
    first, marks_first, second, marks_second = said(browser(results_page(results), MARK_TWO))
    assert re.fullmatch(r"step0ratio\d\.\d{3}vertices\d+edges\d+distance to the goal[\d.]+", first)
    assert re.fullmatch(r"step1vertices\d+edges\d+distance to the goal[\d.]+", second)
    assert (marks_first, marks_second) == ("2 2", "2 1")


def test_a_script_that_fails_says_so(browser: Browser) -> None:
    page = {"title": "", "lead": "", "sections": [{"title": "", "lead": "", "blocks": [{"kind": "unknown"}]}]}
    assert "This page could not be drawn: " in browser(page, state="failed")


def test_a_click_on_a_heading_sorts_and_failures_stay_last(browser: Browser, tmp_path: Path) -> None:
    write_comparison(tmp_path / "results")
    falling, rising = said(browser(results_page(tmp_path / "results"), SORT))
    assert falling == "top-degree lense random gcn"
    assert rising == "random lense top-degree gcn"
